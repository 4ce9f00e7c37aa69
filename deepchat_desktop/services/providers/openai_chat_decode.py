"""Reads the answer of a chat-completions server: a stream of chunks, or one JSON object instead.

Invariants: only choice 0 counts; usage replaces; completed calls decide between ``tool_use`` and ``complete``;
an error anywhere wins over a finish reason; an end is believed only if the server said so (``finish_reason``
or ``[DONE]``), everything else is ``truncated_stream``. No bytes make it raise.
"""

from typing import Any, Literal

from deepchat_desktop.domain.stream import CarryPart, ProviderEvent, StreamError, UsageReported
from deepchat_desktop.domain.usage import Usage
from deepchat_desktop.services.providers import openai_chat_finish as ending
from deepchat_desktop.services.providers.coalesce import coalesced
from deepchat_desktop.services.providers.openai_chat_delta import DeltaReader
from deepchat_desktop.services.providers.sse import MAX_EVENT_BYTES, EventTooLarge, SseEvent, SseSplitter
from deepchat_desktop.services.providers.wire_errors import classify, error_event, page_instead_of_answer
from deepchat_desktop.services.providers.wire_json import as_dict, as_list, as_text, parse

_BLANKS = b" \t\r\n\xef\xbb\xbf"


class ChatDecoder:
    """One answer. ``family`` marks the opaque parts; ``skipped`` counts data lines that were not JSON."""

    def __init__(self, family: str = "generic") -> None:
        self.skipped = 0
        self._family = family
        self._mode: Literal["unknown", "sse", "whole"] = "unknown"
        self._whole = bytearray()
        self._sse = SseSplitter()
        self._delta = DeltaReader()
        self._usage: Usage | None = None
        self._told: Usage | None = None
        self._finish: str | None = None
        self._native = ""
        self._ended = False

    def feed(self, data: bytes) -> list[ProviderEvent]:
        """Take the next bytes; adjacent pieces of one kind come out as one event."""
        if self._ended:
            return []
        if self._mode == "unknown":
            lead = (bytes(self._whole) + data).lstrip(_BLANKS)[:1]
            self._mode = "unknown" if not lead else "whole" if lead in b"{[<" else "sse"
        if self._mode != "sse":
            return self._keep(data)
        data, self._whole = bytes(self._whole) + data, bytearray()
        try:
            return self._report(self._read(self._sse.feed(data)))
        except EventTooLarge:
            return self._fail(error_event("server", "The server sent one event of more than 32 MB."))

    @property
    def told_end(self) -> bool:
        """Whether the server gave a finish reason; usage and ``[DONE]`` may still follow."""
        return self._finish is not None

    def finish(self) -> list[ProviderEvent]:
        """Take the end of the body."""
        if self._ended:
            return []
        events = self._read_whole() if self._mode == "whole" else self._read(self._sse.finish())
        if not self._ended:
            events += self._end(saw_done=False)
        return self._report(events)

    def _keep(self, data: bytes) -> list[ProviderEvent]:
        self._whole += data
        if len(self._whole) <= MAX_EVENT_BYTES:
            return []
        return self._fail(error_event("server", "The server sent an answer of more than 32 MB."))

    def _report(self, events: list[ProviderEvent]) -> list[ProviderEvent]:
        """Put the newest usage before the last event of the stream, or at the end of this read."""
        if self._usage is not None and self._usage != self._told:
            self._told = self._usage
            events.insert(len(events) - 1 if self._ended else len(events), UsageReported(usage=self._usage))
        return coalesced(events)

    def _read(self, sse: list[SseEvent]) -> list[ProviderEvent]:
        events: list[ProviderEvent] = []
        for item in sse:
            if self._ended:
                break
            if item.data.strip() == b"[DONE]":
                events += self._end(saw_done=True)
                continue
            value = parse(item.data)
            if item.name == "error":
                events += self._fail(classify(None, {}, item.data))
            elif isinstance(value, dict):
                events += self._chunk(value)
            else:
                self.skipped += 1
        return events

    def _read_whole(self) -> list[ProviderEvent]:
        body = bytes(self._whole).strip(_BLANKS)
        value = parse(body)
        if isinstance(value, list) and value:
            value = value[0]
        if isinstance(value, dict):
            return self._chunk(value)
        if body.startswith(b"<"):
            return self._fail(page_instead_of_answer(body))
        return []

    def _chunk(self, chunk: dict[str, Any]) -> list[ProviderEvent]:
        choice = _first_choice(chunk)
        usage = (
            as_dict(chunk.get("usage"))
            or as_dict(choice.get("usage"))
            or as_dict(as_dict(chunk.get("x_groq")).get("usage"))
        )
        if usage:
            self._usage = ending.usage_of(usage)
        events = self._delta.read(as_dict(choice.get("delta")) or as_dict(choice.get("message")))
        if chunk.get("error") or chunk.get("object") == "error" or _is_bare_error(chunk):
            return events + self._fail(classify(None, {}, chunk))
        self._finish = as_text(choice.get("finish_reason")) or self._finish
        self._native = as_text(choice.get("native_finish_reason")) or self._native
        return events

    def _end(self, *, saw_done: bool) -> list[ProviderEvent]:
        self._ended = True
        delta = self._delta
        events = delta.flush()
        last = ending.last_event(
            self._finish, self._native, saw_done=saw_done, calls=bool(delta.calls), refusal=delta.refusal
        )
        cut = isinstance(last, StreamError) or last.reason == "max_tokens"
        if carry := delta.carry():
            events.append(CarryPart(family=self._family, data=carry))
        return [*events, *delta.calls.end(cut=cut), last]

    def _fail(self, error: StreamError) -> list[ProviderEvent]:
        self._ended = True
        return [*self._delta.flush(), *self._delta.calls.end(cut=True), error]


def _first_choice(chunk: dict[str, Any]) -> dict[str, Any]:
    for item in as_list(chunk.get("choices")):
        choice = as_dict(item)
        if choice and choice.get("index") in (0, None):
            return choice
    return {}


def _is_bare_error(chunk: dict[str, Any]) -> bool:
    """Tell an error body from a chunk: it has a text about what went wrong and none of a chunk's parts."""
    return ("detail" in chunk or "message" in chunk) and not ({"choices", "usage", "id"} & chunk.keys())
