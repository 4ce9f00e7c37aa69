"""Writes a history as turns of content blocks, user and model in alternation (Anthropic's messages, Converse).

Invariants: no text is blank and the last answer does not end in blanks; all results of a turn stand first in the one
user message after it, each call with exactly one; what a model must get back goes back verbatim, only to the family
it came from and only with the very calls it led to. A request that declares no tools holds no calls either, which
both APIs refuse: calls and results then travel as text. A style says what one block looks like.
"""

import re
from abc import ABC, abstractmethod
from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Any, assert_never

from deepchat_desktop.domain.blocks import ImageBlock
from deepchat_desktop.domain.prompt import (
    AssistantMessage,
    PromptCall,
    PromptMessage,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from deepchat_desktop.domain.turns import NO_RESULT
from deepchat_desktop.services.providers.openai_chat_messages import IMAGE_NOT_SENT
from deepchat_desktop.services.providers.wire_json import as_dict, as_list

Wire = dict[str, Any]


class TurnWriter(ABC):
    """Writes the messages of one request. ``carry`` says whether opaque parts go back at all."""

    def __init__(self, family: str, *, vision: bool, tools: bool, carry: bool) -> None:
        self._family = family
        self._vision = vision
        self._tools = tools
        self._carry = carry

    @abstractmethod
    def text_block(self, text: str) -> Wire:
        """Return a block of text."""

    @abstractmethod
    def image_block(self, image: ImageBlock) -> Wire:
        """Return a picture."""

    @abstractmethod
    def call_block(self, call: PromptCall, wire_id: str) -> Wire:
        """Return a call that a model made."""

    @abstractmethod
    def result_block(self, wire_id: str, content: list[Wire], *, is_error: bool) -> Wire:
        """Return the result of a call; ``content`` is never empty."""

    @abstractmethod
    def call_id(self, block: Wire) -> str | None:
        """Return the id of a call of ours, None for any other block."""

    @abstractmethod
    def text_of(self, block: Wire) -> str | None:
        """Return what a block of text says, None for any other block."""

    def write(self, messages: Sequence[PromptMessage]) -> list[Wire]:
        """Return the messages as JSON values; system messages are none."""
        wire: list[Wire] = []
        todo = deque(messages)
        while todo:
            message = todo.popleft()
            match message:
                case SystemMessage() | ToolMessage():
                    pass  # the instructions stand apart; a result without its call is none
                case UserMessage():
                    _add(wire, "user", self._said(message))
                case AssistantMessage():
                    results: list[ToolMessage] = []
                    while todo and isinstance(head := todo[0], ToolMessage):
                        results.append(head)
                        todo.popleft()
                    ids = _different([call.id for call in message.calls])
                    _add(wire, "assistant", self._answer(message, ids))
                    _add(wire, "user", self._results(message, ids, results))
                case _:
                    assert_never(message)
        return self._trimmed(wire)

    def _text(self, text: str) -> list[Wire]:
        return [self.text_block(text)] if text.strip() else []

    def _said(self, message: UserMessage | ToolMessage) -> list[Wire]:
        images = [self.image_block(image) if self._vision else self.text_block(IMAGE_NOT_SENT)
                  for image in message.images]
        return [*self._text(message.text), *images]

    def _answer(self, said: AssistantMessage, ids: Sequence[str]) -> list[Wire]:
        if carried := self._carried(said, ids):
            return carried
        if not self._tools:
            return self._text("\n".join([said.text, *map(_told_call, said.calls)]).strip())
        calls = [self.call_block(call, wire_id) for call, wire_id in zip(said.calls, ids, strict=True)]
        return [*self._text(said.text), *calls]

    def _carried(self, said: AssistantMessage, ids: Sequence[str]) -> list[Wire]:
        """Return the answer as it came, if it is this family's and its calls are still the same."""
        if not self._carry or (ids and not self._tools):
            return []
        blocks = [block for block in said.carry if block.family == self._family]
        content = [as_dict(item) for block in blocks for item in as_list(block.data.get("content"))]
        calls = [call_id for item in content if (call_id := self.call_id(item)) is not None]
        told = "".join(self.text_of(item) or "" for item in content)
        if not content or calls != list(ids) or not said.text.startswith(told):
            return []
        kept = [item for item in content if (text := self.text_of(item)) is None or text.strip()]
        # A round that went on after a pause may have added text alone, which is carried by no part.
        first_call = next((at for at, item in enumerate(kept) if self.call_id(item) is not None), len(kept))
        return [*kept[:first_call], *self._text(said.text[len(told) :]), *kept[first_call:]]

    def _results(self, said: AssistantMessage, ids: Sequence[str], results: Sequence[ToolMessage]) -> list[Wire]:
        waiting: defaultdict[str, deque[ToolMessage]] = defaultdict(deque)
        for result in results:
            waiting[result.call_id].append(result)
        wire: list[Wire] = []
        for call, wire_id in zip(said.calls, ids, strict=True):
            queue = waiting[call.id]
            missing = ToolMessage(call_id=call.id, name=call.name, text=NO_RESULT, is_error=True)
            result = queue.popleft() if queue else missing
            content = self._said(result) or [self.text_block("(empty)")]
            if self._tools:
                wire.append(self.result_block(wire_id, content, is_error=result.is_error))
            else:
                wire += [self.text_block(f"[Result of {call.name}]"), *content]
        return wire

    def _trimmed(self, wire: list[Wire]) -> list[Wire]:
        """Take blanks off the end of a last answer, which a server would have to continue."""
        if wire and wire[-1]["role"] == "assistant":
            last = wire[-1]["content"][-1]
            if (text := self.text_of(last)) is not None:
                wire[-1]["content"][-1] = {**last, "text": text.rstrip()}
        return wire


def _told_call(call: PromptCall) -> str:
    return f"[Called {call.name} with {call.arguments_text}]"


def _add(wire: list[Wire], role: str, content: list[Wire]) -> None:
    """Add content to the last message if it is of the same role: roles take turns."""
    if not content:
        return
    if wire and wire[-1]["role"] == role:
        wire[-1]["content"] += content
    else:
        wire.append({"role": role, "content": content})


def _different(ids: Sequence[str]) -> list[str]:
    """Return ids that a server takes (letters, digits, ``_`` and ``-``), different from each other."""
    taken: list[str] = []
    for place, given in enumerate(ids):
        wire_id = re.sub(r"[^a-zA-Z0-9_-]", "_", given)[:64] or f"call_{place}"
        taken.append(wire_id if wire_id not in taken else f"{wire_id[:56]}_{place}")
    return taken
