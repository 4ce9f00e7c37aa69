"""Reads the answer of Ollama's native chat: one JSON object a line.

Invariants: calls come whole and are never taken for twins, however alike they are; one without an id gets one of its
own; the answer ends with ``done`` or an error line, and is ``truncated_stream`` without one. Thinking that a server
leaves in the content stays where it is.
"""

import json
from typing import Any, ClassVar

from deepchat_desktop.domain.stream import (
    ProviderEvent,
    ReasoningDelta,
    Stop,
    TextDelta,
    ToolCallEnd,
    ToolCallStart,
)
from deepchat_desktop.domain.tools import arguments_or_none
from deepchat_desktop.domain.usage import Usage
from deepchat_desktop.services.providers.ndjson import LineSplitter
from deepchat_desktop.services.providers.stream_decoder import StreamDecoder
from deepchat_desktop.services.providers.wire_errors import classify, error_event
from deepchat_desktop.services.providers.wire_json import as_count, as_dict, as_list, as_text

_CUT = frozenset({"length"})


class OllamaDecoder(StreamDecoder):
    """One answer."""

    whole_leads: ClassVar[bytes] = b"[<"

    def __init__(self, family: str = "generic") -> None:
        super().__init__(LineSplitter(), family)
        self._calls: list[ToolCallEnd] = []
        self._done: str | None = None

    def _message(self, name: str, value: dict[str, Any]) -> list[ProviderEvent]:
        if value.get("error"):
            return self._fail(classify(None, {}, value))
        message = as_dict(value.get("message"))
        events: list[ProviderEvent] = []
        if thinking := as_text(message.get("thinking")):
            events.append(ReasoningDelta(text=thinking))
        if text := as_text(message.get("content")):
            events.append(TextDelta(text=text))
        for item in map(as_dict, as_list(message.get("tool_calls"))):
            events += self._call(item)
        if value.get("done") is True:
            self._done = as_text(value.get("done_reason")) or "stop"
            self._usage = Usage(
                input=as_count(value.get("prompt_eval_count")), output=as_count(value.get("eval_count"))
            )
            return events + self._finished(saw_done=True)
        return events

    def _call(self, item: dict[str, Any]) -> list[ProviderEvent]:
        function = as_dict(item.get("function"))
        given = function.get("arguments")
        text = given if isinstance(given, str) else json.dumps(given or {}, ensure_ascii=False)
        key = str(len(self._calls))
        call_id, name = as_text(item.get("id")) or f"call_{key}", as_text(function.get("name"))
        arguments = arguments_or_none(text)
        self._calls.append(ToolCallEnd(key=key, id=call_id, name=name, arguments_text=text, arguments=arguments))
        return [ToolCallStart(key=key, id=call_id, name=name)]

    def _end(self, *, saw_done: bool) -> list[ProviderEvent]:
        if self._done is None:
            return [*self._cut(), error_event("truncated_stream", "The connection ended in the middle of the answer.")]
        if self._done in _CUT:
            return [*self._cut(), Stop(reason="max_tokens", raw=self._done)]
        return [*self._calls, Stop(reason="tool_use" if self._calls else "complete", raw=self._done)]

    def _cut(self) -> list[ProviderEvent]:
        return [call.model_copy(update={"complete": False, "arguments": None}) for call in self._calls]
