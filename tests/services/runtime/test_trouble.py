"""What happens when things come at once, when the disk is full, and when text is not text."""

import asyncio
import contextlib
import resource
import sys
from collections.abc import Iterator

import pytest

from deepchat_desktop.domain.blocks import tool_calls_of
from deepchat_desktop.domain.errors import Refused, StoreError
from deepchat_desktop.domain.events import (
    BlockSet,
    BlockText,
    InteractionAsked,
    MessageFinished,
    Notice,
    RunEnded,
    SessionChanged,
    StatusChanged,
)
from deepchat_desktop.domain.permission import Answer
from deepchat_desktop.domain.tape import fold, verify
from deepchat_desktop.services.store import Tx
from tests.fakes.chat_answers import chat
from tests.services.runtime.conftest import Bench
from tests.services.runtime.test_tools import call

pytestmark = pytest.mark.anyio
needs_file_limit = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file size limit")


@contextlib.contextmanager
def full_disk() -> Iterator[None]:
    """No file of this process may grow, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def shown(bench: Bench) -> str:
    """The text a view holds that applied every event."""
    texts: dict[int, str] = {}
    for event in bench.events:
        if isinstance(event, BlockSet) and event.block.kind == "text":
            texts[event.index] = event.block.text
        elif isinstance(event, BlockText):
            texts[event.index] = texts.get(event.index, "") + event.text
    return "".join(texts[index] for index in sorted(texts))


# At once


async def test_an_answer_given_while_the_run_still_pauses_resumes_it(bench: Bench) -> None:
    target = bench.workspace / "out.txt"
    bench.server.add(chat(tool_calls=[call("write", path="out.txt", content="x")]), chat("Done."))
    session = await bench.session()
    answers: list[asyncio.Future[RunEnded | None]] = []
    collect = bench.core.runtime._emit

    def answer_at_once(event: object) -> None:
        collect(event)
        if isinstance(event, InteractionAsked):
            work = bench.core.runtime.respond(event.interaction.id, Answer(allow=True))
            answers.append(asyncio.ensure_future(work))

    for part in (bench.core.runtime, bench.core.runtime._turns):
        part._emit = answer_at_once
    paused = await bench.core.runtime.process_message(session.id, "go")

    assert paused.outcome == "paused"
    ended = await answers[0]
    assert ended is not None
    assert (ended.outcome, ended.text) == ("completed", "Done.")
    assert target.read_text() == "x"
    blocks = (await bench.messages(session))[1].blocks
    assert [block.status for block in blocks if block.kind == "permission"] == ["granted"]


async def test_a_resumed_session_is_told_to_be_at_work_again(bench: Bench) -> None:
    bench.server.add(chat(tool_calls=[call("write", path="out.txt", content="x")]), chat("Done."))
    session = await bench.session()
    paused = await bench.core.runtime.process_message(session.id, "go")
    before = len(bench.events)
    await bench.core.runtime.respond(paused.pending[0].id, Answer(allow=True))
    states = [event.session.status for event in bench.events[before:] if isinstance(event, SessionChanged)]
    assert states == ["generating", "idle"]


async def test_two_answers_at_once_settle_both_and_resume_once(bench: Bench) -> None:
    calls = [call("write", n, path=f"{n}.txt", content="x") for n in range(2)]
    bench.server.add(chat(tool_calls=calls), chat("Done."))
    session = await bench.session()
    paused = await bench.core.runtime.process_message(session.id, "go")

    ends = await asyncio.gather(
        *(bench.core.runtime.respond(item.id, Answer(allow=True)) for item in paused.pending)
    )

    assert sorted(end.outcome for end in ends if end) == ["completed", "paused"]
    assert sorted(path.name for path in bench.workspace.iterdir()) == ["0.txt", "1.txt"]
    assert len(bench.server.requests) == 2


async def test_stop_and_allow_at_once_leave_one_of_both(bench: Bench) -> None:
    bench.server.add(chat(tool_calls=[call("write", path="out.txt", content="x")]), chat("Done."))
    session = await bench.session()
    paused = await bench.core.runtime.process_message(session.id, "go")

    await asyncio.gather(
        bench.core.runtime.cancel(session.id),
        bench.core.runtime.respond(paused.pending[0].id, Answer(allow=True)),
    )

    assert not bench.core.runtime.is_running(session.id)
    message = (await bench.messages(session))[1]
    assert message.status in ("interrupted", "done")
    assert not {item.status for item in tool_calls_of(message.blocks)} & {"running", "waiting", "pending"}
    stored = await bench.core.store.read(lambda tx: tx.sessions.get(session.id))
    assert stored.status == "idle"


async def test_a_session_deleted_while_it_runs_says_nothing_afterwards(bench: Bench) -> None:
    bench.server.add(chat("one two three", hold_after=2))
    session = await bench.session()
    run = asyncio.ensure_future(bench.core.runtime.process_message(session.id, "go"))
    await asyncio.to_thread(bench.server.wait_for_requests, 1)

    await bench.core.runtime.delete_session(session.id)

    assert (await run).outcome == "aborted"
    assert bench.events[-1].kind == "session_deleted"
    assert not any(isinstance(event, Notice) for event in bench.events)


async def test_a_mode_changed_while_it_runs_counts_and_asks_only_once(bench: Bench) -> None:
    bench.server.add(chat(tool_calls=[call("write", path="o.txt", content="x")], hold_after=0), chat("Done."))
    session = await bench.session(mode="full")
    run = asyncio.ensure_future(bench.core.runtime.process_message(session.id, "go"))
    await asyncio.to_thread(bench.server.wait_for_requests, 1)
    await bench.core.runtime.change_settings(session.id, mode="ask")
    bench.server.release("hold")

    paused = await run

    assert paused.outcome == "paused"
    ended = await bench.core.runtime.respond(paused.pending[0].id, Answer(allow=True))
    assert ended is not None
    assert ended.outcome == "completed"


async def test_settings_changed_at_once_are_all_kept(bench: Bench) -> None:
    session = await bench.session()
    await asyncio.gather(
        bench.core.runtime.change_settings(session.id, mode="read"),
        bench.core.runtime.change_settings(session.id, workspace="/elsewhere"),
    )
    stored = await bench.core.store.read(lambda tx: tx.sessions.get(session.id))
    assert (stored.settings.mode, stored.settings.workspace) == ("read", "/elsewhere")


async def test_effects_after_one_that_asks_again_wait_too(bench: Bench) -> None:
    inner = bench.workspace / "inner"
    inner.mkdir()
    calls = [call("write", 1, path="inner/f.txt", content="1"), call("write", 2, path="g.txt", content="2")]
    bench.server.add(chat(tool_calls=calls), chat("Done."))
    session = await bench.session()
    paused = await bench.core.runtime.process_message(session.id, "go")
    inner.rmdir()
    inner.symlink_to(bench.workspace.parent)
    await bench.core.runtime.respond(paused.pending[0].id, Answer(allow=True))

    again = await bench.core.runtime.respond(paused.pending[1].id, Answer(allow=True))

    assert again is not None
    assert again.outcome == "paused"
    assert not (bench.workspace / "g.txt").exists()
    ended = await bench.core.runtime.respond(again.pending[0].id, Answer(allow=False))
    assert ended is not None
    assert [item.status for item in ended.tool_calls] == ["denied", "success"]


async def test_nothing_is_dispatched_once_the_run_was_stopped(bench: Bench) -> None:
    bench.server.add(chat(tool_calls=[call("write", path="out.txt", content="x")]))
    session = await bench.session(mode="full")
    collect = bench.core.runtime._emit
    run: asyncio.Future[RunEnded]

    def stop_before_the_call(event: object) -> None:
        collect(event)
        if isinstance(event, BlockSet) and event.block.kind == "tool_call" and event.block.status == "pending":
            bench.core.runtime._turns.mark_cancelled(session.id, "user_stop")

    for part in (bench.core.runtime, bench.core.runtime._turns):
        part._emit = stop_before_the_call
    run = asyncio.ensure_future(bench.core.runtime.process_message(session.id, "go"))

    assert (await run).outcome == "aborted"
    assert not (bench.workspace / "out.txt").exists()


# No room


@needs_file_limit
async def test_a_disk_that_fills_during_an_answer_loses_no_word_and_the_next_message_works(bench: Bench) -> None:
    bench.server.add(chat("one two three", hold_after=2), chat("fresh"))
    session = await bench.session()
    run = asyncio.ensure_future(bench.core.runtime.process_message(session.id, "go"))
    while shown(bench) != "one two":
        await asyncio.sleep(0.01)
    with full_disk():
        bench.server.release("hold")
        ended = await run
        assert (ended.outcome, ended.stop_reason) == ("error", "store_error")
        with pytest.raises(StoreError):
            await bench.core.runtime.process_message(session.id, "too early")

    assert ended.text.startswith("one two")
    assert [event.code for event in bench.events if isinstance(event, Notice)] == ["store_full"]
    finished = [event.message for event in bench.events if isinstance(event, MessageFinished)]
    assert [block.kind for block in finished[-1].blocks] == ["text", "error"]
    assert [event.status for event in bench.events if isinstance(event, StatusChanged)][-1] == "idle"
    assert [event.session.status for event in bench.events if isinstance(event, SessionChanged)][-1] == "idle"

    again = await bench.core.runtime.process_message(session.id, "go on")

    assert again.text == "fresh"
    stored = await bench.messages(session)
    assert [message.status for message in stored] == ["done", "error", "done", "done"]
    assert stored[1].blocks == finished[-1].blocks
    entries = await bench.core.store.read(lambda tx: tx.tape.entries(session.id))
    verify(entries)
    assert len(fold(entries).messages) == 4


@needs_file_limit
async def test_what_could_not_be_stored_is_stored_at_the_end_of_the_program(bench: Bench) -> None:
    bench.server.add(chat("one two three", hold_after=2))
    session = await bench.session()
    run = asyncio.ensure_future(bench.core.runtime.process_message(session.id, "go"))
    while shown(bench) != "one two":
        await asyncio.sleep(0.01)
    with full_disk():
        bench.server.release("hold")
        ended = await run

    await bench.reopen()

    stored = (await bench.messages(session))[1]
    assert "".join(block.text for block in stored.blocks if block.kind == "text") == ended.text


@needs_file_limit
async def test_a_message_that_cannot_be_stored_is_refused_whole(bench: Bench) -> None:
    session = await bench.session()
    before = len(bench.events)
    with full_disk(), pytest.raises(StoreError):
        await bench.core.runtime.process_message(session.id, "keep me")
    assert bench.events[before:] == []
    assert await bench.messages(session) == []
    assert (await bench.core.store.read(lambda tx: tx.sessions.get(session.id))).status == "idle"


@needs_file_limit
async def test_an_answer_that_cannot_be_stored_can_be_given_again(bench: Bench) -> None:
    bench.server.add(chat(tool_calls=[call("write", path="out.txt", content="x")]), chat("Done."))
    session = await bench.session()
    paused = await bench.core.runtime.process_message(session.id, "go")
    with full_disk(), pytest.raises(StoreError):
        await bench.core.runtime.respond(paused.pending[0].id, Answer(allow=True))

    ended = await bench.core.runtime.respond(paused.pending[0].id, Answer(allow=True))

    assert ended is not None
    assert ended.text == "Done."


# What a restart finds


async def test_a_call_that_was_never_asked_for_is_skipped_after_a_crash(bench: Bench) -> None:
    bench.server.add(chat(tool_calls=[call("write", path="out.txt", content="x")]), chat("fresh"))
    session = await bench.session()
    await bench.core.runtime.process_message(session.id, "go")
    message = (await bench.messages(session))[1]

    def as_before_the_question(tx: Tx) -> None:
        tx.interactions.void_message(message.id, 1)
        blocks = tuple(b.model_copy(update={"status": "pending"}) for b in tool_calls_of(message.blocks))
        tx.messages.save(message.model_copy(update={"status": "streaming", "blocks": blocks}))

    await bench.core.store.write(as_before_the_question)
    await bench.reopen()

    recovered = (await bench.messages(session))[1]
    assert recovered.status == "interrupted"
    assert [item.status for item in tool_calls_of(recovered.blocks)] == ["skipped"]
    assert (await bench.core.runtime.continue_run(session.id)).text == "fresh"


# Odd text


async def test_any_text_goes_through(bench: Bench) -> None:
    odd = "a\x00b\ud800c\u202e\U000e0041"
    bench.server.add(chat(["x\x00", "y\ud800"]), chat("ok"))
    session = await bench.session()

    ended = await bench.core.runtime.process_message(session.id, odd)

    assert ended.outcome == "completed"
    stored = await bench.messages(session)
    assert stored[0].blocks[0].text == odd
    assert stored[1].blocks[0].text == ended.text
    assert (await bench.core.runtime.process_message(session.id, "again")).outcome == "completed"


@pytest.mark.parametrize("path", ["a" * 5_000, "d/" * 3_000 + "f", "x\x00y", "\ud800", "a/" * 100 + "f"])
async def test_paths_that_no_system_takes_are_results(bench: Bench, path: str) -> None:
    calls = [call("read", 1, path=path), call("write", 2, path=path, content="x")]
    bench.server.add(chat(tool_calls=calls), chat("I see."))
    session = await bench.session(mode="full")
    ended = await bench.core.runtime.process_message(session.id, "go")
    assert (ended.outcome, ended.text) == ("completed", "I see.")
    assert ended.tool_calls[0].status == "error"


async def test_a_huge_line_does_not_end_the_run(bench: Bench) -> None:
    (bench.workspace / "min.js").write_text("x" * 300_000)
    (bench.workspace / "long.txt").write_text("line of text\n" * 20_000)
    calls = [call("read", 1, path="min.js"), call("read", 2, path="long.txt", limit=10_000)]
    bench.server.add(chat(tool_calls=calls), chat("Long."))
    session = await bench.session()

    ended = await bench.core.runtime.process_message(session.id, "go")

    assert ended.text == "Long."
    assert all(len(item.result) <= 5_000 for item in ended.tool_calls)


async def test_chat_mode_runs_no_tool_even_when_the_model_calls_one(bench: Bench) -> None:
    (bench.workspace / "a.txt").write_text("hello")
    bench.server.add(chat(tool_calls=[call("read", path="a.txt")]), chat("Right."))
    session = await bench.session(mode="chat")
    ended = await bench.core.runtime.process_message(session.id, "go")
    assert [item.status for item in ended.tool_calls] == ["error"]
    assert "hello" not in ended.tool_calls[0].result


# Counting


async def test_speed_and_context_are_right_after_a_pause(bench: Bench) -> None:
    bench.server.add(
        chat("a b c d", tool_calls=[call("write", path="o.txt", content="x")], usage=(100, 400), delay=0.05),
        chat("e f g h", usage=(600, 100), delay=0.05),
    )
    session = await bench.session()
    paused = await bench.core.runtime.process_message(session.id, "go")
    await bench.core.runtime.respond(paused.pending[0].id, Answer(allow=True))

    message = (await bench.messages(session))[1]

    assert (message.usage.input, message.usage.output) == (700, 500)
    assert message.meta.context_tokens == 700
    assert message.meta.streamed_ms >= 300
    assert message.meta.tokens_per_second == round(500_000 / message.meta.streamed_ms, 1)


# Titles


async def test_a_title_that_cannot_be_had_is_no_failure(bench: Bench) -> None:
    bench.core.runtime.ask_titles = True
    bench.server.add(chat("Hello."), chat("A title", hold_after=0))
    session = await bench.session()
    await bench.core.runtime.process_message(session.id, "Hi")
    await asyncio.to_thread(bench.server.wait_for_requests, 2)
    await bench.core.runtime.delete_session(session.id)
    bench.server.release("hold")
    while any(task.get_name().startswith("title") for task in asyncio.all_tasks()):
        await asyncio.sleep(0.01)
    assert bench.events[-1].kind == "session_deleted"


async def test_a_second_answer_meanwhile_does_not_wait_for_the_first_to_end(bench: Bench) -> None:
    bench.server.add(chat(tool_calls=[call("write", path="o.txt", content="x")]), chat("slow", hold_after=0))
    session = await bench.session()
    paused = await bench.core.runtime.process_message(session.id, "go")
    run = asyncio.ensure_future(bench.core.runtime.respond(paused.pending[0].id, Answer(allow=True)))
    await asyncio.to_thread(bench.server.wait_for_requests, 2)
    assert await bench.core.runtime.respond(paused.pending[0].id, Answer(allow=False)) is None
    with pytest.raises(Refused):
        await bench.core.runtime.retry(session.id)
    bench.server.release("hold")
    ended = await run
    assert ended is not None
    assert ended.outcome == "completed"
