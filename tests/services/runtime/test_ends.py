"""Every way a run can end, and what can be done after it: continue, retry, another message."""

import asyncio
import threading
from pathlib import Path

import pytest

from deepchat_desktop.domain.blocks import tool_calls_of
from deepchat_desktop.domain.events import RuntimeEvent
from deepchat_desktop.domain.permission import Answer
from deepchat_desktop.domain.tape import verify
from deepchat_desktop.domain.tools import ToolCall, ToolResult
from deepchat_desktop.services.files.resolve import ResolvedPath
from deepchat_desktop.services.runtime.runtime import Runtime
from deepchat_desktop.services.tools.router import ToolRouter
from tests.fakes.chat_answers import chat
from tests.fakes.wire_server import Answer as WireAnswer
from tests.fakes.wire_server import body_answer, json_answer
from tests.services.runtime.conftest import Bench
from tests.services.runtime.test_tools import call

pytestmark = pytest.mark.anyio

NO_WAIT = {"retry-after": "0"}
FAILURES: dict[str, tuple[str, list[WireAnswer]]] = {
    "auth": ("auth", [json_answer({"error": {"message": "bad key", "code": "invalid_api_key"}}, 401)]),
    "quota": ("quota", [json_answer({"error": {"message": "no money", "code": "insufficient_quota"}}, 429)]),
    "model": ("model_not_found", [json_answer({"error": {"message": "no", "code": "model_not_found"}}, 404)]),
    "bad": ("bad_request", [json_answer({"error": {"message": "no"}}, 400)]),
    "rate": ("rate_limit", [json_answer({"error": {"message": "slow"}}, 429, NO_WAIT)] * 3),
    "server": ("server", [json_answer({"error": {"message": "oops"}}, 500, NO_WAIT)] * 3),
    "html": ("", [body_answer(b"<html><body>hello</body></html>")]),
    "half": ("truncated_stream", [chat("half", end="eof")]),
    "drop": ("", [chat("half", end="drop")]),
    "empty": ("truncated_stream", [body_answer(b"")] * 3),
}


@pytest.mark.parametrize("name", FAILURES)
@pytest.mark.parametrize("step", ["continue", "retry", "message"])
async def test_after_any_failure_the_session_goes_on(bench: Bench, name: str, step: str) -> None:
    kind, answers = FAILURES[name]
    bench.server.add(*answers, chat("fine"))
    session = await bench.session()
    failed = await bench.core.runtime.process_message(session.id, "go")
    assert failed.outcome == "error"
    assert failed.error is not None
    assert failed.error.kind == kind or not kind
    runtime = bench.core.runtime

    match step:
        case "continue":
            ended = await runtime.continue_run(session.id)
        case "retry":
            ended = await runtime.retry(session.id)
        case _:
            ended = await runtime.process_message(session.id, "again")

    assert (ended.outcome, ended.text) == ("completed", "fine")
    stored = await bench.core.store.read(lambda tx: tx.sessions.get(session.id))
    assert (stored.status, stored.last_outcome) == ("idle", "completed")
    verify(await bench.core.store.read(lambda tx: tx.tape.entries(session.id)))


async def test_closing_during_an_answer_leaves_it_interrupted_with_its_words(bench: Bench) -> None:
    bench.server.add(chat("one two three", hold_after=2), chat("more"))
    session = await bench.session()
    run = asyncio.ensure_future(bench.core.runtime.process_message(session.id, "go"))
    while "block_text" not in bench.kinds() and "block_set" not in bench.kinds():
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)

    await bench.reopen()

    ended = await run
    assert (ended.outcome, ended.stop_reason) == ("aborted", "shutdown")
    answer = (await bench.messages(session))[1]
    assert (answer.status, answer.outcome) == ("interrupted", "aborted")
    assert ended.text
    assert (await bench.core.runtime.continue_run(session.id)).text == "more"


class SlowRouter(ToolRouter):
    """A router whose tools take until they are told to end."""

    def __init__(self, own_folder: Path) -> None:
        super().__init__(own_folder)
        self.began = threading.Event()
        self.go_on = threading.Event()

    def run(self, call: ToolCall, target: ResolvedPath) -> ToolResult:
        self.began.set()
        self.go_on.wait(30)
        return super().run(call, target)


async def test_stop_does_not_wait_for_a_tool_that_hangs_and_its_end_changes_nothing_shown(bench: Bench) -> None:
    core = bench.core
    router = SlowRouter(core.data_dir)
    events: list[RuntimeEvent] = []
    runtime = Runtime(core.store, core.models, router, core.tasks, events.append)
    bench.server.add(chat(tool_calls=[call("write", path="out.txt", content="x")]), chat("I see."))
    session = await bench.session(mode="full")
    run = asyncio.ensure_future(runtime.process_message(session.id, "go"))
    await asyncio.to_thread(router.began.wait, 10)

    await runtime.cancel(session.id)

    ended = await run
    assert (ended.outcome, [item.status for item in ended.tool_calls]) == ("aborted", ["interrupted"])
    assert events[-1] == ended
    router.go_on.set()
    while any(task.get_name().startswith("tool ") for task in asyncio.all_tasks()):
        await asyncio.sleep(0.01)
    assert events[-1] == ended
    answer = (await bench.messages(session))[1]
    assert [item.status for item in tool_calls_of(answer.blocks)] == ["interrupted"]
    assert (await runtime.process_message(session.id, "and now?")).text == "I see."
    assert "not known" in bench.server.requests[1].json["messages"][-2]["content"]


async def test_deleting_a_session_whose_tool_hangs_ends_quietly(bench: Bench) -> None:
    core = bench.core
    router = SlowRouter(core.data_dir)
    runtime = Runtime(core.store, core.models, router, core.tasks, bench.events.append)
    bench.server.add(chat(tool_calls=[call("write", path="out.txt", content="x")]))
    session = await bench.session(mode="full")
    run = asyncio.ensure_future(runtime.process_message(session.id, "go"))
    await asyncio.to_thread(router.began.wait, 10)
    await runtime.delete_session(session.id)
    await run
    router.go_on.set()
    while any(task.get_name().startswith("tool ") for task in asyncio.all_tasks()):
        await asyncio.sleep(0.01)
    assert bench.events[-1].kind == "session_deleted"


async def test_a_refused_answer_to_a_paused_run_after_a_restart_goes_on(bench: Bench) -> None:
    bench.server.add(chat(tool_calls=[call("write", path="out.txt", content="x")]), chat("Then not."))
    session = await bench.session()
    paused = await bench.core.runtime.process_message(session.id, "go")
    await bench.reopen()
    ended = await bench.core.runtime.respond(paused.pending[0].id, Answer(allow=False))
    assert ended is not None
    assert (ended.outcome, ended.text) == ("completed", "Then not.")
