"""The presenters as the window uses them: send, stream, pause, answer, switch, restart."""

from pathlib import Path

import pytest

from deepchat_desktop.core import open_core
from deepchat_desktop.presenters.bridge import EventBridge
from deepchat_desktop.presenters.window_shell import WindowShell
from tests.fakes.chat_answers import chat
from tests.fakes.wire_server import json_answer
from tests.presenters.conftest import Stage

pytestmark = pytest.mark.anyio


def texts(shell: WindowShell) -> list[str]:
    rows = [shell.messages.message(row) for row in range(shell.messages.count())]
    return ["".join(block.text for block in row.blocks if block.kind == "text") for row in rows]


async def test_the_first_message_creates_the_session_and_streams(stage: Stage) -> None:
    shell = stage.shell
    stage.server.add(chat("Hello there."))
    opened: list[str] = []
    shell.session.current_changed.connect(opened.append)

    shell.agent.send("Hi")
    await stage.until(lambda: texts(shell) == ["Hi", "Hello there."] and not shell.agent.is_running())

    assert len(opened) == 1
    assert shell.session.model.title(opened[0]) == "Hi"
    assert shell.messages.message(1).status == "done"


async def test_running_is_told_and_stop_stops(stage: Stage) -> None:
    shell = stage.shell
    stage.server.add(chat("one two three", hold_after=2))
    running: list[bool] = []
    shell.agent.running_changed.connect(running.append)
    shell.agent.send("go")
    await stage.until(lambda: texts(shell)[1:] == ["one two"])

    shell.agent.stop()
    await stage.until(lambda: not shell.agent.is_running())

    assert running == [True, False]
    assert shell.messages.message(1).status == "interrupted"


async def test_a_card_waits_and_the_answer_resumes(stage: Stage) -> None:
    shell = stage.shell
    write = {"id": "c1", "name": "write", "arguments": {"path": "out.txt", "content": "hello"}}
    stage.server.add(chat("I will. ", tool_calls=[write]), chat("Done."))
    shell.agent.send("write it")
    await stage.until(shell.permission.cards)

    (card,) = shell.permission.cards()
    assert card.title == "Create out.txt"
    assert card.detail.endswith("\n\nhello")
    assert card.model_says == "I will."
    assert str(stage.workspace) in card.remember_text
    shell.permission.answer(card.id, True)
    shell.permission.answer(card.id, True)
    await stage.until(lambda: texts(shell)[1:] == ["I will. Done."] and not shell.agent.is_running())

    assert (stage.workspace / "out.txt").read_text() == "hello"
    assert shell.permission.cards() == []


async def test_stop_on_the_card_ends_the_run(stage: Stage) -> None:
    shell = stage.shell
    write = {"id": "c1", "name": "write", "arguments": {"path": "out.txt", "content": "x"}}
    stage.server.add(chat(tool_calls=[write]))
    shell.agent.send("write it")
    await stage.until(shell.permission.cards)

    shell.permission.stop()
    await stage.until(lambda: not shell.permission.cards())
    await stage.until(lambda: shell.messages.message(1).status == "interrupted")
    assert not (stage.workspace / "out.txt").exists()


async def test_a_restart_shows_the_conversation_the_card_and_the_draft(stage: Stage, data_dir: Path) -> None:
    shell = stage.shell
    write = {"id": "c1", "name": "write", "arguments": {"path": "out.txt", "content": "x"}}
    stage.server.add(chat("First."), chat("I will.", tool_calls=[write]), chat("Done."))
    shell.agent.send("one")
    await stage.until(lambda: texts(shell) == ["one", "First."] and not shell.agent.is_running())
    shell.agent.send("two")
    await stage.until(shell.permission.cards)
    session_id = shell.session.current_id()
    shell.session.save_draft(session_id, "half a th")
    shell.remember_session()
    await stage.until(lambda: shell.settings.window().last_session == session_id)
    await shell.save_drafts()
    await stage.core.close()

    bridge = EventBridge()
    core = open_core(data_dir, bridge.post)
    await core.start()
    second = WindowShell(core, bridge)
    second.load()
    second.expect_last()
    assert (second.session.current_id(), second.messages.count()) == (session_id, 0)
    second.open_last()
    await stage.until(second.permission.cards)

    assert texts(second) == ["one", "First.", "two", "I will."]
    assert second.session.draft(session_id) == "half a th"
    second.permission.answer(second.permission.cards()[0].id, True)
    await stage.until(lambda: texts(second)[-1] == "I will.Done.")
    await core.close()


async def test_an_answer_out_of_sight_leaves_an_unread_mark_and_opening_clears_it(stage: Stage) -> None:
    shell = stage.shell
    stage.server.add(chat("late answer", hold_after=0))
    shell.agent.send("go")
    await stage.until(shell.agent.is_running)
    first = shell.session.current_id()
    shell.session.new_session()
    assert not shell.agent.is_running()
    stage.server.release("hold")

    await stage.until(lambda: (s := shell.session.model.session(first)) is not None and s.unread)
    shell.session.open(first)
    await stage.until(lambda: (s := shell.session.model.session(first)) is not None and not s.unread)
    assert texts(shell) == ["go", "late answer"]


async def test_what_cannot_be_sent_comes_back(stage: Stage) -> None:
    shell = stage.shell
    stage.server.add(chat("slow", hold_after=0))
    told: list[str] = []
    back: list[str] = []
    shell.agent.notice.connect(lambda code, _text: told.append(code))
    shell.agent.send_refused.connect(lambda text, _pictures: back.append(text))
    shell.agent.send("go")
    await stage.until(shell.agent.is_running)

    shell.agent.send("second")
    await stage.until(lambda: back)

    assert (told, back) == (["busy"], ["second"])
    stage.server.release("hold")
    await stage.until(lambda: not shell.agent.is_running())


async def test_an_error_stands_where_it_happened(stage: Stage) -> None:
    shell = stage.shell
    stage.server.add(json_answer({"error": {"message": "Incorrect API key", "code": "invalid_api_key"}}, 401))
    shell.agent.send("go")
    await stage.until(lambda: shell.messages.count() == 2 and shell.messages.message(1).status == "error")
    (block,) = shell.messages.message(1).blocks
    assert block.kind == "error"
    assert block.code == "auth"


async def test_sessions_are_renamed_pinned_searched_and_deleted(stage: Stage) -> None:
    shell = stage.shell
    stage.server.add(chat("the Lisbon tram"), chat("nothing"))
    shell.agent.send("trip")
    await stage.until(lambda: shell.messages.count() == 2 and not shell.agent.is_running())
    first = shell.session.current_id()
    shell.session.new_session()
    shell.agent.send("other")
    await stage.until(lambda: shell.messages.count() == 2 and not shell.agent.is_running())

    shell.session.rename(first, "  Porto ")
    shell.session.set_pinned(first, True)
    await stage.until(lambda: (s := shell.session.model.session(first)) is not None and s.pinned)
    assert shell.session.model.title(first) == "Porto"
    shell.session.search("Lisbon")
    await stage.until(lambda: shell.session.model.rowCount() == 2)
    assert shell.session.model.id_at(1) == first
    shell.session.search("")
    shell.session.delete(first)
    await stage.until(lambda: shell.session.model.session(first) is None)
    assert shell.session.current_id() != first


async def test_a_chosen_model_is_the_sessions_and_the_next_ones(stage: Stage) -> None:
    shell = stage.shell
    assert shell.agent.model_text() == "m · Fake"
    shell.agent.choose_model("fake", "other")
    assert shell.agent.settings().connection is not None
    assert stage.core.settings.default_model == "other"
    stage.server.add(chat("ok"))
    shell.agent.send("go")
    await stage.until(lambda: bool(stage.server.requests))
    assert stage.server.requests[0].json["model"] == "other"
    await stage.until(lambda: not shell.agent.is_running() and shell.messages.count() == 2)


async def test_a_draft_goes_in_the_commit_that_stores_the_message(stage: Stage) -> None:
    shell = stage.shell
    stage.server.add(chat("ok", hold_after=0))
    shell.session.save_draft("", "half a thought")
    await stage.core.store.write(lambda tx: None)
    shell.agent.send("half a thought")
    shell.session.save_draft("", "")  # as the composer does when it is cleared

    def stored() -> str:
        return stage.core.store.read_now(lambda tx: tx.drafts.get(""))

    assert stored() == "half a thought"
    await stage.until(lambda: shell.messages.count() == 2)
    assert stored() == ""
    stage.server.release("hold")
    await stage.until(lambda: not shell.agent.is_running())
    shell.session.save_draft("", "next")
    await stage.core.store.write(lambda tx: None)
    assert stored() == "next"


async def test_a_provider_may_have_any_name_and_takes_its_models_along(stage: Stage) -> None:
    shell = stage.shell
    added: list[tuple[bool, str]] = []
    shell.setup.provider_added.connect(lambda ok, words: added.append((ok, words)))
    stage.server.add(json_answer({"data": [{"id": "deep"}]}))
    shell.setup.add_provider("深度求索", stage.server.base_url, "")
    await stage.until(lambda: added)
    assert added[0][0]
    assert shell.agent.model_text() == "deep · 深度求索"
    told: list[str] = []
    shell.agent.settings_changed.connect(lambda: told.append(shell.agent.model_text()))
    shell.settings.remove_provider("深度求索")
    await stage.until(lambda: "深度求索" not in [provider.id for provider in shell.settings.providers()])
    assert told
    assert "deep" not in told[-1]
