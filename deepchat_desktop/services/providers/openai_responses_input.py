"""The ``input`` items of a responses request.

Invariants: every call has exactly one output and no output comes without its call; the calls of a round stand
together and their outputs directly after them (DeepSeek refuses interleaved ones); no message is empty; reasoning
goes back verbatim, without ids, only to the family it came from and only with the very calls it led to.
"""

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
from deepchat_desktop.services.providers.openai_chat_messages import IMAGE_NOT_SENT
from deepchat_desktop.services.providers.tool_names import wire_name
from deepchat_desktop.services.providers.wire_json import as_dict, as_list, as_text

Wire = dict[str, Any]


class InputWriter:
    """Writes the items of one request. ``reasoning`` says whether reasoning goes back."""

    def __init__(self, family: str, *, vision: bool, reasoning: bool) -> None:
        self._family = family
        self._vision = vision
        self._reasoning = reasoning

    def write(self, messages: Sequence[PromptMessage]) -> list[Wire]:
        """Return the items as JSON values; system messages are none (see ``instructions_of``)."""
        wire: list[Wire] = []
        todo = deque(messages)
        while todo:
            message = todo.popleft()
            match message:
                case SystemMessage():
                    pass
                case UserMessage():
                    wire.append({"type": "message", "role": "user", "content": self._parts(message)})
                case AssistantMessage():
                    results: list[ToolMessage] = []
                    while todo and isinstance(head := todo[0], ToolMessage):
                        results.append(head)
                        todo.popleft()
                    wire += self._round(message, results)
                case ToolMessage():
                    pass  # a result without its call
                case _:
                    assert_never(message)
        return wire

    def _parts(self, said: UserMessage | ToolMessage) -> list[Wire]:
        parts: list[Wire] = [_text(said.text)] if said.text or not said.images else []
        return parts + [self._image(image) for image in said.images]

    def _image(self, image: ImageBlock) -> Wire:
        if not self._vision:
            return _text(IMAGE_NOT_SENT)
        return {"type": "input_image", "image_url": f"data:{image.media_type};base64,{image.data}"}

    def _round(self, said: AssistantMessage, results: Sequence[ToolMessage]) -> list[Wire]:
        ids = _different([call.id for call in said.calls])
        items = self._carried(said, ids) or _plain(said, ids)
        waiting: defaultdict[str, deque[ToolMessage]] = defaultdict(deque)
        for result in results:
            waiting[result.call_id].append(result)
        for call, wire_id in zip(said.calls, ids, strict=True):
            queue = waiting[call.id]
            output = self._output(queue.popleft()) if queue else f"Error: {NO_RESULT}"
            items.append({"type": "function_call_output", "call_id": wire_id, "output": output})
        return items

    def _output(self, result: ToolMessage) -> str | list[Wire]:
        if result.images and self._vision:
            return self._parts(result)
        return "\n".join([*([result.text] if result.text else []), *[IMAGE_NOT_SENT] * len(result.images)])

    def _carried(self, said: AssistantMessage, ids: Sequence[str]) -> list[Wire]:
        """Return the answer as it came, if it is ours and its calls are still the same; calls go last."""
        if not self._reasoning:
            return []
        blocks = [block for block in said.carry if block.family == self._family]
        items = [as_dict(item) for block in blocks for item in as_list(block.data.get("input"))]
        calls = [item for item in items if item.get("type") == "function_call"]
        if [as_text(item.get("call_id")) for item in calls] != list(ids):
            return []
        late = items.index(calls[0]) if calls else len(items)
        messages = [item for item in items[late:] if item.get("type") == "message"]
        rest = [item for item in items[late:] if item.get("type") != "message"]
        return [*items[:late], *messages, *rest]


def instructions_of(messages: Sequence[PromptMessage]) -> str:
    """Return the system texts as one."""
    return "\n\n".join(message.text for message in messages if isinstance(message, SystemMessage))


def _plain(said: AssistantMessage, ids: Sequence[str]) -> list[Wire]:
    items: list[Wire] = []
    if said.text.strip():
        content = [{"type": "output_text", "text": said.text}]
        items.append({"type": "message", "role": "assistant", "content": content})
    for call, wire_id in zip(said.calls, ids, strict=True):
        arguments = call.arguments_text or "{}"
        name = wire_name(call.name)
        items.append({"type": "function_call", "call_id": wire_id, "name": name, "arguments": arguments})
    return items


def _text(text: str) -> Wire:
    return {"type": "input_text", "text": text}


def _different(ids: Sequence[str]) -> list[str]:
    """Return the ids as they are, made different from each other and at most 64 characters long."""
    taken: list[str] = []
    for place, given in enumerate(ids):
        wire_id = given[:64] or f"call_{place}"
        taken.append(wire_id if wire_id not in taken else f"{wire_id[:56]}_{place}")
    return taken
