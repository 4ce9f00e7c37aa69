"""The round trip with tools: pause, answer, resume, and what a restart leaves in between."""

import asyncio
import json

import pytest

from deepchat_desktop.domain.blocks import ToolCallBlock, tool_calls_of
from deepchat_desktop.domain.errors import Refused
from deepchat_desktop.domain.events import InteractionAsked
from deepchat_desktop.domain.permission import Answer
from deepchat_desktop.domain.tape import verify
from tests.fakes.chat_answers import chat
from tests.services.runtime.conftest import Bench

pytestmark = pytest.mark.anyio


def call(name: str, number: int = 1, **arguments: object) -> dict[str, object]:
    return {"id": f"c{number}", "name": name, "arguments": arguments}


async def test_reading_in_the_workspace_is_free_and_the_result_goes_back(bench: Bench) -> None:
    (bench.workspace / "a.txt").write_text("hello\nworld")
    bench.server.add(chat("Looking. ", tool_calls=[call("read", path="a.txt")]), chat("It says hello."))
    session = await bench.session()

    ended = await bench.core.runtime.process_message(session.id, "what is in a.txt?")

    assert ended.text == "Looking. It says hello."
    assert [(item.name, item.status) for item in ended.tool_calls] == [("read", "success")]
    assert "1\thello" in ended.tool_calls[0].result
    assert (ended.rounds, ended.tool_call_count) == (2, 1)
    sent = bench.server.requests[1].json["messages"]
    assert [part["role"] for part in sent[-3:]] == ["user", "assistant", "tool"]
    assert sent[-1]["tool_call_id"] == "c1"
    assert "hello" in sent[-1]["content"]


async def test_writing_pauses_and_the_answer_resumes(bench: Bench) -> None:
    target = bench.workspace / "out.txt"
    bench.server.add(chat("I will write. ", tool_calls=[call("write", path="out.txt", content="once")]), chat("Done."))
    session = await bench.session()

    paused = await bench.core.runtime.process_message(session.id, "write it")

    assert (paused.outcome, paused.stop_reason) == ("paused", "interaction")
    assert [(item.tool, item.type) for item in paused.pending] == [("write", "write")]
    assert not target.exists()
    assert not bench.core.runtime.is_running(session.id)
    asked = next(event.interaction for event in bench.events if isinstance(event, InteractionAsked))
    assert asked.summary == "Create out.txt"
    assert asked.detail == f"{target}\n\nonce"
    assert asked.reason == "I will write."

    ended = await bench.core.runtime.respond(asked.id, Answer(allow=True))

    assert ended is not None
    assert (ended.outcome, ended.text) == ("completed", "I will write. Done.")
    assert target.read_text() == "once"
    assert len(await bench.messages(session)) == 2


async def test_the_answer_still_resumes_after_a_restart(bench: Bench) -> None:
    bench.server.add(chat(tool_calls=[call("write", path="out.txt", content="once")]), chat("Done."))
    session = await bench.session()
    paused = await bench.core.runtime.process_message(session.id, "write it")

    await bench.reopen()

    waiting = await bench.core.store.read(lambda tx: tx.interactions.pending(session.id))
    assert [item.id for item in waiting] == [paused.pending[0].id]
    assert (await bench.core.store.read(lambda tx: tx.sessions.get(session.id))).status == "waiting"
    ended = await bench.core.runtime.respond(waiting[0].id, Answer(allow=True))
    assert ended is not None
    assert ended.text == "Done."
    assert (bench.workspace / "out.txt").read_text() == "once"


async def test_a_second_answer_does_nothing(bench: Bench) -> None:
    bench.server.add(chat(tool_calls=[call("write", path="out.txt", content="x")]), chat("Done."))
    session = await bench.session()
    paused = await bench.core.runtime.process_message(session.id, "write it")
    interaction = paused.pending[0].id

    first, second = await asyncio.gather(
        bench.core.runtime.respond(interaction, Answer(allow=True)),
        bench.core.runtime.respond(interaction, Answer(allow=False)),
    )

    assert first is not None
    assert second is None
    assert await bench.core.runtime.respond(interaction, Answer(allow=True)) is None
    assert len(bench.server.requests) == 2


async def test_a_refusal_is_a_result_that_the_model_sees(bench: Bench) -> None:
    bench.server.add(chat(tool_calls=[call("write", path="out.txt", content="x")]), chat("Understood."))
    session = await bench.session()
    paused = await bench.core.runtime.process_message(session.id, "write it")

    ended = await bench.core.runtime.respond(paused.pending[0].id, Answer(allow=False, why="not now"))

    assert ended is not None
    assert [item.status for item in ended.tool_calls] == ["denied"]
    assert not (bench.workspace / "out.txt").exists()
    result = bench.server.requests[1].json["messages"][-1]
    assert result["role"] == "tool"
    assert "not now" in result["content"]


async def test_every_call_is_judged_before_any_runs_and_effects_wait_for_the_last_answer(bench: Bench) -> None:
    (bench.workspace / "a.txt").write_text("hello")
    calls = [
        call("write", 1, path="one.txt", content="1"),
        call("read", 2, path="a.txt"),
        call("write", 3, path="two.txt", content="2"),
    ]
    bench.server.add(chat(tool_calls=calls), chat("Both."))
    session = await bench.session()
    paused = await bench.core.runtime.process_message(session.id, "go")
    assert [item.status for item in paused.tool_calls] == ["pending", "success", "pending"]

    half = await bench.core.runtime.respond(paused.pending[0].id, Answer(allow=True))

    assert half is not None
    assert half.outcome == "paused"
    assert not (bench.workspace / "one.txt").exists()
    (_, answer) = await bench.core.store.read(lambda tx: tx.messages.of_session(session.id))
    assert [item.status for item in tool_calls_of(answer.blocks)] == ["pending", "success", "waiting"]
    whole = await bench.core.runtime.respond(paused.pending[1].id, Answer(allow=True))
    assert whole is not None
    assert whole.text == "Both."
    assert (bench.workspace / "one.txt").read_text() == "1"
    assert (bench.workspace / "two.txt").read_text() == "2"


async def test_allow_once_covers_exactly_that_call_and_a_grant_covers_the_session(bench: Bench) -> None:
    writes = [chat(tool_calls=[call("write", path=f"{n}.txt", content="x")]) for n in range(3)]
    bench.server.add(writes[0], writes[1], writes[2], chat("Done."))
    session = await bench.session()

    first = await bench.core.runtime.process_message(session.id, "go")
    second = await bench.core.runtime.respond(first.pending[0].id, Answer(allow=True, scope="once"))
    assert second is not None
    assert second.outcome == "paused"
    ended = await bench.core.runtime.respond(second.pending[0].id, Answer(allow=True, scope="session"))

    assert ended is not None
    assert ended.outcome == "completed"
    assert [item.status for item in ended.tool_calls] == ["success"] * 3


async def test_bad_calls_are_results_the_model_can_mend(bench: Bench) -> None:
    calls = [
        call("nope", 1),
        {"id": "c2", "name": "read", "arguments": "{broken"},
        call("read", 3, path=5),
        call("read", 4, path="missing.txt"),
        call("read", 5, path="~root/x"),
    ]
    bench.server.add(chat(tool_calls=calls), chat("Sorry."))
    session = await bench.session()

    ended = await bench.core.runtime.process_message(session.id, "go")

    assert ended.outcome == "completed"
    assert [item.status for item in ended.tool_calls] == ["error"] * 5
    assert len(bench.server.requests[1].json["messages"][-5:]) == 5


async def test_the_apps_own_folder_is_out_of_reach_in_every_mode(bench: Bench) -> None:
    database = bench.core.data_dir / "deepchat.db"
    bench.server.add(chat(tool_calls=[call("read", path=str(database))]), chat("No."))
    session = await bench.session(mode="full")
    ended = await bench.core.runtime.process_message(session.id, "go")
    assert ended.tool_calls[0].status == "error"
    assert "out of reach" in ended.tool_calls[0].result


async def test_a_link_out_of_the_workspace_asks(bench: Bench) -> None:
    outside = bench.workspace.parent / "secret.txt"
    outside.write_text("s")
    (bench.workspace / "link").symlink_to(outside)
    bench.server.add(chat(tool_calls=[call("read", path="link")]))
    session = await bench.session()
    paused = await bench.core.runtime.process_message(session.id, "go")
    assert paused.outcome == "paused"
    assert str(outside) in paused.pending[0].summary


async def test_an_approval_does_not_cover_another_target(bench: Bench) -> None:
    elsewhere = bench.workspace.parent / "elsewhere"
    elsewhere.mkdir()
    inner = bench.workspace / "inner"
    inner.mkdir()
    bench.server.add(chat(tool_calls=[call("write", path="inner/f.txt", content="x")]), chat("never"))
    session = await bench.session()
    paused = await bench.core.runtime.process_message(session.id, "go")
    inner.rmdir()
    inner.symlink_to(elsewhere)

    again = await bench.core.runtime.respond(paused.pending[0].id, Answer(allow=True))

    assert again is not None
    assert again.outcome == "paused"
    assert str(elsewhere) in again.pending[0].summary
    assert list(elsewhere.iterdir()) == []


async def test_stop_voids_what_waits(bench: Bench) -> None:
    bench.server.add(chat(tool_calls=[call("write", path="out.txt", content="x")]), chat("fresh"))
    session = await bench.session()
    paused = await bench.core.runtime.process_message(session.id, "go")
    with pytest.raises(Refused):
        await bench.core.runtime.process_message(session.id, "hello?")

    await bench.core.runtime.cancel(session.id)

    assert await bench.core.runtime.respond(paused.pending[0].id, Answer(allow=True)) is None
    answer = (await bench.messages(session))[1]
    assert [item.status for item in tool_calls_of(answer.blocks)] == ["skipped"]
    ended = await bench.core.runtime.process_message(session.id, "go on")
    assert ended.text == "fresh"
    roles = [part["role"] for part in bench.server.requests[1].json["messages"]]
    assert roles[-4:] == ["user", "assistant", "tool", "user"]


async def test_a_cut_off_call_is_rejected_once_and_then_the_run_ends(bench: Bench) -> None:
    cut = [{"id": "c1", "name": "write", "arguments": '{"path":"a.txt","content":"hal'}]
    bench.server.add(chat(tool_calls=cut, finish="length"), chat(tool_calls=cut, finish="length"), chat("never"))
    session = await bench.session()

    ended = await bench.core.runtime.process_message(session.id, "go")

    assert (ended.outcome, ended.stop_reason) == ("completed", "max_tokens")
    assert len(bench.server.requests) == 2
    assert [item.status for item in ended.tool_calls] == ["skipped", "skipped"]
    told = bench.server.requests[1].json["messages"][-1]
    assert told["role"] == "tool"
    assert "cut off" in told["content"]


async def test_a_waiting_input_gets_its_turn_after_the_tools(bench: Bench) -> None:
    (bench.workspace / "a.txt").write_text("hello")
    bench.server.add(chat(tool_calls=[call("read", path="a.txt")], hold_after=0), chat("never asked"))
    session = await bench.session()
    run = asyncio.ensure_future(bench.core.runtime.process_message(session.id, "go"))
    await asyncio.to_thread(bench.server.wait_for_requests, 1)
    bench.core.runtime.request_turn(session.id)
    bench.server.release("hold")

    ended = await run

    assert (ended.outcome, ended.stop_reason) == ("completed", "pending_input")
    assert len(bench.server.requests) == 1


async def test_what_is_over_128_calls_waits_and_continue_runs_it_in_a_new_message(bench: Bench) -> None:
    for number in range(129):
        (bench.workspace / f"{number}.txt").write_text(f"text {number}")
    many = [call("read", number, path=f"{number}.txt") for number in range(129)]
    bench.server.add(chat(tool_calls=many), chat("All read."))
    session = await bench.session()

    ended = await bench.core.runtime.process_message(session.id, "go")

    assert (ended.outcome, ended.stop_reason) == ("completed", "max_tool_calls")
    assert [item.status for item in ended.tool_calls] == ["success"] * 128 + ["pending"]
    assert len(bench.server.requests) == 1

    more = await bench.core.runtime.continue_run(session.id)

    assert (more.text, [item.status for item in more.tool_calls]) == ("All read.", ["success"])
    assert "text 128" in more.tool_calls[0].result
    assert [part["role"] for part in bench.server.requests[1].json["messages"]][-4:] == [
        "tool", "user", "assistant", "tool",
    ]
    limited = (await bench.messages(session))[1]
    assert [item.status for item in tool_calls_of(limited.blocks)] == ["success"] * 128 + ["skipped"]


async def test_another_message_skips_what_the_limit_left(bench: Bench) -> None:
    (bench.workspace / "a.txt").write_text("hello")
    bench.server.add(chat(tool_calls=[call("read", n, path="a.txt") for n in range(130)]), chat("Fine."))
    session = await bench.session()
    await bench.core.runtime.process_message(session.id, "go")

    ended = await bench.core.runtime.process_message(session.id, "something else")

    assert (ended.text, ended.tool_calls) == ("Fine.", ())
    limited = (await bench.messages(session))[1]
    assert {item.status for item in tool_calls_of(limited.blocks)[128:]} == {"skipped"}


async def test_the_limit_counts_over_a_pause(bench: Bench) -> None:
    (bench.workspace / "a.txt").write_text("hello")
    reads = [call("read", n, path="a.txt") for n in range(128)]
    bench.server.add(chat(tool_calls=[call("write", 500, path="w.txt", content="x"), *reads]))
    session = await bench.session()
    paused = await bench.core.runtime.process_message(session.id, "go")

    ended = await bench.core.runtime.respond(paused.pending[0].id, Answer(allow=True))

    assert ended is not None
    assert ended.stop_reason == "max_tool_calls"
    assert [item.status for item in ended.tool_calls] == ["success"] * 128 + ["pending"]


async def test_the_same_calls_again_and_again_get_a_nudge_and_then_an_end(bench: Bench) -> None:
    (bench.workspace / "a.txt").write_text("hello")
    bench.server.add(*(chat(tool_calls=[call("read", n, path="a.txt")]) for n in range(4)), chat("never asked"))
    session = await bench.session()

    ended = await bench.core.runtime.process_message(session.id, "go")

    assert (ended.outcome, ended.stop_reason) == ("error", "no_progress")
    assert len(bench.server.requests) == 4
    assert [item.status for item in ended.tool_calls] == ["success"] * 3 + ["skipped"]
    assert ["before" in item.result for item in ended.tool_calls] == [False, True, True, False]


async def test_the_tape_of_a_paused_and_resumed_run_verifies(bench: Bench) -> None:
    bench.server.add(chat(tool_calls=[call("write", path="out.txt", content="x")]), chat("Done."))
    session = await bench.session()
    paused = await bench.core.runtime.process_message(session.id, "go")
    await bench.core.runtime.respond(paused.pending[0].id, Answer(allow=True))

    entries = await bench.core.store.read(lambda tx: tx.tape.entries(session.id))

    verify(entries)
    assert [(entry.kind, entry.name) for entry in entries] == [
        ("message", "final"),
        ("event", "permission/asked"),
        ("message", "paused"),
        ("event", "permission/answered"),
        ("tool_result", "write"),
        ("message", "final"),
    ]


async def test_a_dispatched_call_without_outcome_is_interrupted_and_never_repeated(bench: Bench) -> None:
    bench.server.add(chat(tool_calls=[call("write", path="out.txt", content="x")]), chat("I see."))
    session = await bench.session()
    paused = await bench.core.runtime.process_message(session.id, "go")
    answer = (await bench.messages(session))[1]
    block = next(block for block in answer.blocks if isinstance(block, ToolCallBlock))

    # As if the process had died right after the dispatch was committed.
    from deepchat_desktop.domain.journal import JournalFact

    fact = JournalFact(
        name="dispatch_committed",
        session_id=session.id,
        run_id=answer.run_id or "",
        request_id=f"{answer.run_id}:0",
        call_id=block.call_id,
        payload=json.loads("{}"),
        created_at=1,
    )
    await bench.core.store.write(lambda tx: tx.journal.record(fact))
    ended = await bench.core.runtime.respond(paused.pending[0].id, Answer(allow=True))

    assert ended is not None
    assert [item.status for item in ended.tool_calls] == ["interrupted"]
    assert not (bench.workspace / "out.txt").exists()
