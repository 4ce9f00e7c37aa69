"""Reads the answer of a responses server: a stream of typed events, or one JSON object instead.

Invariants: items are known by ``output_index``; an item's end holds the truth about it; the answer ends with
``response.completed``, ``incomplete``, ``failed`` or an error, and is ``truncated_stream`` without one. Reasoning
that must go back is kept together with what followed it, without ids (nothing is stored on the server).
"""

from typing import Any

from deepchat_desktop.domain.stream import CarryPart, ProviderEvent, Stop, StreamError
from deepchat_desktop.services.providers.openai_chat_finish import usage_of
from deepchat_desktop.services.providers.openai_responses_items import OutputItems
from deepchat_desktop.services.providers.openai_responses_text import Channel, PartTexts
from deepchat_desktop.services.providers.sse import SseSplitter
from deepchat_desktop.services.providers.stream_decoder import StreamDecoder
from deepchat_desktop.services.providers.wire_errors import classify, error_event
from deepchat_desktop.services.providers.wire_json import as_dict, as_list, as_text

_TEXTS: dict[str, Channel] = {
    "response.output_text": "text",
    "response.refusal": "text",
    "response.reasoning_summary_text": "summary",
    "response.reasoning_text": "thought",
}
_ARGUMENTS = frozenset({"response.function_call_arguments", "response.custom_tool_call_input"})
_TERMINAL = frozenset({"response.completed", "response.incomplete", "response.failed", "response.cancelled"})
_CARRIED: dict[str, tuple[str, ...]] = {
    "reasoning": ("type", "encrypted_content", "summary", "content"),
    "message": ("type", "role", "content", "phase"),
    "function_call": ("type", "call_id", "name", "arguments"),
}


class ResponsesDecoder(StreamDecoder):
    """One answer."""

    def __init__(self, family: str = "generic") -> None:
        super().__init__(SseSplitter(), family)
        self._texts = PartTexts()
        self._items = OutputItems()
        self._seen: set[str] = set()
        self._whole: dict[str, dict[str, Any]] = {}
        self._refusal = False
        self._last: Stop | StreamError | None = None

    def _message(self, name: str, value: dict[str, Any]) -> list[ProviderEvent]:
        kind = as_text(value.get("type")) or name
        if kind == "error" or (value.get("error") and not kind.startswith("response.") and "output" not in value):
            return self._fail(classify(None, {}, value))
        if kind in _TERMINAL:
            return self._terminal(as_dict(value.get("response")))
        if "output" in value and not kind.startswith("response."):
            return self._terminal(value)
        place = _place(value)
        head, _, stage = kind.rpartition(".")
        if channel := _TEXTS.get(head):
            return self._text(head, channel, place, value, done=stage == "done")
        if head in _ARGUMENTS:
            piece = as_text(value.get("delta")) or as_text(value.get("arguments")) or as_text(value.get("input"))
            return self._items.arguments(place, piece, whole=stage == "done")
        if head == "response.output_item":
            return self._item(place, as_dict(value.get("item")), done=stage == "done")
        return []

    def _text(
        self, head: str, channel: Channel, place: str, value: dict[str, Any], *, done: bool
    ) -> list[ProviderEvent]:
        self._seen.add(place)
        self._refusal = self._refusal or head == "response.refusal"
        number = value.get("summary_index" if channel == "summary" else "content_index")
        where = (place, channel, number if isinstance(number, int) else 0)
        if done:
            return self._texts.whole(where, as_text(value.get("text")) or as_text(value.get("refusal")))
        return self._texts.more(where, as_text(value.get("delta")))

    def _item(self, place: str, item: dict[str, Any], *, done: bool) -> list[ProviderEvent]:
        self._seen.add(place)
        events = self._texts.flush() if as_text(item.get("type")) not in ("message", "reasoning") else []
        if done:
            self._keep(place, item)
            events += self._whole_texts(place, item)
        return events + self._items.take(place, item, done=done)

    def _whole_texts(self, place: str, item: dict[str, Any]) -> list[ProviderEvent]:
        """Return what an item's end says that its pieces did not."""
        thinks = item.get("type") == "reasoning"
        if not thinks and item.get("type") != "message":
            return []
        events: list[ProviderEvent] = []
        for number, part in enumerate(map(as_dict, as_list(item.get("summary")))):
            events += self._texts.whole((place, "summary", number), as_text(part.get("text")))
        for number, part in enumerate(map(as_dict, as_list(item.get("content")))):
            refusal = as_text(part.get("refusal"))
            self._refusal = self._refusal or bool(refusal)
            where: Channel = "thought" if thinks else "text"
            events += self._texts.whole((place, where, number), as_text(part.get("text")) or refusal)
        return events

    def _keep(self, place: str, item: dict[str, Any]) -> None:
        """Keep what must go back with the reasoning."""
        fields = _CARRIED.get(as_text(item.get("type")))
        if fields:
            self._whole[place] = {name: item[name] for name in fields if name in item}

    def _terminal(self, response: dict[str, Any]) -> list[ProviderEvent]:
        if usage := as_dict(response.get("usage")):
            self._usage = usage_of(usage)
        events: list[ProviderEvent] = []
        if not self._seen:  # a server that tells nothing before its end
            for number, item in enumerate(map(as_dict, as_list(response.get("output")))):
                events += self._item(str(number), item, done=True)
        self._last = _last_event(response)
        return events + self._finished(saw_done=True)

    def _end(self, *, saw_done: bool) -> list[ProviderEvent]:
        events = self._texts.flush()
        last = self._last
        if last is None and not saw_done:
            last = error_event("truncated_stream", "The connection ended in the middle of the answer.")
        if isinstance(last, StreamError):
            return [*events, *self._items.end(cut=True), last]
        cut = last is not None and last.reason == "max_tokens"
        reason = "max_tokens" if cut else "tool_use" if self._items.ours else "complete"
        carry = [] if cut else self._carry()
        raw = last.raw if last is not None else ""
        return [*events, *carry, *self._items.end(cut=cut), Stop(reason=reason, raw=raw, refusal=self._refusal)]

    def _cut(self) -> list[ProviderEvent]:
        return [*self._texts.flush(), *self._items.end(cut=True)]

    def _carry(self) -> list[ProviderEvent]:
        """Return the answer's items if there is reasoning among them that the provider can read again."""
        items = [item for item in self._whole.values() if item["type"] != "reasoning" or _readable(item)]
        if not any(item["type"] == "reasoning" for item in items):
            return []
        return [CarryPart(family=self._family, data={"input": items})]


def _place(value: dict[str, Any]) -> str:
    index = value.get("output_index")
    return str(index) if isinstance(index, int) else as_text(value.get("item_id")) or "0"


def _readable(reasoning: dict[str, Any]) -> bool:
    return bool(reasoning.get("encrypted_content") or reasoning.get("content"))


def _last_event(response: dict[str, Any]) -> Stop | StreamError:
    """Return what the end of a response means, before it is known whether there are calls."""
    status = as_text(response.get("status"))
    if response.get("error"):
        return classify(None, {}, {"error": response["error"]})
    if status in ("failed", "cancelled"):
        return error_event("server", "The provider failed while it was answering.")
    if status != "incomplete":
        return Stop(reason="complete", raw=status)
    why = as_text(as_dict(response.get("incomplete_details")).get("reason"))
    if why == "content_filter":
        return error_event("content_filter", "The provider's content filter ended the answer.")
    return Stop(reason="max_tokens", raw=f"incomplete:{why}")
