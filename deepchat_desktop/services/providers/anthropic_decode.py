"""Reads the answer of a messages server: a stream of typed events, or one JSON object instead.

Invariants: content blocks are kept whole, in their order, so that reasoning goes back byte for byte with what stood
around it; a block of an unknown type is kept and not shown; blocks that a provider runs itself are shown and never
run here; the answer ends with ``message_stop`` or an error, and is ``truncated_stream`` without one. A second
``message_start`` (streams that a gateway spliced) takes nothing back: only blocks that were still open are dropped.
"""

import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from deepchat_desktop.domain.stream import (
    CarryPart,
    ProviderEvent,
    ReasoningDelta,
    Stop,
    StreamError,
    TextDelta,
    ToolCallChunk,
    ToolCallEnd,
    ToolCallStart,
)
from deepchat_desktop.domain.tools import arguments_or_none
from deepchat_desktop.domain.usage import Usage
from deepchat_desktop.services.providers.sse import SseSplitter
from deepchat_desktop.services.providers.stream_decoder import StreamDecoder
from deepchat_desktop.services.providers.wire_errors import classify, error_event
from deepchat_desktop.services.providers.wire_json import as_count, as_dict, as_list, as_text

_BY_PROVIDER = frozenset({"server_tool_use", "mcp_tool_use"})
_CALLS = _BY_PROVIDER | {"tool_use"}
_PIECES = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
    "input_json_delta": "partial_json",
    "compaction_delta": "content",
}
_LENGTH = frozenset({"max_tokens", "model_context_window_exceeded"})


@dataclass(eq=False)
class _Block:
    key: str
    start: dict[str, Any]
    pieces: defaultdict[str, bytearray] = field(default_factory=lambda: defaultdict(bytearray))
    """What came in pieces, in UTF-8: a long answer comes in a million of them."""
    citations: list[Any] = field(default_factory=list)
    closed: bool = False

    @property
    def kind(self) -> str:
        return as_text(self.start.get("type"))

    def text(self, name: str) -> str:
        return as_text(self.start.get(name)) + _decoded(self.pieces.get(name, b""))

    @property
    def arguments_text(self) -> str:
        """Return the input as it was sent: in pieces, or whole at the start."""
        if given := self.pieces.get("partial_json"):
            return _decoded(given)
        return json.dumps(self.start.get("input") or {}, ensure_ascii=False)

    def whole(self) -> dict[str, Any]:
        """Return the block as the provider wants it back."""
        block = dict(self.start)
        for name in self.pieces.keys() - {"partial_json"}:
            block[name] = self.text(name)
        if self.citations:
            block["citations"] = [*as_list(self.start.get("citations")), *self.citations]
        if self.kind in _CALLS:
            block["input"] = arguments_or_none(self.arguments_text) or {}
        return block


class MessagesDecoder(StreamDecoder):
    """One answer."""

    def __init__(self, family: str = "generic") -> None:
        super().__init__(SseSplitter(), family)
        self._blocks: list[_Block] = []
        self._open: dict[int, _Block] = {}
        self._counts: dict[str, Any] = {}
        self._stop = ""
        self._begun = 0

    @property
    def told_end(self) -> bool:
        """Whether the server gave a stop reason."""
        return bool(self._stop)

    def _message(self, name: str, value: dict[str, Any]) -> list[ProviderEvent]:
        kind = as_text(value.get("type")) or name
        if kind == "error" or value.get("error"):
            return self._fail(classify(None, {}, value))
        index = value.get("index")
        place = index if isinstance(index, int) else 0
        match kind:
            case "message_start":
                return self._started(as_dict(value.get("message")))
            case "content_block_start":
                return self._begin(place, as_dict(value.get("content_block")))
            case "content_block_delta":
                return self._more(place, as_dict(value.get("delta")))
            case "content_block_stop":
                return self._close(place)
            case "message_delta":
                self._told_stop(as_dict(value.get("delta")), as_dict(value.get("usage")))
            case "message_stop":
                return self._finished(saw_done=True)
            case "message":
                return self._whole_answer(value)
            case _:
                pass
        return []

    def _whole_answer(self, message: dict[str, Any]) -> list[ProviderEvent]:
        events: list[ProviderEvent] = []
        for place, block in enumerate(as_list(message.get("content"))):
            events += [*self._begin(place, as_dict(block)), *self._close(place)]
        self._told_stop(message, as_dict(message.get("usage")))
        return events + self._finished(saw_done=True)

    def _started(self, message: dict[str, Any]) -> list[ProviderEvent]:
        dropped = list(self._open.values())
        self._blocks = [block for block in self._blocks if block not in dropped]
        self._open.clear()
        self._take_usage(as_dict(message.get("usage")))
        return [_ended(block, cut=True) for block in dropped if block.kind in _CALLS]

    def _begin(self, place: int, start: dict[str, Any]) -> list[ProviderEvent]:
        block = _Block(key=str(self._begun), start=start)
        self._begun += 1
        events = self._close(place)  # a server that begins a block where another stands open has ended that one
        self._blocks.append(block)
        self._open[place] = block
        return events + self._shown(block)

    def _shown(self, block: _Block) -> list[ProviderEvent]:
        start = block.start
        match block.kind:
            case "text":
                return _spoken(as_text(start.get("text")))
            case "thinking":
                return _thought(as_text(start.get("thinking")))
            case "tool_use" | "server_tool_use" | "mcp_tool_use":
                theirs = block.kind in _BY_PROVIDER
                call_id, name = as_text(start.get("id")), as_text(start.get("name"))
                return [ToolCallStart(key=block.key, id=call_id, name=name, by_provider=theirs)]
            case _:
                return []

    def _more(self, place: int, delta: dict[str, Any]) -> list[ProviderEvent]:
        block = self._open.get(place)
        if block is None:
            return []
        if "citation" in delta:
            block.citations.append(delta["citation"])
        name = _PIECES.get(as_text(delta.get("type")))
        if name is None:
            return []
        piece = as_text(delta.get(name))
        block.pieces[name] += piece.encode("utf-8", "surrogatepass")
        match name:
            case "text":
                return _spoken(piece)
            case "thinking":
                return _thought(piece)
            case "partial_json" if block.kind in _CALLS and piece:
                return [ToolCallChunk(key=block.key, text=piece)]
            case _:
                return []

    def _close(self, place: int) -> list[ProviderEvent]:
        block = self._open.pop(place, None)
        if block is None:
            return []
        block.closed = True
        # What the provider runs is done with here; our calls end when it is known that nothing cut them off.
        return [_ended(block, cut=False)] if block.kind in _BY_PROVIDER else []

    def _told_stop(self, delta: dict[str, Any], usage: dict[str, Any]) -> None:
        self._stop = as_text(delta.get("stop_reason")) or self._stop
        self._take_usage(usage)

    def _take_usage(self, usage: dict[str, Any]) -> None:
        """Take counts as they come: later ones replace, but not with the zeros of one that counts no input."""
        whole = as_count(usage.get("input_tokens")) > 0
        self._counts |= {name: value for name, value in usage.items() if whole or value or name not in self._counts}
        if usage:
            self._usage = usage_of(self._counts)

    def _end(self, *, saw_done: bool) -> list[ProviderEvent]:
        last = self._last(saw_done=saw_done)
        cut = isinstance(last, StreamError) or last.reason == "max_tokens"
        return [*([] if cut else self._carry(last)), *self._end_calls(cut=cut), last]

    def _last(self, *, saw_done: bool) -> Stop | StreamError:
        if not saw_done and not self._stop:
            return error_event("truncated_stream", "The connection ended in the middle of the answer.")
        if self._stop == "refusal":
            return error_event("refusal", "The model refused to answer.")
        if self._stop in _LENGTH:
            return Stop(reason="max_tokens", raw=self._stop)
        if self._stop == "pause_turn":
            return Stop(reason="complete", raw=self._stop, continue_turn=True)
        calls = any(block.kind == "tool_use" for block in self._blocks)
        return Stop(reason="tool_use" if calls else "complete", raw=self._stop)

    def _carry(self, last: Stop | StreamError) -> list[ProviderEvent]:
        """Return the answer's blocks if some must go back as they came; plain text and calls need not."""
        content = [block.whole() for block in self._blocks]
        plain = all(block.kind in ("text", "tool_use") for block in self._blocks)
        paused = isinstance(last, Stop) and last.continue_turn
        return [] if plain and not paused else [CarryPart(family=self._family, data={"content": content})]

    def _end_calls(self, *, cut: bool) -> list[ProviderEvent]:
        ours = [block for block in self._blocks if block.kind == "tool_use"]
        theirs = [block for block in self._open.values() if block.kind in _BY_PROVIDER]
        return [_ended(block, cut=cut or not block.closed) for block in (*theirs, *ours)]

    def _cut(self) -> list[ProviderEvent]:
        return self._end_calls(cut=True)


def usage_of(wire: dict[str, Any]) -> Usage:
    """Read a ``usage`` object: its input does not count what was read from or written to the cache."""
    cached = as_count(wire.get("cache_read_input_tokens"))
    given = as_count(wire.get("input_tokens"))
    details = as_dict(wire.get("output_tokens_details"))
    reasoning = as_count(details.get("thinking_tokens")) or as_count(wire.get("thinking_tokens"))
    written = as_count(wire.get("cache_creation_input_tokens"))
    output = as_count(wire.get("output_tokens"))
    return Usage(input=given + cached + written, output=output, cached=cached, cache_write=written, reasoning=reasoning)


def _spoken(text: str) -> list[ProviderEvent]:
    return [TextDelta(text=text)] if text else []


def _thought(text: str) -> list[ProviderEvent]:
    return [ReasoningDelta(text=text)] if text else []


def _ended(block: _Block, *, cut: bool) -> ToolCallEnd:
    text = block.arguments_text
    arguments = None if cut else arguments_or_none(text)
    call_id, name = as_text(block.start.get("id")), as_text(block.start.get("name"))
    return ToolCallEnd(
        key=block.key, id=call_id, name=name, arguments_text=text, arguments=arguments, complete=not cut
    )


def _decoded(text: bytes | bytearray) -> str:
    return text.decode("utf-8", "surrogatepass")
