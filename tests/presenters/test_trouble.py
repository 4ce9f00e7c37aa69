"""The presenters when things cross: switching while words stream, deleting what runs, a disk without room."""

import resource
import sys

import pytest

from deepchat_desktop.domain.attachments import Attached
from deepchat_desktop.domain.blocks import ImageBlock
from deepchat_desktop.domain.events import InteractionAsked
from deepchat_desktop.presenters.bridge import EventBridge
from tests.conftest import ExpectedLogs
from tests.fakes.chat_answers import chat
from tests.presenters.conftest import Stage
from tests.presenters.test_window_shell import texts

pytestmark = pytest.mark.anyio
WRITE = {"id": "c1", "name": "write", "arguments": {"path": "out.txt", "content": "x"}}


async def test_coming_back_to_a_streaming_session_shows_every_word(stage: Stage) -> None:
    shell = stage.shell
    words = [f"word{number} " for number in range(120)]
    stage.server.add(chat(words, delay=0.01))
    shell.agent.send("go")
    await stage.until(lambda: shell.messages.count() == 2)
    first = shell.session.current_id()
    seen = []
    while shell.agent._core.runtime.is_running(first):
        shell.session.new_session()
        shell.session.open(first)
        await stage.until(lambda: shell.session.current_id() == first)
        seen.append(texts(shell)[1])
        await stage.until(lambda: True)

    whole = "".join(words)
    assert len(seen) > 3
    assert [text for text in seen if not whole.startswith(text)] == []
    await stage.until(lambda: texts(shell)[1] == whole)


async def test_what_was_asked_for_last_is_shown(stage: Stage) -> None:
    shell = stage.shell
    stage.server.add(chat("ok"))
    shell.agent.send("one")
    await stage.until(lambda: shell.messages.count() == 2 and not shell.agent.is_running())
    first = shell.session.current_id()
    shell.session.new_session()

    shell.session.open(first)
    shell.session.new_session()
    await stage.core.store.read(lambda tx: None)
    for _ in range(5):
        await stage.until(lambda: True)

    assert shell.session.current_id() == ""


async def test_two_texts_sent_at_once_make_one_session_and_lose_none(stage: Stage) -> None:
    shell = stage.shell
    stage.server.add(chat("ok", hold_after=0))
    back: list[tuple[str, object]] = []
    shell.agent.send_refused.connect(lambda text, pictures: back.append((text, pictures)))
    picture = Attached(id="p", block=ImageBlock(media_type="image/png", data="iVBORw0KGgo="))
    shell.agent.send("one")
    shell.agent.send("two", [picture])
    await stage.until(lambda: back and shell.messages.count() == 2)
    assert back == [("two", (picture,))]
    assert len(await stage.core.store.read(lambda tx: tx.sessions.list())) == 1
    stage.server.release("hold")
    await stage.until(lambda: not shell.agent.is_running())


async def test_a_text_goes_to_the_session_it_was_written_in(stage: Stage) -> None:
    shell = stage.shell
    stage.server.add(chat("one"), chat("two"))
    shell.agent.send("first")
    await stage.until(lambda: shell.messages.count() == 2 and not shell.agent.is_running())
    first = shell.session.current_id()

    shell.agent.send("second")
    shell.session.new_session()

    await stage.until(lambda: len(stage.server.requests) == 2)
    await stage.until(lambda: not stage.core.runtime.is_running(first))
    assert len(await stage.core.store.read(lambda tx: tx.messages.of_session(first))) == 4
    assert shell.session.current_id() == ""


async def test_a_request_told_twice_is_one_card(stage: Stage) -> None:
    shell = stage.shell
    stage.server.add(chat(tool_calls=[WRITE]))
    shell.agent.send("go")
    await stage.until(shell.permission.cards)
    (waiting,) = await stage.core.store.read(lambda tx: tx.interactions.pending())
    shell.permission.on_event(InteractionAsked(session_id=waiting.session_id, interaction=waiting))
    assert len(shell.permission.cards()) == 1


async def test_deleting_a_session_that_runs_out_of_sight_says_nothing(stage: Stage) -> None:
    shell = stage.shell
    stage.server.add(chat("one two", hold_after=1))
    told: list[str] = []
    for part in (shell.session, shell.agent, shell.permission):
        part.notice.connect(lambda code, _text: told.append(code))
    shell.agent.send("go")
    await stage.until(lambda: len(texts(shell)) == 2 and texts(shell)[1])
    first = shell.session.current_id()
    shell.session.new_session()
    shell.session.delete(first)
    await stage.until(lambda: shell.session.model.session(first) is None)
    await stage.core.store.read(lambda tx: None)
    assert told == []


async def test_a_mode_chosen_for_one_new_session_is_not_the_next_ones(stage: Stage) -> None:
    shell = stage.shell
    stage.server.add(chat("ok"))
    shell.agent.set_mode("full")
    shell.agent.send("go")
    await stage.until(lambda: shell.messages.count() == 2 and not shell.agent.is_running())
    assert shell.agent.mode() == "full"
    shell.session.new_session()
    assert shell.agent.mode() == "ask"
    assert shell.agent.workspace() == str(stage.workspace)


async def test_choices_made_at_once_are_all_kept(stage: Stage) -> None:
    shell = stage.shell
    stage.server.add(chat("ok"))
    shell.agent.send("go")
    await stage.until(lambda: shell.messages.count() == 2 and not shell.agent.is_running())
    shell.agent.set_mode("read")
    shell.agent.choose_model("fake", "other")
    await stage.until(lambda: (c := shell.agent.settings().connection) is not None and c.model == "other")
    assert shell.agent.mode() == "read"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file size limit")
async def test_settings_that_cannot_be_written_are_used_and_said(stage: Stage) -> None:
    shell = stage.shell
    await stage.until(lambda: stage.core._keeping is None)
    told: list[str] = []
    shell.agent.notice.connect(lambda code, _text: told.append(code))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, hard))
    try:
        shell.settings.set_theme("dark")
        await stage.until(lambda: told)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert told == ["settings_file"]
    assert shell.settings.theme() == "dark"
    shell.settings.set_text_size(16)
    await stage.until(lambda: stage.core._keeping is None)
    written = stage.core.settings_file.load()
    assert (written.theme, written.text_size) == ("dark", 16)


async def test_a_draft_emptied_while_the_answer_comes_is_gone_from_the_store(stage: Stage) -> None:
    shell = stage.shell
    stage.server.add(chat("ok", hold_after=0))
    shell.agent.send("go")
    await stage.until(lambda: shell.messages.count() == 2)
    session_id = shell.session.current_id()
    shell.session.save_draft(session_id, "no, wait")
    shell.session.save_draft(session_id, "")
    await stage.until(lambda: True)
    assert await stage.core.store.read(lambda tx: tx.drafts.get(session_id)) == ""
    stage.server.release("hold")
    await stage.until(lambda: not shell.agent.is_running())


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file size limit")
async def test_drafts_that_cannot_be_written_do_not_stop_the_end(stage: Stage, expected_logs: ExpectedLogs) -> None:
    expected_logs("deepchat_desktop.presenters.window_shell", "drafts")
    stage.shell.session._drafts[""] = "half a thought"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, hard))
    try:
        await stage.shell.save_drafts()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_a_call_in_order_comes_between_events(qt_loop: object) -> None:
    import asyncio

    from deepchat_desktop.domain.events import BlockText

    bridge, seen = EventBridge(), []
    bridge.posted.connect(lambda event: seen.append(event.text))

    def text(added: str) -> BlockText:
        return BlockText(session_id="s", message_id="m", index=0, text=added)

    bridge.post(text("a"))
    bridge.in_order(lambda: seen.append("call"))
    bridge.post(text("b"))
    bridge.post(text("c"))
    async with asyncio.timeout(10):
        while len(seen) < 3:
            await asyncio.sleep(0)
    assert seen == ["a", "call", "bc"]


async def test_odd_text_reaches_the_view_and_the_list(stage: Stage) -> None:
    shell = stage.shell
    stage.server.add(chat(["x\x00 ", "y\ud800 ", "z \ud83d", "\ude00 end"], delay=0.05))
    shell.agent.send("a\x00b\ud800c")
    await stage.until(lambda: shell.messages.count() == 2 and not shell.agent.is_running())
    assert texts(shell)[0] == "a\x00b\ud800c"
    stored = await stage.core.store.read(lambda tx: tx.messages.of_session(shell.session.current_id()))
    assert texts(shell)[1] == "".join(block.text for block in stored[1].blocks if block.kind == "text")
