"""A finished or paused message as the last event of its run."""

from collections.abc import Sequence
from typing import Literal

from deepchat_desktop.domain.blocks import ToolCallBlock, reasoning_of, text_of, tool_calls_of
from deepchat_desktop.domain.events import CallReport, ErrorReport, PendingReport, RunEnded
from deepchat_desktop.domain.messages import Message
from deepchat_desktop.domain.permission import Interaction

ReportedStatus = Literal["success", "error", "denied", "skipped", "pending", "interrupted"]
_STATUS: dict[str, ReportedStatus] = {
    "success": "success",
    "error": "error",
    "denied": "denied",
    "skipped": "skipped",
    "incomplete": "skipped",
    "running": "interrupted",
    "interrupted": "interrupted",
}


def run_ended(message: Message, pending: Sequence[Interaction], error: ErrorReport | None = None) -> RunEnded:
    """Return the report of a message as it stands. ``pending`` are the session's waiting interactions."""
    calls = tool_calls_of(message.blocks)
    return RunEnded(
        session_id=message.session_id,
        message_id=message.id,
        outcome=message.outcome or "error",
        stop_reason=message.stop_reason or "",
        text=text_of(message.blocks),
        reasoning=reasoning_of(message.blocks),
        tool_calls=tuple(_call(call) for call in calls),
        usage=message.usage,
        rounds=message.meta.rounds,
        tool_call_count=len(calls),
        error=error,
        pending=tuple(
            PendingReport(id=item.id, kind=item.kind, tool=item.tool, type=item.level, summary=item.summary)
            for item in pending
        ),
    )


def _call(call: ToolCallBlock) -> CallReport:
    return CallReport(
        id=call.provider_call_id or call.call_id,
        name=call.name,
        arguments=call.arguments,
        status=_STATUS.get(call.status, "pending"),
        result=call.result,
    )
