"""The state of one run: the session, the message being written, and how far it is."""

import time
from dataclasses import dataclass, field

from deepchat_desktop.domain.accumulate import Answer
from deepchat_desktop.domain.ids import new_id
from deepchat_desktop.domain.messages import Message, Session
from deepchat_desktop.services.providers.directory import ConnectedModel

MAX_TOOL_CALLS = 128
"""Tool calls of one assistant message, counted over pauses and resumes."""


@dataclass
class Run:
    """One pass of the loop, from start or resume until it ends or pauses.

    ``message.run_id`` names the message's first run and is part of every operation's identity;
    ``id`` is this pass.
    """

    session: Session
    message: Message
    answer: Answer
    model: ConnectedModel | None = None
    """Known once the run is connected; a run that is only closed never is."""
    id: str = field(default_factory=new_id)
    started: float = field(default_factory=time.monotonic)
    first_token: float | None = None
    streamed: float = 0.0
    """Seconds in which the model was answering, without waits and tools."""
    stopped: bool = False
    """Set when the run is stopped; read on the store's thread too. Nothing is dispatched after it."""
    locked: bool = False
    """Whether this pass holds the message's resume lock, under its ``id``."""

    @property
    def connected(self) -> ConnectedModel:
        """The model, for everything that happens after the run was connected."""
        if self.model is None:
            raise RuntimeError("the run is not connected to a model")
        return self.model

    @property
    def origin(self) -> str:
        """The run that made the message."""
        return self.message.run_id or self.id

    def request_id(self, round_number: int) -> str:
        """Name one provider call of this message."""
        return f"{self.origin}:{round_number}"

    def snapshot(self) -> Message:
        """Return the message with what was received so far, stored or not."""
        return self.message.model_copy(update={"blocks": self.answer.blocks})

    @property
    def calls_made(self) -> int:
        """How many tool calls the message holds so far."""
        return sum(1 for block in self.answer.blocks if block.kind == "tool_call" and not block.by_provider)
