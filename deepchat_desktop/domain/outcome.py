"""How a run ends: a value, never an exception."""

from typing import Annotated, Literal

from pydantic import Field

from deepchat_desktop.domain.base import Value

CompletedReason = Literal["complete", "max_tokens", "max_tool_calls", "pending_input"]


class Completed(Value):
    """The model is done, or the run made way for something else."""

    kind: Literal["completed"] = "completed"
    reason: CompletedReason = "complete"


class Paused(Value):
    """One or more interactions wait for the user; nothing is awaited meanwhile."""

    kind: Literal["paused"] = "paused"
    reason: Literal["interaction"] = "interaction"
    interactions: tuple[str, ...]


class Aborted(Value):
    """The user stopped it, or the app was closed."""

    kind: Literal["aborted"] = "aborted"
    reason: Literal["user_stop", "shutdown"] = "user_stop"


class Failed(Value):
    """It ended with an error. ``code`` is a ``ProviderErrorKind`` or another stable code."""

    kind: Literal["error"] = "error"
    reason: Literal["provider_error", "context_window", "tool_error", "no_progress", "store_error", "internal"]
    code: str
    message: str
    retryable: bool = False


Outcome = Annotated[Completed | Paused | Aborted | Failed, Field(discriminator="kind")]
