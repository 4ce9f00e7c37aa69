"""The ``messages`` of a chat-completions request.

Invariants: every call has exactly one result directly after its message and no result comes without its call;
no assistant message is empty; pictures stand in user messages only; a model that reads only text gets a note in
place of a picture; opaque parts go back only to the family they came from.
"""

import hashlib
from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Any, assert_never

from deepchat_desktop.domain.blocks import ImageBlock
from deepchat_desktop.domain.prompt import (
    AssistantMessage,
    PromptMessage,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from deepchat_desktop.domain.turns import NO_RESULT
from deepchat_desktop.services.providers.openai_chat_profiles import Profile
from deepchat_desktop.services.providers.tool_names import wire_name
from deepchat_desktop.services.providers.wire_json import as_dict

IMAGE_NOT_SENT = "[A picture was left out: this model reads only text.]"
IMAGE_FOLLOWS = "[The picture follows in the next message.]"
IMAGES_OF_TOOLS = "The pictures that the tools returned:"

Wire = dict[str, Any]


class MessageWriter:
    """Writes the messages of one request. ``tools`` says whether the request declares any."""

    def __init__(self, profile: Profile, family: str, *, vision: bool, tools: bool) -> None:
        self._profile = profile
        self._family = family
        self._vision = vision and profile.images
        self._tools = tools

    def write(self, messages: Sequence[PromptMessage]) -> list[Wire]:
        """Return the messages as JSON values."""
        wire: list[Wire] = []
        todo = deque(messages)
        while todo:
            message = todo.popleft()
            match message:
                case SystemMessage():
                    wire.append({"role": self._profile.system_role, "content": message.text})
                case UserMessage():
                    wire.append(self._user(message.text, message.images))
                case AssistantMessage():
                    wire += self._round(message, _leading_results(todo))
                case ToolMessage():
                    pass  # a result without its call
                case _:
                    assert_never(message)
        return _alternating(wire) if self._profile.alternate else wire

    def _user(self, text: str, images: Sequence[ImageBlock]) -> Wire:
        if not images:
            return {"role": "user", "content": text}
        if not self._vision:
            notes = [IMAGE_NOT_SENT] * len(images)
            return {"role": "user", "content": "\n".join([text, *notes] if text else notes)}
        parts: list[Wire] = [{"type": "text", "text": text}] if text else []
        for image in images:
            address = f"data:{image.media_type};base64,{image.data}"
            parts.append({"type": "image_url", "image_url": {"url": address}})
        return {"role": "user", "content": parts}

    def _round(self, said: AssistantMessage, results: Sequence[ToolMessage]) -> list[Wire]:
        """Return an assistant message, the results of its calls in their order, and the results' pictures."""
        if not said.text.strip() and not said.calls:
            return []
        ids = self._ids([call.id for call in said.calls])
        wire = [self._assistant(said, ids)]
        waiting: defaultdict[str, deque[ToolMessage]] = defaultdict(deque)
        for result in results:
            waiting[result.call_id].append(result)
        images: list[ImageBlock] = []
        for call, wire_id in zip(said.calls, ids, strict=True):
            queue = waiting[call.id]
            found = queue.popleft() if queue else None
            wire.append({"role": "tool", "tool_call_id": wire_id, "content": self._result_text(found)})
            images += found.images if found is not None and self._vision else ()
        return [*wire, self._user(IMAGES_OF_TOOLS, images)] if images else wire

    def _result_text(self, result: ToolMessage | None) -> str:
        if result is None:
            return f"Error: {NO_RESULT}"
        note = IMAGE_FOLLOWS if self._vision else IMAGE_NOT_SENT
        return "\n".join([result.text, *[note] * len(result.images)]).lstrip("\n") if result.images else result.text

    def _assistant(self, said: AssistantMessage, ids: Sequence[str]) -> Wire:
        wire: Wire = {"role": "assistant", "content": said.text if said.text.strip() else None}
        if said.calls:
            wire["tool_calls"] = [
                {
                    "id": wire_id,
                    "type": "function",
                    "function": {"name": wire_name(call.name), "arguments": call.arguments_text or "{}"},
                }
                for call, wire_id in zip(said.calls, ids, strict=True)
            ]
        if self._profile.reasoning_back and (self._tools or said.calls):
            wire["reasoning_content"] = said.reasoning or ""
        for block in said.carry:
            if block.family == self._family:
                _give_back(wire, block.data)
        return wire

    def _ids(self, ids: Sequence[str]) -> list[str]:
        """Return the ids as they are, made different from each other and of the vendor's shape where it has one."""
        taken: list[str] = []
        for place, given in enumerate(ids):
            wire_id = given or f"call_{place}"
            if self._profile.nine_character_ids and not (len(wire_id) == 9 and wire_id.isascii() and wire_id.isalnum()):
                wire_id = _short_hash(wire_id)
            taken.append(wire_id if wire_id not in taken else _short_hash(f"{wire_id}#{place}"))
        return taken


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:9]


def _leading_results(todo: deque[PromptMessage]) -> list[ToolMessage]:
    results: list[ToolMessage] = []
    while todo and isinstance(head := todo[0], ToolMessage):
        results.append(head)
        todo.popleft()
    return results


def _give_back(wire: Wire, data: dict[str, Any]) -> None:
    """Put the opaque parts of an answer where they came from."""
    for name in ("reasoning_details", "extra_content"):
        if name in data:
            wire[name] = data[name]
    calls = wire.get("tool_calls", [])
    for place, part in as_dict(data.get("calls")).items():
        if place.isdigit() and int(place) < len(calls):
            calls[int(place)]["extra_content"] = part


def _alternating(wire: list[Wire]) -> list[Wire]:
    """Join user messages that meet."""
    joined: list[Wire] = []
    for message in wire:
        last = joined[-1] if joined else None
        if last is not None and last["role"] == message["role"] == "user":
            joined[-1] = {**last, "content": _joined(last["content"], message["content"])}
        else:
            joined.append(message)
    return joined


def _joined(first: str | list[Wire], second: str | list[Wire]) -> str | list[Wire]:
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    parts = [[{"type": "text", "text": side}] if isinstance(side, str) else side for side in (first, second)]
    return [*parts[0], *parts[1]]
