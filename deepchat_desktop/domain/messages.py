"""Sessions and messages as everything above the store knows them. Times are ms since 1970."""

from typing import Literal

from pydantic import Field

from deepchat_desktop.domain.base import Value
from deepchat_desktop.domain.blocks import Blocks
from deepchat_desktop.domain.usage import Usage

Role = Literal["user", "assistant"]
MessageStatus = Literal["streaming", "paused", "done", "interrupted", "error"]
OutcomeName = Literal["completed", "paused", "aborted", "error"]
SessionStatus = Literal["idle", "generating", "waiting"]
Mode = Literal["ask", "read", "full", "chat"]


class Connection(Value):
    """How a session reaches its model: a configured provider, or an address given on the command line.

    For an address given ad hoc the session keeps the *name* of the key's variable, never the key.
    """

    provider: str
    model: str
    api: str | None = None
    base_url: str | None = None
    key_env: str | None = None

    @property
    def ad_hoc(self) -> bool:
        """Whether the address was given on the command line."""
        return self.base_url is not None


class SessionSettings(Value):
    """What the user chose for one session. None means: the default."""

    connection: Connection | None = None
    mode: Mode = "ask"
    workspace: str | None = None
    system: str | None = None
    context: int | None = None
    max_output: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    reasoning_effort: str | None = None
    """none, minimal, low, medium or high, as each API says it; what a model does not know is dropped for it."""


class Session(Value):
    """One conversation."""

    id: str
    title: str = ""
    title_by_user: bool = False
    status: SessionStatus = "idle"
    last_outcome: OutcomeName | None = None
    unread: bool = False
    pinned: bool = False
    settings: SessionSettings = SessionSettings()
    created_at: int
    updated_at: int
    messages: int = 0
    """How many messages it has; filled in by listings."""


class MessageMeta(Value):
    """Facts about how a message came to be, shown under it."""

    model: str = ""
    provider: str = ""
    rounds: int = 0
    tool_calls: int = 0
    first_token_ms: int | None = None
    duration_ms: int | None = None
    streamed_ms: int = 0
    """Time in which the model was answering, over all passes; without waits and tools."""
    tokens_per_second: float | None = None
    context_tokens: int = 0
    """Input and output of the last round: how full the window was."""
    token_estimate: int = 0
    cost: float | None = None
    """US dollars, by the price that was known when it was answered; None where none was."""


class Message(Value):
    """A user's or an assistant's message with its blocks."""

    id: str
    session_id: str
    role: Role
    status: MessageStatus = "done"
    outcome: OutcomeName | None = None
    stop_reason: str | None = None
    blocks: Blocks = ()
    usage: Usage = Usage()
    parent: str | None = None
    variant: int = 0
    run_id: str | None = None
    meta: MessageMeta = Field(default_factory=MessageMeta)
    created_at: int
    updated_at: int
