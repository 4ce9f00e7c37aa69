"""What a provider's answer is made of, whatever the wire format: the ``ProviderEvent`` family.

A stream is any number of events and then exactly one of ``Stop`` or ``StreamError``, the last one. Tool
calls come as start, chunks, end; an end without a start cannot occur. ``key`` names a call within one
stream only. A call that the output limit cut off ends with ``complete=False`` and is never run.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from deepchat_desktop.domain.base import Value
from deepchat_desktop.domain.errors import ProviderErrorKind
from deepchat_desktop.domain.usage import Usage

StopReason = Literal["tool_use", "complete", "max_tokens"]


class TextDelta(Value):
    """More of the answer."""

    kind: Literal["text"] = "text"
    text: str


class ReasoningDelta(Value):
    """More of the visible reasoning."""

    kind: Literal["reasoning"] = "reasoning"
    text: str


class ToolCallStart(Value):
    """A call begins: its name is known. ``id`` is the provider's own, possibly empty."""

    kind: Literal["tool_call_start"] = "tool_call_start"
    key: str
    id: str = ""
    name: str
    by_provider: bool = False


class ToolCallChunk(Value):
    """More of a call's argument text."""

    kind: Literal["tool_call_chunk"] = "tool_call_chunk"
    key: str
    text: str


class ToolCallEnd(Value):
    """A call is whole. ``arguments_text`` replaces what the chunks gave; ``arguments`` is None if not an object."""

    kind: Literal["tool_call_end"] = "tool_call_end"
    key: str
    id: str = ""
    name: str
    arguments_text: str
    arguments: dict[str, Any] | None
    complete: bool = True


class PermissionAsked(Value):
    """A provider that runs its own tools asks for leave."""

    kind: Literal["permission"] = "permission"
    key: str
    tool: str
    summary: str


class UsageReported(Value):
    """The round's token counts so far. Replaces earlier reports of the round, never adds."""

    kind: Literal["usage"] = "usage"
    usage: Usage


class ImagePart(Value):
    """A picture made by the model, base 64."""

    kind: Literal["image"] = "image"
    media_type: str
    data: str


class PlanUpdated(Value):
    """The agent's plan, whole."""

    kind: Literal["plan"] = "plan"
    steps: tuple[tuple[str, str], ...]


class RateLimited(Value):
    """The client waits before it sends, ``wait_s`` seconds."""

    kind: Literal["rate_limit"] = "rate_limit"
    wait_s: float


class Warned(Value):
    """Something about the answer that the user should know and that stops nothing. ``code`` is stable."""

    kind: Literal["warning"] = "warning"
    code: str
    text: str


class CarryPart(Value):
    """An opaque part to send back verbatim to the same family and model."""

    kind: Literal["carry"] = "carry"
    family: str
    model: str = ""
    data: dict[str, Any]


class StreamError(Value):
    """The end of a stream that failed. ``retryable`` is the nature of the error, not a decision."""

    kind: Literal["error"] = "error"
    error: ProviderErrorKind
    message: str
    retryable: bool
    retry_after_s: float | None = None
    status: int | None = None


class Stop(Value):
    """The end of a stream that did not fail. ``raw`` is the wire's own word."""

    kind: Literal["stop"] = "stop"
    reason: StopReason
    raw: str = ""
    refusal: bool = False
    continue_turn: bool = False


ProviderEvent = Annotated[
    TextDelta
    | ReasoningDelta
    | ToolCallStart
    | ToolCallChunk
    | ToolCallEnd
    | PermissionAsked
    | UsageReported
    | ImagePart
    | PlanUpdated
    | RateLimited
    | Warned
    | CarryPart
    | StreamError
    | Stop,
    Field(discriminator="kind"),
]
