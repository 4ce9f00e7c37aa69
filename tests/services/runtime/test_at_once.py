"""Anything at any time in one session: whatever crosses, the store, the tape and the view agree in the end."""

import asyncio
import random

import pytest

from deepchat_desktop.domain.blocks import OPEN_TOOL_STATUSES, Block, tool_calls_of
from deepchat_desktop.domain.errors import DeepChatError
from deepchat_desktop.domain.events import (
    BlockSet,
    BlockText,
    MessageAdded,
    MessageFinished,
    RuntimeEvent,
    SessionChanged,
    StatusChanged,
)
from deepchat_desktop.domain.messages import Session
from deepchat_desktop.domain.permission import Answer
from deepchat_desktop.domain.tape import verify
from tests.fakes.chat_answers import chat
from tests.fakes.wire_server import Answer as WireAnswer
from tests.services.runtime.conftest import Bench
from tests.services.runtime.test_tools import call

pytestmark = pytest.mark.anyio
STEPS = ["send", "send", "cancel", "retry", "continue", "allow", "allow", "allow", "deny", "mode"]
SEEDS = [*range(5), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(5, 100))]


def some_answer(chance: random.Random, number: int) -> WireAnswer:
    match chance.choice(["text", "text", "write", "read", "half"]):
        case "text":
            return chat("a b c d e", delay=chance.choice([0, 0.003]))
        case "write":
            paths = (f"{number}.txt", f"b{number}.txt")
            return chat("w ", tool_calls=[call("write", n, path=path, content="x") for n, path in enumerate(paths)])
        case "read":
            return chat("r ", tool_calls=[call("read", path="a.txt", offset=1 + number)])
        case _:
            return chat("half", end="eof")


async def step(bench: Bench, session: Session, name: str, mode: str) -> str:
    """Do one thing; return the code of its refusal."""
    runtime = bench.core.runtime
    try:
        match name:
            case "send":
                await runtime.process_message(session.id, "go")
            case "cancel":
                await runtime.cancel(session.id)
            case "retry":
                await runtime.retry(session.id)
            case "continue":
                await runtime.continue_run(session.id)
            case "mode":
                await runtime.change_settings(session.id, mode=mode)
            case _:
                for item in await bench.core.store.read(lambda tx: tx.interactions.pending(session.id)):
                    await runtime.respond(item.id, Answer(allow=name == "allow"))
    except DeepChatError as error:
        return error.code
    return ""


def shown(events: list[RuntimeEvent]) -> dict[str, list[Block]]:
    """The messages of a view that applied every event in order."""
    seen: dict[str, list[Block]] = {}
    for event in events:
        match event:
            case MessageAdded() | MessageFinished():
                seen[event.message.id] = list(event.message.blocks)
            case BlockSet():
                seen[event.message_id][event.index : event.index + 1] = [event.block]
            case BlockText():
                block = seen[event.message_id][event.index]
                grows = "arguments_text" if block.kind == "tool_call" else "text"
                grown = block.model_copy(update={grows: getattr(block, grows) + event.text})
                seen[event.message_id][event.index] = grown
            case _:
                pass
    return seen


@pytest.mark.parametrize("seed", SEEDS)
async def test_whatever_crosses_the_store_and_the_view_agree(bench: Bench, seed: int) -> None:
    chance = random.Random(seed)
    (bench.workspace / "a.txt").write_text("hi")
    bench.server.add(*(some_answer(chance, number) for number in range(60)))
    session = await bench.session()
    steps = []
    for _ in range(25):
        mode = chance.choice(["ask", "full", "read", "chat"])
        steps.append(asyncio.ensure_future(step(bench, session, chance.choice(STEPS), mode)))
        await asyncio.sleep(chance.choice([0, 0, 0.002, 0.01, 0.03]))

    codes = await asyncio.gather(*steps)

    assert set(codes) <= {"", "busy", "pending_interaction", "not_found"}
    assert not bench.core.runtime.is_running(session.id)
    store = bench.core.store
    pending = await store.read(lambda tx: tx.interactions.pending(session.id))
    status = (await store.read(lambda tx: tx.sessions.get(session.id))).status
    assert status == ("waiting" if pending else "idle")
    messages = await bench.messages(session)
    for message in messages:
        may_wait = message is messages[-1] and bool(pending)
        assert (message.status == "paused") == (may_wait and message.role == "assistant")
        assert message.status != "streaming"
        assert may_wait or not OPEN_TOOL_STATUSES & {item.status for item in tool_calls_of(message.blocks)}
    view = shown(bench.events)
    assert {message.id: list(message.blocks) for message in messages} == view
    assert [event.session.status for event in bench.events if isinstance(event, SessionChanged)][-1] == status
    assert [event.status for event in bench.events if isinstance(event, StatusChanged)][-1:] in ([], [status])
    verify(await store.read(lambda tx: tx.tape.entries(session.id)))
