"""What the runtime tells the layers above: the ``RuntimeEvent`` family.

A view that applies every event in order holds the same messages as the store. ``block_text`` carries only
what was added, so its cost follows the delta; ``block_set`` replaces or appends one block.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from deepchat_desktop.domain.base import Value
from deepchat_desktop.domain.blocks import Block
from deepchat_desktop.domain.messages import Message, OutcomeName, Session, SessionStatus
from deepchat_desktop.domain.permission import Interaction
from deepchat_desktop.domain.usage import Usage


class SessionChanged(Value):
    """A session was created, renamed, or changed its state."""

    kind: Literal["session_changed"] = "session_changed"
    session: Session


class SessionDeleted(Value):
    """A session is gone."""

    kind: Literal["session_deleted"] = "session_deleted"
    session_id: str


class MessageAdded(Value):
    """A message was written."""

    kind: Literal["message_added"] = "message_added"
    session_id: str
    message: Message


class BlockText(Value):
    """Text was appended to a text or reasoning block, or to a call's argument text."""

    kind: Literal["block_text"] = "block_text"
    session_id: str
    message_id: str
    index: int
    text: str


class BlockSet(Value):
    """A block appeared or has a new state."""

    kind: Literal["block_set"] = "block_set"
    session_id: str
    message_id: str
    index: int
    block: Block


class MessageFinished(Value):
    """A message reached an end or a pause; the whole message as it was stored."""

    kind: Literal["message_finished"] = "message_finished"
    session_id: str
    message: Message


class StatusChanged(Value):
    """A session began or ended work."""

    kind: Literal["status_changed"] = "status_changed"
    session_id: str
    status: SessionStatus


class InteractionAsked(Value):
    """A permission or a question waits."""

    kind: Literal["interaction_asked"] = "interaction_asked"
    session_id: str
    interaction: Interaction


class InteractionSettled(Value):
    """An interaction was answered or voided."""

    kind: Literal["interaction_settled"] = "interaction_settled"
    session_id: str
    interaction: Interaction


class RetryWaiting(Value):
    """A transient failure: the round is tried again after ``wait_s`` seconds."""

    kind: Literal["retry_waiting"] = "retry_waiting"
    session_id: str
    attempt: int
    wait_s: float
    error: str


class TurnWaiting(Value):
    """The request waits ``wait_s`` seconds for its turn, as the user's limit for the provider wants it."""

    kind: Literal["turn_waiting"] = "turn_waiting"
    session_id: str
    wait_s: float


class Notice(Value):
    """Something the user should know that stops nothing. ``code`` is stable, ``text`` is English."""

    kind: Literal["notice"] = "notice"
    session_id: str | None = None
    code: str
    text: str


class CallReport(Value):
    """One tool call as the command line reports it."""

    id: str
    name: str
    arguments: dict[str, Any] | None
    status: Literal["success", "error", "denied", "skipped", "pending", "interrupted"]
    result: str


class PendingReport(Value):
    """One waiting interaction as the command line reports it."""

    id: str
    kind: Literal["permission", "question"]
    tool: str
    type: str
    summary: str


class ErrorReport(Value):
    """An error as the command line reports it."""

    kind: str
    retryable: bool
    message: str


class RunEnded(Value):
    """The last event of every run."""

    kind: Literal["run_ended"] = "run_ended"
    session_id: str
    message_id: str
    outcome: OutcomeName
    stop_reason: str
    text: str
    reasoning: str
    tool_calls: tuple[CallReport, ...] = ()
    usage: Usage = Usage()
    rounds: int = 0
    tool_call_count: int = 0
    error: ErrorReport | None = None
    pending: tuple[PendingReport, ...] = ()


RuntimeEvent = Annotated[
    SessionChanged
    | SessionDeleted
    | MessageAdded
    | BlockText
    | BlockSet
    | MessageFinished
    | StatusChanged
    | InteractionAsked
    | InteractionSettled
    | RetryWaiting
    | TurnWaiting
    | Notice
    | RunEnded,
    Field(discriminator="kind"),
]
