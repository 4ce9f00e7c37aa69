"""From provider events to blocks: one vendor-neutral, pure accumulator.

``accumulate(state, event)`` gives the next state and the index of the block that changed. Any chunking of the
same stream gives the same blocks. The text of an open block grows by concatenation, so one event costs
the length of its block, not of the message; adapters join the deltas of one network read first.
"""

from typing import assert_never

from pydantic import Field

from deepchat_desktop.domain.base import Value
from deepchat_desktop.domain.blocks import (
    Block,
    Blocks,
    CarryBlock,
    ErrorBlock,
    ImageBlock,
    PlanBlock,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
)
from deepchat_desktop.domain.stream import (
    CarryPart,
    ImagePart,
    PermissionAsked,
    PlanUpdated,
    ProviderEvent,
    RateLimited,
    ReasoningDelta,
    Stop,
    StreamError,
    TextDelta,
    ToolCallChunk,
    ToolCallEnd,
    ToolCallStart,
    UsageReported,
    Warned,
)
from deepchat_desktop.domain.usage import Usage


class Answer(Value):
    """The state of an answer while its rounds stream.

    ``calls`` maps a call's stream key to its block's index, within the current round only.
    """

    blocks: Blocks = ()
    calls: dict[str, int] = Field(default_factory=dict)
    round: int = 0
    round_usage: Usage = Usage()
    usage: Usage = Usage()
    """The sum of the rounds before this one."""


class Step(Value):
    """What one event did. ``changed`` are block indexes in ascending order; ``added`` is text appended to one."""

    answer: Answer
    changed: tuple[int, ...] = ()
    added: str | None = None


def next_round(answer: Answer) -> Answer:
    """Begin another round: call keys start anew, the last round's usage is added to the total."""
    return answer.model_copy(
        update={
            "calls": {},
            "round": answer.round + 1,
            "round_usage": Usage(),
            "usage": answer.usage.plus(answer.round_usage),
        }
    )


def total_usage(answer: Answer) -> Usage:
    """Return the usage of all rounds so far."""
    return answer.usage.plus(answer.round_usage)


def accumulate(answer: Answer, event: ProviderEvent, *, now: int, new_call_id: str = "") -> Step:
    """Apply one event.

    ``now`` is ms since 1970 (kept with reasoning and calls); ``new_call_id`` is our id for a call that starts
    with this event.
    """
    match event:
        case TextDelta():
            return _grow(answer, TextBlock(text=event.text, open=True), event.text, now)
        case ReasoningDelta():
            block = ReasoningBlock(text=event.text, open=True, started_at=now)
            return _grow(answer, block, event.text, now)
        case ToolCallStart() | ToolCallChunk() | ToolCallEnd():
            return _call(answer, event, now, new_call_id)
        case ImagePart():
            return _append(answer, ImageBlock(media_type=event.media_type, data=event.data), now)
        case CarryPart():
            carried = CarryBlock(family=event.family, model=event.model, data=event.data, round=answer.round)
            return _append(answer, carried, now)
        case PlanUpdated():
            return _plan(answer, PlanBlock(steps=event.steps), now)
        case UsageReported():
            return Step(answer=answer.model_copy(update={"round_usage": event.usage}))
        case StreamError() | Stop():
            return close_open(answer, now)
        case PermissionAsked() | RateLimited() | Warned():
            return Step(answer=answer)
        case _:
            assert_never(event)


def with_error(answer: Answer, *, code: str, message: str, retryable: bool, now: int) -> Step:
    """Append the error where it happened."""
    return _append(answer, ErrorBlock(code=code, message=message, retryable=retryable), now)


def set_block(answer: Answer, index: int, block: Block) -> Answer:
    """Replace one block, or append it when ``index`` is the number of blocks."""
    blocks = (*answer.blocks[:index], block, *answer.blocks[index + 1 :])
    return answer.model_copy(update={"blocks": blocks})


def close_open(answer: Answer, now: int) -> Step:
    """Close every open text and reasoning block."""
    changed = tuple(i for i, block in enumerate(answer.blocks) if _is_open(block))
    for index in changed:
        answer = set_block(answer, index, _closed(answer.blocks[index], now))
    return Step(answer=answer, changed=changed)


def _is_open(block: Block) -> bool:
    return block.kind in ("text", "reasoning") and block.open


def _closed(block: Block, now: int) -> Block:
    if block.kind == "reasoning":
        return block.model_copy(update={"open": False, "ended_at": now})
    return block.model_copy(update={"open": False})


def _grow(answer: Answer, fresh: TextBlock | ReasoningBlock, text: str, now: int) -> Step:
    """Append text to the last block if it is open and of the same kind, else open a block."""
    if not text:
        return Step(answer=answer)
    last = answer.blocks[-1] if answer.blocks else None
    if last is not None and last.kind == fresh.kind and _is_open(last):
        grown = last.model_copy(update={"text": last.text + text})
        index = len(answer.blocks) - 1
        return Step(answer=set_block(answer, index, grown), changed=(index,), added=text)
    return _append(answer, fresh, now)


def _append(answer: Answer, block: Block, now: int) -> Step:
    closed = close_open(answer, now)
    blocks = (*closed.answer.blocks, block)
    index = len(blocks) - 1
    return Step(
        answer=closed.answer.model_copy(update={"blocks": blocks}), changed=(*closed.changed, index)
    )


def _plan(answer: Answer, plan: PlanBlock, now: int) -> Step:
    for index, block in enumerate(answer.blocks):
        if block.kind == "plan":
            return Step(answer=set_block(answer, index, plan), changed=(index,))
    return _append(answer, plan, now)


def _call(answer: Answer, event: ToolCallStart | ToolCallChunk | ToolCallEnd, now: int, new_call_id: str) -> Step:
    if isinstance(event, ToolCallStart):
        block = ToolCallBlock(
            call_id=new_call_id,
            provider_call_id=event.id,
            name=event.name,
            round=answer.round,
            by_provider=event.by_provider,
        )
        step = _append(answer, block, now)
        calls = {**answer.calls, event.key: len(step.answer.blocks) - 1}
        return step.model_copy(update={"answer": step.answer.model_copy(update={"calls": calls})})
    index = answer.calls[event.key]
    call = answer.blocks[index]
    if not isinstance(call, ToolCallBlock):
        raise TypeError("a call's key names a block that is not a call")
    if isinstance(event, ToolCallChunk):
        grown = call.model_copy(update={"arguments_text": call.arguments_text + event.text})
        return Step(answer=set_block(answer, index, grown), changed=(index,), added=event.text)
    ended = call.model_copy(
        update={
            "provider_call_id": event.id or call.provider_call_id,
            "name": event.name,
            "arguments_text": event.arguments_text,
            "arguments": event.arguments,
            "status": ("success" if call.by_provider else "pending") if event.complete else "incomplete",
        }
    )
    return Step(answer=set_block(answer, index, ended), changed=(index,))
