"""Reads the answer of Gemini's ``streamGenerateContent``: events, or one JSON array, or one object.

Invariants: only the first candidate counts; the answer goes to the end of the body, since a reason to stop may stand in
the middle of it; calls that are there decide, whatever the reason says; counts replace, each for itself; parts that the
server carried out itself are shown and never run here. What has a signature is kept with all that stands around it.
"""

import json
from dataclasses import dataclass, field
from typing import Any, ClassVar

from deepchat_desktop.domain.stream import (
    CarryPart,
    ImagePart,
    ProviderEvent,
    ReasoningDelta,
    Stop,
    StreamError,
    TextDelta,
    ToolCallEnd,
    ToolCallStart,
)
from deepchat_desktop.domain.tools import InvalidArguments, parse_arguments
from deepchat_desktop.domain.usage import Usage
from deepchat_desktop.services.providers.gemini_args import PartialArguments
from deepchat_desktop.services.providers.gemini_finish import failure_of, is_cut
from deepchat_desktop.services.providers.json_array import SseOrArraySplitter
from deepchat_desktop.services.providers.stream_decoder import StreamDecoder
from deepchat_desktop.services.providers.wire_errors import classify, error_event
from deepchat_desktop.services.providers.wire_json import as_count, as_dict, as_list, as_text

SERVER_PARTS = ("executableCode", "codeExecutionResult", "toolCall", "toolResponse")
_IMAGES = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
Part = dict[str, Any]


@dataclass(eq=False)
class _Call:
    key: str
    part: Part
    pieces: PartialArguments | None = None
    closed: bool = True
    args: Any = field(default_factory=dict)

    @property
    def given(self) -> dict[str, Any]:
        return as_dict(self.part.get("functionCall"))


class GeminiDecoder(StreamDecoder):
    """One answer."""

    whole_leads: ClassVar[bytes] = b"{<"

    def __init__(self, family: str = "generic") -> None:
        super().__init__(SseOrArraySplitter(), family)
        self._calls: list[_Call] = []
        self._kept: list[Part] = []
        self._theirs = 0
        self._finish: str | None = None
        self._why = ""
        self._at_end = False
        self._counts: dict[str, Any] = {}

    @property
    def told_end(self) -> bool:
        """Whether the newest message said why the server stopped, and not in the middle of its own tools."""
        return self._at_end

    def _message(self, name: str, value: dict[str, Any]) -> list[ProviderEvent]:
        if value.get("error"):
            return self._fail(classify(None, {}, value))
        self._count(as_dict(value.get("usageMetadata")))
        candidates = [as_dict(item) for item in as_list(value.get("candidates"))]
        first = next((item for item in candidates if not as_count(item.get("index"))), None)
        if first is None:
            blocked = as_text(as_dict(value.get("promptFeedback")).get("blockReason"))
            words = f"The provider blocked the request: {blocked}."
            return self._fail(error_event("content_filter", words)) if blocked else []
        parts = [as_dict(part) for part in as_list(as_dict(first.get("content")).get("parts"))]
        finish = as_text(first.get("finishReason"))
        self._finish = finish or self._finish
        self._why = as_text(first.get("finishMessage")) or self._why
        self._at_end = bool(finish) and not any(name in part for part in parts for name in SERVER_PARTS)
        return [event for part in parts for event in self._part(part)]

    def _count(self, counts: dict[str, Any]) -> None:
        self._counts |= {name: as_count(value) for name, value in counts.items() if name.endswith("TokenCount")}
        if self._counts:
            told = self._counts.get
            self._usage = Usage(
                input=told("promptTokenCount", 0) + told("toolUsePromptTokenCount", 0),
                output=told("candidatesTokenCount", 0) + told("thoughtsTokenCount", 0),
                cached=told("cachedContentTokenCount", 0),
                reasoning=told("thoughtsTokenCount", 0),
            )

    def _part(self, part: Part) -> list[ProviderEvent]:
        if isinstance(part.get("functionCall"), dict):
            return self._called(part)
        self._keep(part)
        if text := as_text(part.get("text")):
            return [ReasoningDelta(text=text) if part.get("thought") is True else TextDelta(text=text)]
        if (server := next((name for name in SERVER_PARTS if isinstance(part.get(name), dict)), None)) is not None:
            return self._carried_out(server, part[server])
        data = as_dict(part.get("inlineData"))
        kind, picture = as_text(data.get("mimeType")), as_text(data.get("data"))
        # A picture within the thoughts is a draft of the one that follows.
        shown = picture and kind in _IMAGES and part.get("thought") is not True
        return [ImagePart(media_type=kind, data=picture)] if shown else []

    def _keep(self, part: Part) -> None:
        """Keep a part that may have to go back; pieces of text without a signature become one part."""
        signed = "thoughtSignature" in part
        if part.get("thought") is True and not signed:
            return
        last = self._kept[-1] if self._kept else {}
        if not signed and part.keys() == last.keys() == {"text"}:
            self._kept[-1] = {"text": as_text(last["text"]) + as_text(part["text"])}
        elif signed or as_text(part.get("text")) or any(name in part for name in SERVER_PARTS):
            self._kept.append(part)

    def _called(self, part: Part) -> list[ProviderEvent]:
        given = as_dict(part["functionCall"])
        name, last = as_text(given.get("name")), self._calls[-1] if self._calls else None
        goes_on = given.get("willContinue") is True
        if not name:
            if last is not None and not last.closed and last.pieces is not None:
                last.pieces.take(as_list(given.get("partialArgs")))
                last.closed = not goes_on
            return []
        call = _Call(key=str(len(self._calls)), part=part, args=given.get("args") or {})
        if goes_on or "partialArgs" in given:
            call.pieces, call.closed = PartialArguments(), not goes_on
            call.pieces.take(as_list(given.get("partialArgs")))
        self._calls.append(call)
        self._kept.append(part)
        return [ToolCallStart(key=call.key, id=as_text(given.get("id")), name=name)]

    def _carried_out(self, name: str, told: dict[str, Any]) -> list[ProviderEvent]:
        key, call_id = f"server {self._theirs}", as_text(told.get("id"))
        self._theirs += 1
        text = json.dumps(told, ensure_ascii=False)
        return [
            ToolCallStart(key=key, id=call_id, name=name, by_provider=True),
            ToolCallEnd(key=key, id=call_id, name=name, arguments_text=text, arguments=told),
        ]

    def _end(self, *, saw_done: bool) -> list[ProviderEvent]:
        if (failure := self._failure(saw_done=saw_done)) is not None:
            return [*self._cut(), failure]
        if is_cut(self._finish):
            return [*self._cut(), Stop(reason="max_tokens", raw=self._finish or "")]
        ends = [_end_of(call) for call in self._calls]
        reason: Any = "tool_use" if any(end.complete for end in ends) else "complete"
        return [*ends, *self._carry(ends), Stop(reason=reason, raw=self._finish or "")]

    def _failure(self, *, saw_done: bool) -> StreamError | None:
        if self._finish is None:
            text = "The connection ended in the middle of the answer."
            return None if saw_done else error_event("truncated_stream", text)
        return failure_of(self._finish, self._why)

    def _carry(self, ends: list[ToolCallEnd]) -> list[ProviderEvent]:
        """Return what goes back verbatim, if anything of it is more than its text and its calls."""
        if not any("thoughtSignature" in part or _server_part(part) or _has_id(part) for part in self._kept):
            return []
        whole = {id(call.part): end.arguments for call, end in zip(self._calls, ends, strict=True) if call.pieces}
        parts = [_assembled(part, whole[id(part)]) if id(part) in whole else part for part in self._kept]
        return [CarryPart(family=self._family, data={"role": "model", "parts": parts})]

    def _cut(self) -> list[ProviderEvent]:
        return [_end_of(call).model_copy(update={"complete": False, "arguments": None}) for call in self._calls]


def _end_of(call: _Call) -> ToolCallEnd:
    args = call.args if call.pieces is None else call.pieces.whole()
    text = args if isinstance(args, str) else json.dumps({} if args is None else args, ensure_ascii=False)
    try:
        arguments = None if args is None else parse_arguments(text)
    except InvalidArguments:
        arguments = None
    call_id, name = as_text(call.given.get("id")), as_text(call.given.get("name"))
    ready = call.closed
    return ToolCallEnd(
        key=call.key, id=call_id, name=name, arguments_text=text, arguments=arguments if ready else None, complete=ready
    )


def _server_part(part: Part) -> bool:
    return any(name in part for name in SERVER_PARTS)


def _has_id(part: Part) -> bool:
    return bool(as_text(as_dict(part.get("functionCall")).get("id")))


def _assembled(part: Part, args: dict[str, Any] | None) -> Part:
    """Return a call that came in pieces as a call that came whole."""
    call = {name: value for name, value in part["functionCall"].items() if name not in ("willContinue", "partialArgs")}
    return {**part, "functionCall": {**call, "args": args or {}}}
