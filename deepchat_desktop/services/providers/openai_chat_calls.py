"""Puts tool calls together from the fragments of a chat-completions stream.

A fragment belongs to the call with its index; another non-empty id at the same index is another call; without
an index an id opens a call and no id continues the last. Id and name are only ever replaced by non-empty ones.
Calls end when the stream does: only then is it known whether the output limit cut them off.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from deepchat_desktop.domain.stream import ProviderEvent, ToolCallChunk, ToolCallEnd, ToolCallStart
from deepchat_desktop.domain.tools import arguments_or_none
from deepchat_desktop.services.providers.wire_json import as_dict, as_text


@dataclass(eq=False)
class _Call:
    key: str
    index: int | None
    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class CallAssembler:
    """The calls of one answer. A call starts when its name is known; one that never gets a name is dropped."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._started: list[_Call] = []

    def __bool__(self) -> bool:
        return bool(self._started)

    def take(self, fragment: dict[str, Any]) -> list[ProviderEvent]:
        """Take one element of ``delta.tool_calls``."""
        function = as_dict(fragment.get("function"))
        call_id, name = as_text(fragment.get("id")), as_text(function.get("name"))
        call = self._find(fragment.get("index"), call_id, name)
        call.id = call_id or call.id
        call.name = name or call.name
        if extra := as_dict(fragment.get("extra_content")):
            call.extra = extra
        piece = _argument_piece(function.get("arguments"))
        if piece:
            call.pieces.append(piece)
        return self._announce(call, piece)

    def extras(self) -> dict[str, dict[str, Any]]:
        """Return the vendor parts of the calls by position (as text, since this becomes JSON)."""
        return {str(place): call.extra for place, call in enumerate(self._started) if call.extra}

    def end(self, *, cut: bool) -> list[ProviderEvent]:
        """End all calls. ``cut`` says that the answer did not end by itself: then none of them may run."""
        return [_ended(call, cut=cut) for call in self._started]

    def _announce(self, call: _Call, piece: str) -> list[ProviderEvent]:
        """Return the start as soon as the name is known, with all that was held back until then."""
        if not call.name:
            return []
        events: list[ProviderEvent] = []
        if call not in self._started:
            self._started.append(call)
            events.append(ToolCallStart(key=call.key, id=call.id, name=call.name))
            piece = call.text
        if piece:
            events.append(ToolCallChunk(key=call.key, text=piece))
        return events

    def _find(self, index: object, call_id: str, name: str) -> _Call:
        place = index if isinstance(index, int) and not isinstance(index, bool) else None
        known = self._known(place, call_id)
        if known is None or _opens_another(known, place, call_id, name):
            known = _Call(key=str(len(self._calls)), index=place)
            self._calls.append(known)
        return known

    def _known(self, place: int | None, call_id: str) -> _Call | None:
        if place is not None:
            return next((call for call in reversed(self._calls) if call.index == place), None)
        if call_id:
            return next((call for call in self._calls if call.id == call_id), None)
        return self._calls[-1] if self._calls else None


def _opens_another(known: _Call, place: int | None, call_id: str, name: str) -> bool:
    if call_id and known.id:
        return place is not None and call_id != known.id
    # Servers that give neither index nor id (or one index to all) name each call; it is a new one only if
    # the last is whole, since others repeat the name with every fragment.
    if call_id or known.id or not name or not known.name:
        return False
    return name != known.name or arguments_or_none(known.text or "?") is not None


def _argument_piece(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict | list) and value:
        return json.dumps(value, ensure_ascii=False)
    return ""


def _ended(call: _Call, *, cut: bool) -> ToolCallEnd:
    text = call.text
    arguments = None if cut else arguments_or_none(text)
    if arguments is None and not cut and (first := _first_of_twins(text)) is not None:
        text, arguments = first, arguments_or_none(first)
    return ToolCallEnd(
        key=call.key, id=call.id, name=call.name, arguments_text=text, arguments=arguments, complete=not cut
    )


def _first_of_twins(text: str) -> str | None:
    """Return the first half of an object that was sent twice in a row (vLLM's parsers flush it again)."""
    try:
        _, end = json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return None
    first, second = text.lstrip()[:end], text.lstrip()[end:]
    left, right = arguments_or_none(first), arguments_or_none(second)
    return first if left and left == right else None
