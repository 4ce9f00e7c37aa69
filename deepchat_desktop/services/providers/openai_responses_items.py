"""The output items of a responses stream that are no text: calls of ours, calls that the provider runs, pictures.

An item is known by its place in the output; ids change between events on some servers. Our calls end when the
stream does: only then is it known whether the output limit cut them off. An item of an unknown type is shown as a
call of the provider's and never run.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from deepchat_desktop.domain.stream import ImagePart, ProviderEvent, ToolCallChunk, ToolCallEnd, ToolCallStart
from deepchat_desktop.domain.tools import arguments_or_none
from deepchat_desktop.services.providers.openai_chat_delta import RASTER_TYPES
from deepchat_desktop.services.providers.wire_json import as_text

_TEXTS = frozenset({"message", "reasoning"})
_OURS = frozenset({"function_call", "custom_tool_call"})
_NOT_SHOWN = frozenset({"id", "type", "status", "call_id", "result", "fingerprint", "encrypted_content"})


@dataclass(eq=False)
class _Call:
    key: str
    kind: str
    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    whole: str | None = None
    started: bool = False
    ended: bool = False

    @property
    def text(self) -> str:
        text = "".join(self.pieces) if self.whole is None else self.whole
        return json.dumps({"input": text}, ensure_ascii=False) if self.kind == "custom_tool_call" else text


class OutputItems:
    """The calls and pictures of one answer."""

    def __init__(self) -> None:
        self._calls: dict[str, _Call] = {}

    @property
    def ours(self) -> bool:
        """Whether there is a call that waits for us."""
        return any(call.started and call.kind in _OURS for call in self._calls.values())

    def take(self, place: str, item: dict[str, Any], *, done: bool) -> list[ProviderEvent]:
        """Take an item as it begins, or as it is at its end."""
        kind = as_text(item.get("type"))
        if not kind or kind in _TEXTS or kind.endswith("_output"):
            return []
        call = self._calls.setdefault(place, _Call(key=place, kind=kind))
        call.id = as_text(item.get("call_id")) or call.id
        if call.kind not in _OURS:
            call.name = call.kind
            return [*self._start(call), *(_provider_end(call, item) if done else [])]
        call.name = as_text(item.get("name")) or call.name
        given = as_text(item.get("arguments")) or as_text(item.get("input"))
        if done and given:
            call.whole = given
        return self._start(call)

    def arguments(self, place: str, piece: str, *, whole: bool) -> list[ProviderEvent]:
        """Take a piece of a call's arguments, or all of them."""
        call = self._calls.setdefault(place, _Call(key=place, kind="function_call"))
        if call.kind not in _OURS or call.ended or not piece:
            return []
        if whole:
            call.whole = piece
            return []
        call.pieces.append(piece)
        return [ToolCallChunk(key=call.key, text=piece)] if call.started else []

    def end(self, *, cut: bool) -> list[ProviderEvent]:
        """End all calls. ``cut`` says that the answer did not end by itself: then none of them may run."""
        events: list[ProviderEvent] = []
        for call in self._calls.values():
            if not call.started or call.ended:
                continue
            call.ended = True
            text = call.text if call.kind in _OURS else "{}"
            events.append(_end(call, text, complete=not cut))
        return events

    def _start(self, call: _Call) -> list[ProviderEvent]:
        if call.started or not call.name:
            return []
        call.started = True
        start = ToolCallStart(key=call.key, id=call.id, name=call.name, by_provider=call.kind not in _OURS)
        held = "".join(call.pieces)
        return [start, ToolCallChunk(key=call.key, text=held)] if held else [start]


def _provider_end(call: _Call, item: dict[str, Any]) -> list[ProviderEvent]:
    if call.ended:
        return []
    call.ended = True
    shown = {name: value for name, value in item.items() if name not in _NOT_SHOWN and value is not None}
    events: list[ProviderEvent] = [_end(call, json.dumps(shown, ensure_ascii=False), complete=True)]
    picture = as_text(item.get("result"))
    if call.kind == "image_generation_call" and picture:
        media_type = f"image/{as_text(item.get('output_format'))}"
        media_type = media_type if media_type in RASTER_TYPES else "image/png"
        events.append(ImagePart(media_type=media_type, data=picture))
    return events


def _end(call: _Call, text: str, *, complete: bool) -> ToolCallEnd:
    return ToolCallEnd(
        key=call.key,
        id=call.id,
        name=call.name,
        arguments_text=text,
        arguments=arguments_or_none(text) if complete else None,
        complete=complete,
    )
