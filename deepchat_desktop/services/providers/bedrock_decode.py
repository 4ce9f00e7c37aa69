"""Reads the answer of Bedrock's Converse API: a stream of binary events, or one JSON object instead.

Invariants: a block of text may begin without a start; calls that the provider ran itself are shown and never run here;
calls that are there decide, whatever reason the end gives; the answer ends with ``messageStop`` (usage follows it) or
an error, and is ``truncated_stream`` without one. Signed reasoning is kept with all that stood around it.
"""

import base64
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
from deepchat_desktop.services.providers.eventstream import DAMAGED, EventStreamSplitter
from deepchat_desktop.services.providers.stream_decoder import StreamDecoder
from deepchat_desktop.services.providers.wire_errors import classify, error_event
from deepchat_desktop.services.providers.wire_json import as_count, as_dict, as_list, as_text

_LENGTH = frozenset({"max_tokens", "model_context_window_exceeded"})
_FAILED = {
    "guardrail_intervened": error_event("content_filter", "A guardrail of the account ended the answer."),
    "content_filtered": error_event("content_filter", "The provider's content filter ended the answer."),
    "malformed_tool_use": error_event("malformed_tool_call", "The model wrote a call that nobody can read."),
    "malformed_model_output": error_event("server", "The model wrote an answer that nobody can read."),
}


@dataclass(eq=False)
class _Block:
    key: str
    call: dict[str, Any] = field(default_factory=dict)
    result: dict[str, Any] = field(default_factory=dict)
    results: list[Any] = field(default_factory=list)
    blobs: list[str] = field(default_factory=list)
    pieces: defaultdict[str, bytearray] = field(default_factory=lambda: defaultdict(bytearray))
    """What came in pieces, in UTF-8: a long answer comes in a million of them."""
    closed: bool = False

    @property
    def theirs(self) -> bool:
        return as_text(self.call.get("type")) not in ("", "tool_use")

    @property
    def ours(self) -> bool:
        return bool(self.call) and not self.theirs

    @property
    def is_plain(self) -> bool:
        """Whether the block can be written anew from what is known of the answer."""
        return not (self.theirs or self.result or self.blobs or "signature" in self.pieces)

    def text(self, name: str) -> str:
        return _decoded(self.pieces.get(name, b""))

    def whole(self) -> dict[str, Any] | None:
        """Return the block as the provider wants it back, None for reasoning that nobody signed."""
        if self.call:
            return {"toolUse": {**self.call, "input": arguments_or_none(self.text("input")) or {}}}
        if self.result:
            return {"toolResult": {**self.result, "content": self.results}}
        if self.blobs:
            return {"reasoningContent": {"redactedContent": _joined(self.blobs)}}
        if "signature" in self.pieces:
            signed = {"text": self.text("reasoning"), "signature": self.text("signature")}
            return {"reasoningContent": {"reasoningText": signed}}
        return {"text": self.text("text")} if "text" in self.pieces else None


class ConverseDecoder(StreamDecoder):
    """One answer."""

    def __init__(self, family: str = "generic") -> None:
        super().__init__(EventStreamSplitter(), family)
        self._blocks: list[_Block] = []
        self._open: dict[int, _Block] = {}
        self._stop = ""

    @property
    def told_end(self) -> bool:
        """Whether the server gave a stop reason."""
        return bool(self._stop)

    def _message(self, name: str, value: dict[str, Any]) -> list[ProviderEvent]:
        index = value.get("contentBlockIndex")
        place = index if isinstance(index, int) else 0
        match name:
            case "contentBlockStart":
                return self._begin(place, as_dict(value.get("start")))
            case "contentBlockDelta":
                return self._more(place, as_dict(value.get("delta")))
            case "contentBlockStop":
                return self._close(place)
            case "messageStop":
                self._stop = as_text(value.get("stopReason")) or "end_turn"
            case "metadata":
                self._usage = usage_of(as_dict(value.get("usage")))
                return self._finished(saw_done=True) if self._stop else []
            case "":
                return self._whole_answer(value)
            case _ if name == DAMAGED:
                return self._fail(error_event("network", "The answer arrived damaged: its checksum is wrong."))
            case _:
                pass
        return []

    def _whole_answer(self, value: dict[str, Any]) -> list[ProviderEvent]:
        if "output" not in value:
            return self._fail(classify(None, {}, value))
        events: list[ProviderEvent] = []
        for place, block in enumerate(as_list(as_dict(as_dict(value["output"]).get("message")).get("content"))):
            events += [*self._block(place, as_dict(block)), *self._close(place)]
        self._stop = as_text(value.get("stopReason")) or "end_turn"
        self._usage = usage_of(as_dict(value.get("usage")))
        return events + self._finished(saw_done=True)

    def _block(self, place: int, block: dict[str, Any]) -> list[ProviderEvent]:
        """Take one block of an answer that came whole."""
        call, result, thought = (as_dict(block.get(name)) for name in ("toolUse", "toolResult", "reasoningContent"))
        if call:
            text = json.dumps(as_dict(call.get("input")), ensure_ascii=False)
            start = {name: part for name, part in call.items() if name != "input"}
            return [*self._begin(place, {"toolUse": start}), *self._more(place, {"toolUse": {"input": text}})]
        if result:
            start = {name: part for name, part in result.items() if name != "content"}
            return [
                *self._begin(place, {"toolResult": start}),
                *self._more(place, {"toolResult": as_list(result.get("content"))}),
            ]
        return self._more(place, {**block, "reasoningContent": as_dict(thought.get("reasoningText")) or thought})

    def _begin(self, place: int, start: dict[str, Any]) -> list[ProviderEvent]:
        events = self._close(place)  # a server that begins a block where another stands open has ended that one
        block = self._new(place)
        block.call, block.result = as_dict(start.get("toolUse")), as_dict(start.get("toolResult"))
        if not block.call:
            return events
        call_id, name = as_text(block.call.get("toolUseId")), as_text(block.call.get("name"))
        return [*events, ToolCallStart(key=block.key, id=call_id, name=name, by_provider=block.theirs)]

    def _new(self, place: int) -> _Block:
        block = _Block(key=str(len(self._blocks)))
        self._blocks.append(block)
        self._open[place] = block
        return block

    def _more(self, place: int, delta: dict[str, Any]) -> list[ProviderEvent]:
        block = self._open.get(place) or self._new(place)
        thought = as_dict(delta.get("reasoningContent"))
        block.results += as_list(delta.get("toolResult"))
        if blob := as_text(thought.get("redactedContent")):
            block.blobs.append(blob)
        pieces = {
            "text": delta.get("text"),
            "input": as_dict(delta.get("toolUse")).get("input"),
            "reasoning": thought.get("text"),
            "signature": thought.get("signature"),
        }
        events: list[ProviderEvent] = []
        for name, piece in pieces.items():
            if isinstance(piece, str) and piece:
                block.pieces[name] += piece.encode("utf-8", "surrogatepass")
                events += _shown(block, name, piece)
        return events

    def _close(self, place: int) -> list[ProviderEvent]:
        block = self._open.pop(place, None)
        if block is None:
            return []
        block.closed = True
        # What the provider runs is done with here; our calls end when it is known that nothing cut them off.
        return [_ended(block, cut=False)] if block.theirs else []

    def _end(self, *, saw_done: bool) -> list[ProviderEvent]:
        last = self._last()
        cut = isinstance(last, StreamError) or last.reason == "max_tokens"
        return [*([] if cut else self._carry()), *self._end_calls(cut=cut), last]

    def _last(self) -> Stop | StreamError:
        if not self._stop:
            return error_event("truncated_stream", "The connection ended in the middle of the answer.")
        if (failed := _FAILED.get(self._stop)) is not None:
            return failed
        if self._stop in _LENGTH:
            return Stop(reason="max_tokens", raw=self._stop)
        calls = any(block.ours for block in self._blocks)
        return Stop(reason="tool_use" if calls else "complete", raw=self._stop)

    def _carry(self) -> list[ProviderEvent]:
        """Return the answer's blocks if some must go back as they came; plain text and calls need not."""
        if all(block.is_plain for block in self._blocks):
            return []
        content = [whole for block in self._blocks if (whole := block.whole()) is not None]
        return [CarryPart(family=self._family, data={"content": content})]

    def _end_calls(self, *, cut: bool) -> list[ProviderEvent]:
        theirs = [block for block in self._open.values() if block.theirs]
        ours = [block for block in self._blocks if block.ours]
        return [_ended(block, cut=cut or not block.closed) for block in (*theirs, *ours)]

    def _cut(self) -> list[ProviderEvent]:
        return self._end_calls(cut=True)


def usage_of(wire: dict[str, Any]) -> Usage:
    """Read a ``usage`` object: its input does not count what was read from or written to the cache."""
    cached, written = as_count(wire.get("cacheReadInputTokens")), as_count(wire.get("cacheWriteInputTokens"))
    given, output = as_count(wire.get("inputTokens")), as_count(wire.get("outputTokens"))
    return Usage(input=given + cached + written, output=output, cached=cached, cache_write=written)


def _shown(block: _Block, name: str, piece: str) -> list[ProviderEvent]:
    match name:
        case "text":
            return [TextDelta(text=piece)]
        case "reasoning":
            return [ReasoningDelta(text=piece)]
        case "input" if block.call:
            return [ToolCallChunk(key=block.key, text=piece)]
        case _:
            return []


def _ended(block: _Block, *, cut: bool) -> ToolCallEnd:
    text = block.text("input")
    call_id, name = as_text(block.call.get("toolUseId")), as_text(block.call.get("name"))
    arguments = None if cut else arguments_or_none(text)
    return ToolCallEnd(
        key=block.key, id=call_id, name=name, arguments_text=text, arguments=arguments, complete=not cut
    )


def _decoded(text: bytes | bytearray) -> str:
    return text.decode("utf-8", "surrogatepass")


def _joined(blobs: list[str]) -> str:
    """Return pieces of base64, each encoded by itself, as one; a single one stays as it came."""
    if len(blobs) == 1:
        return blobs[0]
    try:
        return base64.b64encode(b"".join(map(base64.b64decode, blobs))).decode("ascii")
    except ValueError:
        return "".join(blobs)
