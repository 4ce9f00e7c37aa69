"""Puts tool calls together from the fragments of a chat-completions stream.

A fragment belongs to the call with its index; another non-empty id at the same index is another call; without
an index an id opens a call and no id continues the last. Id and name are only ever replaced by non-empty ones.
Calls end when the stream does: only then is it known whether the output limit cut them off.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from deepchat_desktop.domain.stream import ProviderEvent, ToolCallChunk, ToolCallEnd, ToolCallStart
from deepchat_desktop.domain.tools import InvalidArguments, parse_arguments
from deepchat_desktop.services.providers.wire_json import as_dict, as_text


@dataclass
class _Call:
    key: str
    index: int | None
    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    started: bool = False

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class CallAssembler:
    """The calls of one answer, in the order in which they began. ``extra`` are their vendor parts by position."""

    def __init__(self) -> None:
        self.extra: dict[int, dict[str, Any]] = {}
        self._calls: list[_Call] = []

    def __bool__(self) -> bool:
        return any(call.started for call in self._calls)

    def take(self, fragment: dict[str, Any]) -> list[ProviderEvent]:
        """Take one element of ``delta.tool_calls``."""
        function = as_dict(fragment.get("function"))
        call_id, name = as_text(fragment.get("id")), as_text(function.get("name"))
        call = self._find(fragment.get("index"), call_id, name)
        call.id = call_id or call.id
        call.name = name or call.name
        if extra := as_dict(fragment.get("extra_content")):
            self.extra[int(call.key)] = extra
        piece = _argument_piece(function.get("arguments"))
        if piece:
            call.pieces.append(piece)
        return _announce(call, piece)

    def end(self, *, cut: bool) -> list[ProviderEvent]:
        """End all calls. ``cut`` says that the answer did not end by itself: then none of them may run."""
        return [_ended(call, cut=cut) for call in self._calls if call.started]

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
    return name != known.name or _parsed(known.text or "?") is not None


def _argument_piece(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict | list) and value:
        return json.dumps(value, ensure_ascii=False)
    return ""


def _announce(call: _Call, piece: str) -> list[ProviderEvent]:
    """Return the start as soon as the name is known, with all that was held back until then."""
    if not call.name:
        return []
    events: list[ProviderEvent] = []
    if not call.started:
        call.started = True
        events.append(ToolCallStart(key=call.key, id=call.id, name=call.name))
        piece = call.text
    if piece:
        events.append(ToolCallChunk(key=call.key, text=piece))
    return events


def _ended(call: _Call, *, cut: bool) -> ToolCallEnd:
    text = call.text
    arguments = None if cut else _parsed(text)
    if arguments is None and not cut and (first := _first_of_twins(text)) is not None:
        text, arguments = first, _parsed(first)
    return ToolCallEnd(
        key=call.key, id=call.id, name=call.name, arguments_text=text, arguments=arguments, complete=not cut
    )


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return parse_arguments(text)
    except InvalidArguments:
        return None


def _first_of_twins(text: str) -> str | None:
    """Return the first half of an object that was sent twice in a row (vLLM's parsers flush it again)."""
    try:
        _, end = json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return None
    first, second = text.lstrip()[:end], text.lstrip()[end:]
    left, right = _parsed(first), _parsed(second)
    return first if left and left == right else None
