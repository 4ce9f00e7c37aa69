"""What an assistant message is made of.

A block is identified by its message and its position; positions never change, blocks are only appended
or replaced by a later state of themselves. A block that is ``open`` still grows.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from deepchat_desktop.domain.base import Value

ToolStatus = Literal[
    "streaming",  # its arguments are still arriving
    "pending",  # complete, not yet looked at
    "waiting",  # waits for the user's answer
    "running",  # dispatched, no outcome yet
    "success",
    "error",
    "denied",
    "skipped",
    "interrupted",  # dispatched before a crash; whether it happened is not known
    "incomplete",  # cut off by the output limit; never run
]
OPEN_TOOL_STATUSES: frozenset[str] = frozenset({"streaming", "pending", "waiting", "running"})

Carry = dict[str, Any]
"""An opaque part that the provider wants back verbatim: ``{"family": ..., "data": ...}``."""


class TextBlock(Value):
    """Markdown text."""

    kind: Literal["text"] = "text"
    text: str = ""
    open: bool = False


class ReasoningBlock(Value):
    """The model's visible reasoning. Times are ms since 1970."""

    kind: Literal["reasoning"] = "reasoning"
    text: str = ""
    open: bool = False
    started_at: int | None = None
    ended_at: int | None = None


class ToolCallBlock(Value):
    """One tool call with its result.

    ``call_id`` is ours and unique in the product; ``provider_call_id`` is what the provider wants back.
    ``arguments_text`` is what the model wrote, byte for byte; ``arguments`` is its strict JSON reading, or None.
    ``result`` grows while the call runs. ``diff`` is the unified diff of what it changed, where the tool tells it.
    """

    kind: Literal["tool_call"] = "tool_call"
    call_id: str
    provider_call_id: str = ""
    name: str
    arguments_text: str = ""
    arguments: dict[str, Any] | None = None
    status: ToolStatus = "streaming"
    result: str = ""
    images: tuple["ImageBlock", ...] = ()
    diff: str = ""
    round: int = 0
    started_at: int | None = None
    ended_at: int | None = None
    by_provider: bool = False


class PermissionBlock(Value):
    """The mark in the message that a call waits, or waited, for the user."""

    kind: Literal["permission"] = "permission"
    interaction_id: str
    call_id: str
    tool: str
    level: str
    summary: str
    status: Literal["pending", "granted", "denied", "void"] = "pending"


class ImageBlock(Value):
    """A picture: ``data`` is base 64 of one of the four raster types."""

    kind: Literal["image"] = "image"
    media_type: str
    data: str
    name: str = ""


class FileBlock(Value):
    """A text file that the user attached. ``text`` is all that a model reads of it.

    ``attachment`` names the whole file in the data folder, "" when only ``text`` was kept; ``size`` is in bytes and
    ``left_out`` in characters.
    """

    kind: Literal["file"] = "file"
    attachment: str = ""
    name: str
    size: int
    text: str
    left_out: int = 0


class PlanBlock(Value):
    """The agent's plan as last told."""

    kind: Literal["plan"] = "plan"
    steps: tuple[tuple[str, str], ...] = ()
    """Pairs of (status, text); status is ``pending``, ``in_progress`` or ``completed``."""


class SearchSource(Value):
    """One result of a search; all of it is foreign text."""

    url: str
    title: str = ""
    snippet: str = ""


class SearchBlock(Value):
    """A search of the web before or within an answer. ``why`` says what failed."""

    kind: Literal["search"] = "search"
    query: str
    status: Literal["running", "done", "failed"] = "done"
    sources: tuple[SearchSource, ...] = ()
    why: str = ""


class CompactionBlock(Value):
    """The mark that older turns are sent as a summary from here on; nothing of them is deleted.

    ``turns`` is how many were summarised; the token counts are estimates of those turns and of the summary. When it
    failed the turns are sent as before, and ``why`` says what happened.
    """

    kind: Literal["compaction"] = "compaction"
    status: Literal["running", "done", "failed"] = "done"
    turns: int = 0
    summary: str = ""
    tokens_before: int = 0
    tokens_after: int = 0
    why: str = ""


class ErrorBlock(Value):
    """What went wrong, where it went wrong."""

    kind: Literal["error"] = "error"
    code: str
    message: str
    retryable: bool = False


class CarryBlock(Value):
    """An opaque part of the answer, kept to be sent back to the family and model it came from; never shown."""

    kind: Literal["carry"] = "carry"
    family: str
    model: str = ""
    """Empty in what was stored before it was told: then the family alone counts."""
    data: Carry = Field(default_factory=dict)
    round: int | None = None
    """The round it belongs to; it may come after the round's calls."""


Block = Annotated[
    TextBlock
    | ReasoningBlock
    | ToolCallBlock
    | PermissionBlock
    | ImageBlock
    | FileBlock
    | PlanBlock
    | SearchBlock
    | CompactionBlock
    | ErrorBlock
    | CarryBlock,
    Field(discriminator="kind"),
]
Blocks = tuple[Block, ...]


def text_of(blocks: Blocks) -> str:
    """Return the answer's text: all text blocks joined with nothing between them."""
    return "".join(block.text for block in blocks if block.kind == "text")


def reasoning_of(blocks: Blocks) -> str:
    """Return the reasoning: all reasoning blocks joined with nothing between them."""
    return "".join(block.text for block in blocks if block.kind == "reasoning")


def tool_calls_of(blocks: Blocks) -> tuple[ToolCallBlock, ...]:
    """Return the tool calls in their order."""
    return tuple(block for block in blocks if block.kind == "tool_call")
