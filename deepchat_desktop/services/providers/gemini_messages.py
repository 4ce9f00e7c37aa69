"""The ``contents`` of a Gemini request.

Invariants: all calls of a turn stand in one model content and all their responses, in the same order and number, in the
one user content after it; a response names an id only if the model gave one; a part with a signature goes back as it
came, at its place, only to the family it came from and only with the very calls it led to. A history of another model
has the documented stand-in for a signature where a model would miss it.
"""

from collections import defaultdict, deque
from collections.abc import Sequence

from deepchat_desktop.domain.blocks import ImageBlock
from deepchat_desktop.domain.prompt import AssistantMessage, PromptCall, PromptMessage, ToolMessage
from deepchat_desktop.domain.turns import NO_RESULT
from deepchat_desktop.services.providers.openai_chat_messages import IMAGE_NOT_SENT
from deepchat_desktop.services.providers.tool_names import wire_name
from deepchat_desktop.services.providers.turn_writer import TurnWriter, Wire
from deepchat_desktop.services.providers.wire_json import as_dict, as_list, as_text

NO_SIGNATURE = "skip_thought_signature_validator"


class ContentWriter(TurnWriter):
    """Writes the contents of one request.

    ``signed`` says whether a call needs a signature, ``nested`` whether a response may hold pictures.
    """

    def __init__(self, family: str, *, vision: bool, tools: bool, carry: bool, signed: bool, nested: bool) -> None:
        super().__init__(family, vision=vision, tools=tools, carry=carry)
        self._signed = signed
        self._nested = nested

    def contents(self, messages: Sequence[PromptMessage]) -> list[Wire]:
        """Return the messages as JSON values; system messages are none."""
        roles = {"user": "user", "assistant": "model"}
        return [{"role": roles[turn["role"]], "parts": turn["content"]} for turn in self.write(messages)]

    def text_block(self, text: str) -> Wire:
        return {"text": text}

    def image_block(self, image: ImageBlock) -> Wire:
        return {"inlineData": {"mimeType": image.media_type, "data": image.data}}

    def call_block(self, call: PromptCall, wire_id: str) -> Wire:
        return {"functionCall": {"name": wire_name(call.name), "args": call.arguments}}

    def result_block(self, wire_id: str, content: list[Wire], *, is_error: bool) -> Wire:
        raise AssertionError("a response is written with its call")

    def call_id(self, block: Wire) -> str | None:
        return as_text(as_dict(block["functionCall"]).get("id")) if "functionCall" in block else None

    def text_of(self, block: Wire) -> str | None:
        return as_text(block["text"]) if "text" in block and block.get("thought") is not True else None

    def _answer(self, said: AssistantMessage, ids: Sequence[str]) -> list[Wire]:
        parts = super()._answer(said, ids)
        first = next((part for part in parts if "functionCall" in part), None)
        if self._signed and first is not None and "thoughtSignature" not in first:
            return [{**part, "thoughtSignature": NO_SIGNATURE} if part is first else part for part in parts]
        return parts

    def _carried(self, said: AssistantMessage, ids: Sequence[str]) -> list[Wire]:
        """Return the answer as it came, if it is this family's and its calls are still the same."""
        if not self._carry or (ids and not self._tools):
            return []
        parts = self._own_parts(said)
        calls = [as_dict(part["functionCall"]) for part in parts if "functionCall" in part]
        told = "".join(self.text_of(part) or "" for part in parts)
        made = [(as_text(call.get("name")), as_dict(call.get("args"))) for call in calls]
        if made != [(wire_name(call.name), call.arguments) for call in said.calls] or told != said.text:
            return []
        return parts

    def _own_parts(self, said: AssistantMessage) -> list[Wire]:
        blocks = [block for block in said.carry if block.family == self._family]
        return [as_dict(part) for block in blocks for part in as_list(block.data.get("parts"))]

    def _results(self, said: AssistantMessage, ids: Sequence[str], results: Sequence[ToolMessage]) -> list[Wire]:
        if not self._tools:
            return super()._results(said, ids, results)
        waiting: defaultdict[str, deque[ToolMessage]] = defaultdict(deque)
        for result in results:
            waiting[result.call_id].append(result)
        given = [self.call_id(part) for part in self._carried(said, ids) if "functionCall" in part]
        responses, pictures = [], []
        for place, call in enumerate(said.calls):
            queue = waiting[call.id]
            missing = ToolMessage(call_id=call.id, name=call.name, text=NO_RESULT, is_error=True)
            named: Wire = {"id": given[place]} if given and given[place] else {}
            result = queue.popleft() if queue else missing
            response, beside = self._response({**named, "name": wire_name(call.name)}, result)
            responses.append(response)
            pictures += beside
        return [*responses, *pictures]

    def _response(self, named: Wire, result: ToolMessage) -> tuple[Wire, list[Wire]]:
        """Return the response to a call, and the pictures that have to stand after all responses."""
        text = result.text if self._vision else "\n".join([result.text, *[IMAGE_NOT_SENT] * len(result.images)]).strip()
        response = {**named, "response": {"error" if result.is_error else "result": text}}
        images = [self.image_block(image) for image in result.images] if self._vision else []
        if images and self._nested:
            return {"functionResponse": {**response, "parts": images}}, []
        return {"functionResponse": response}, images
