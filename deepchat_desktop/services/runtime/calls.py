"""The calls of one round against the limits of a message: how many may run, and whether they get anywhere.

Source of the rules: 128 calls a message, counted over pauses and resumes, and what is over is left pending; two
identical batches in a row get a nudge in the last result, four end the run.
"""

from collections.abc import Sequence

from deepchat_desktop.domain.blocks import Blocks, ToolCallBlock
from deepchat_desktop.domain.outcome import Completed, Failed, Outcome
from deepchat_desktop.services.runtime.batch import Batch
from deepchat_desktop.services.runtime.echo import Echo
from deepchat_desktop.services.runtime.run import MAX_TOOL_CALLS, Run

NUDGE_AT, END_AT = 2, 4
NUDGE = "You made exactly these calls before, with the same arguments. Do something else, or answer with what you have."


def calls_of_round(run: Run) -> list[ToolCallBlock]:
    """Return the calls of the current round that are ours to run, as they stand."""
    return _calls(run.answer.blocks, run.answer.round)


async def run_calls(run: Run, batch: Batch, echo: Echo) -> Outcome | None:
    """Run the current round's calls within the limits. None means: ask the model again."""
    calls = calls_of_round(run)
    same = repeats(run.answer.blocks, run.answer.round)
    if same >= END_AT:
        return Failed(
            reason="no_progress",
            code="no_progress",
            message=f"The model made the same calls {same} times in a row, so the run was ended. "
            "Say in other words what you want, or choose another model.",
        )
    room = max(0, MAX_TOOL_CALLS - (run.calls_made - len(calls)))
    outcome = await batch.execute(run, calls[:room])
    if outcome is not None:
        return outcome
    if len(calls) > room:
        return Completed(reason="max_tool_calls")
    if same >= NUDGE_AT:
        await _nudge(run, echo, calls)
    return None


def repeats(blocks: Blocks, round_number: int) -> int:
    """Return how many rounds in a row, up to this one, made the same calls with the same argument texts."""
    wanted = [(call.name, call.arguments_text) for call in _calls(blocks, round_number)]
    count = 1
    while count < END_AT and count <= round_number:
        calls = _calls(blocks, round_number - count)
        if [(call.name, call.arguments_text) for call in calls] != wanted:
            break
        count += 1
    return count


def _calls(blocks: Blocks, round_number: int) -> list[ToolCallBlock]:
    return [
        block
        for block in blocks
        if isinstance(block, ToolCallBlock) and block.round == round_number and not block.by_provider
    ]


async def _nudge(run: Run, echo: Echo, calls: Sequence[ToolCallBlock]) -> None:
    last = calls[-1].call_id
    for index, block in enumerate(run.answer.blocks):
        if isinstance(block, ToolCallBlock) and block.call_id == last:
            echo.set(index, block.model_copy(update={"result": f"{block.result}\n\n{NUDGE}".strip()}))
    await echo.flush()
