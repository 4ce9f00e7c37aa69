"""What is sent to a model, before any wire format: a vendor-neutral request."""

from typing import Annotated, Any, Literal

from pydantic import Field

from deepchat_desktop.domain.base import Value
from deepchat_desktop.domain.blocks import CarryBlock, ImageBlock
from deepchat_desktop.domain.tools import ToolSpec


class SystemMessage(Value):
    """The leading instructions."""

    role: Literal["system"] = "system"
    text: str


class UserMessage(Value):
    """What the user wrote and attached."""

    role: Literal["user"] = "user"
    text: str
    images: tuple[ImageBlock, ...] = ()


class PromptCall(Value):
    """A tool call of an earlier round. ``arguments_text`` is sent as the model wrote it."""

    id: str
    name: str
    arguments_text: str
    arguments: dict[str, Any]


class AssistantMessage(Value):
    """What the model answered in one round. ``reasoning`` is None when it was not captured."""

    role: Literal["assistant"] = "assistant"
    text: str = ""
    reasoning: str | None = None
    calls: tuple[PromptCall, ...] = ()
    carry: tuple[CarryBlock, ...] = ()


class ToolMessage(Value):
    """The result of one call."""

    role: Literal["tool"] = "tool"
    call_id: str
    name: str
    text: str
    is_error: bool = False
    images: tuple[ImageBlock, ...] = ()


PromptMessage = Annotated[
    SystemMessage | UserMessage | AssistantMessage | ToolMessage, Field(discriminator="role")
]


class ModelCapabilities(Value):
    """What a model takes. ``context`` and ``max_output`` are tokens; None is unknown.

    Most servers do not tell what a model can do: unless it is known not to, tools and pictures are sent, and the
    server refuses in words.
    """

    tools: bool | None = None
    tools_as_text: bool = False
    """A model without function calling gets its tools in the prompt and calls them in its text."""
    vision: bool | None = None
    reasoning: bool | None = None
    context: int | None = None
    max_output: int | None = None


class ModelRequest(Value):
    """One round. None means: leave it to the provider."""

    model: str
    messages: tuple[PromptMessage, ...]
    tools: tuple[ToolSpec, ...] = ()
    max_output: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    reasoning_effort: str | None = None
    capabilities: ModelCapabilities = ModelCapabilities()
    extra: dict[str, Any] = Field(default_factory=dict)
    """Further body fields of the model's profile (``repeat_penalty`` of the local one); none replaces what is built."""
