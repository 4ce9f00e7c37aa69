"""Reads one ``delta`` (or ``message``) of a chat completion: text, reasoning, pictures, calls, vendor parts.

Reasoning comes under three names, some servers send it twice; the first that has text counts. Opaque parts
(``reasoning_details``, ``extra_content``) are kept apart to be sent back as they came.
"""

from typing import Any

from deepchat_desktop.domain.stream import ImagePart, ProviderEvent, ReasoningDelta, TextDelta
from deepchat_desktop.services.providers.openai_chat_calls import CallAssembler
from deepchat_desktop.services.providers.think_tags import Piece, ThinkSplitter
from deepchat_desktop.services.providers.wire_json import as_dict, as_list, as_text

RASTER_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")


class DeltaReader:
    """The state that the deltas of one answer share."""

    def __init__(self) -> None:
        self.calls = CallAssembler()
        self.refusal = False
        self._think = ThinkSplitter()
        self._details: list[dict[str, Any]] = []
        self._extra: dict[str, Any] = {}

    def read(self, delta: dict[str, Any]) -> list[ProviderEvent]:
        """Take one delta."""
        if not delta:
            return []
        events: list[ProviderEvent] = []
        if reasoning := self._reasoning(delta):
            events += [*self.flush(), ReasoningDelta(text=reasoning)]
        events += self._content(delta.get("content"))
        if refusal := as_text(delta.get("refusal")):
            self.refusal = True
            events += [*self.flush(), TextDelta(text=refusal)]
        for image in as_list(delta.get("images")):
            events += _image(as_dict(image))
        if extra := as_dict(delta.get("extra_content")):
            self._extra.update(extra)
        return events + self._tool_calls(delta)

    def flush(self) -> list[ProviderEvent]:
        """Hand out what was held back as a possible tag."""
        return _spoken(self._think.flush())

    def carry(self) -> dict[str, Any]:
        """Return the opaque parts of the whole answer; empty if there are none.

        ``calls`` maps a call's position in the answer (a string, since this becomes JSON) to its part.
        """
        parts: dict[str, Any] = {}
        if self._details:
            parts["reasoning_details"] = self._details
        if self._extra:
            parts["extra_content"] = self._extra
        if extras := self.calls.extras():
            parts["calls"] = extras
        return parts

    def _reasoning(self, delta: dict[str, Any]) -> str:
        details = [as_dict(item) for item in as_list(delta.get("reasoning_details"))]
        for detail in details:
            _merge_detail(self._details, detail)
        return (
            as_text(delta.get("reasoning_content"))
            or as_text(delta.get("reasoning"))
            or "".join(as_text(detail.get("text")) or as_text(detail.get("summary")) for detail in details)
        )

    def _content(self, content: object) -> list[ProviderEvent]:
        if isinstance(content, str):
            return _spoken(self._think.feed(content)) if content else []
        events: list[ProviderEvent] = []
        for item in as_list(content):
            part = as_dict(item)
            if part.get("type") == "thinking":
                text = _thinking_text(part.get("thinking"))
                events += [*self.flush(), ReasoningDelta(text=text)] if text else []
            elif part.get("type") == "image_url":
                events += _image(part)
            elif text := as_text(part.get("text")):
                events += _spoken(self._think.feed(text))
        return events

    def _tool_calls(self, delta: dict[str, Any]) -> list[ProviderEvent]:
        fragments = [as_dict(item) for item in as_list(delta.get("tool_calls"))]
        if not fragments and (old := as_dict(delta.get("function_call"))):
            fragments = [{"index": 0, "function": old}]
        events: list[ProviderEvent] = []
        for fragment in fragments:
            if fragment:
                events += self.calls.take(fragment)
        return [*self.flush(), *events] if events else []


def _spoken(pieces: list[Piece]) -> list[ProviderEvent]:
    return [TextDelta(text=text) if kind == "text" else ReasoningDelta(text=text) for kind, text in pieces]


def _thinking_text(value: object) -> str:
    if isinstance(value, str):
        return value
    return "".join(as_text(as_dict(part).get("text")) for part in as_list(value))


def _image(part: dict[str, Any]) -> list[ProviderEvent]:
    """Return the picture of a data URI; other addresses are not fetched."""
    url = part.get("image_url")
    address = as_text(as_dict(url).get("url")) or as_text(url)
    head, comma, data = address.partition(";base64,")
    media_type = head.removeprefix("data:").lower()
    if not head.startswith("data:") or not comma or media_type not in RASTER_TYPES:
        return []
    return [ImagePart(media_type=media_type, data=data)]


def _merge_detail(details: list[dict[str, Any]], fresh: dict[str, Any]) -> None:
    """Add a piece of ``reasoning_details``: the texts of one entry grow, its other fields are replaced."""
    if not fresh:
        return
    last = details[-1] if details else None
    if last is None or (last.get("type"), last.get("index")) != (fresh.get("type"), fresh.get("index")):
        details.append(dict(fresh))
        return
    for name, value in fresh.items():
        if name in ("text", "summary", "data") and isinstance(value, str) and isinstance(last.get(name), str):
            last[name] += value
        elif value is not None or name not in last:
            last[name] = value
