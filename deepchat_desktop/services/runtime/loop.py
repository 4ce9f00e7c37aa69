"""The loop: plain answers and tool use in one code path.

Each pass is one provider call. The calls it asked for decide whether there is another pass, nothing else.
Every way out returns an ``Outcome``; a run is finalised in ``finish.py``, in one place.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from deepchat_desktop.domain.accumulate import next_round
from deepchat_desktop.domain.blocks import ToolCallBlock
from deepchat_desktop.domain.events import RuntimeEvent
from deepchat_desktop.domain.messages import Message
from deepchat_desktop.domain.outcome import Completed, Failed, Outcome
from deepchat_desktop.domain.stream import Stop, StreamError
from deepchat_desktop.domain.tools import ToolSpec
from deepchat_desktop.services.runtime.batch import Batch
from deepchat_desktop.services.runtime.calls import calls_of_round, run_calls
from deepchat_desktop.services.runtime.context import overflow, prepare
from deepchat_desktop.services.runtime.echo import Echo
from deepchat_desktop.services.runtime.request import ask_model
from deepchat_desktop.services.runtime.run import Run

MAX_PAUSES = 5
"""So often in a run a provider that paused in the middle of its own tools is asked to go on."""
CUT_OFF = (
    "This call was cut off by the output limit and did not run; neither did the other calls of this round. "
    "Use shorter arguments, or fewer calls at once."
)


@dataclass
class LoopParts:
    """What the loop works with. ``history`` ends with the message that is being answered."""

    run: Run
    history: Sequence[Message]
    tools: Sequence[ToolSpec]
    system: str
    echo: Echo
    batch: Batch
    emit: Callable[[RuntimeEvent], None]
    input_waits: Callable[[], bool]


async def process_stream(parts: LoopParts) -> Outcome:
    """Run rounds until the model is done, something waits for the user, or something failed."""
    run, cut_off_before, pauses = parts.run, False, 0
    while True:
        end = await _round(parts)
        await parts.echo.flush()
        if isinstance(end, StreamError):
            return _failed(end)
        calls = calls_of_round(run)
        cut_off = [call for call in calls if call.status == "incomplete"]
        if end.reason == "max_tokens" or cut_off:
            if not calls or cut_off_before:
                return Completed(reason="max_tokens")
            cut_off_before = True
            await _reject(parts, calls)
        elif end.continue_turn and not calls and pauses < MAX_PAUSES:
            pauses += 1
        elif end.reason != "tool_use" or not calls:
            return Completed()
        elif (outcome := await run_calls(run, parts.batch, parts.echo)) is not None:
            return outcome
        if parts.input_waits():
            return Completed(reason="pending_input")
        run.answer = next_round(run.answer)


async def _round(parts: LoopParts) -> Stop | StreamError:
    """Ask the model once; a context overflow is tried once more with half the output."""
    run = parts.run
    for strict in (False, True):
        # Off the loop: its cost follows the length of the session.
        prepared = await asyncio.to_thread(
            prepare,
            run.session, run.connected, parts.history, run.answer.blocks, parts.tools, parts.system, strict=strict,
        )
        shown = len(run.answer.blocks)
        end = await ask_model(run, prepared.request, parts.echo, parts.emit)
        overflowed = isinstance(end, StreamError) and end.error == "context_overflow"
        if not overflowed or len(run.answer.blocks) > shown:
            return end
    raise overflow(prepared.budget, prepared.selection)


async def resume_stream(parts: LoopParts) -> Outcome:
    """Run what is left of the last round's calls, then go on from a rebuilt context."""
    outcome = await run_calls(parts.run, parts.batch, parts.echo)
    if outcome is not None:
        return outcome
    if parts.input_waits():
        return Completed(reason="pending_input")
    parts.run.answer = next_round(parts.run.answer)
    return await process_stream(parts)


async def _reject(parts: LoopParts, calls: Sequence[ToolCallBlock]) -> None:
    """Answer every call of a batch that the output limit cut, so that the model can mend it."""
    for index, block in enumerate(parts.run.answer.blocks):
        if isinstance(block, ToolCallBlock) and block in calls:
            status = "incomplete" if block.status == "incomplete" else "error"
            parts.echo.set(index, block.model_copy(update={"status": status, "result": CUT_OFF}))
    await parts.echo.flush()


def _failed(error: StreamError) -> Failed:
    reason = "context_window" if error.error == "context_overflow" else "provider_error"
    return Failed(reason=reason, code=error.error, message=error.message, retryable=error.retryable)

