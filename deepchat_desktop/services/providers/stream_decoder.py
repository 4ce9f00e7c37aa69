"""What the decoders of all styles share: from bytes to whole messages of the wire, and how a stream ends.

A style gives its splitter and says what one message means. Invariants: usage replaces and is reported once for
each change; after the last event everything is ignored; an error anywhere ends the stream, with the calls that
were still open cut off; no bytes make it raise; nothing larger than ``MAX_EVENT_BYTES`` is held.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal, Protocol

from deepchat_desktop.domain.stream import ProviderEvent, StreamError, UsageReported
from deepchat_desktop.domain.usage import Usage
from deepchat_desktop.services.providers.coalesce import coalesced
from deepchat_desktop.services.providers.sse import MAX_EVENT_BYTES, EventTooLarge, SseEvent
from deepchat_desktop.services.providers.wire_errors import classify, error_event, page_instead_of_answer
from deepchat_desktop.services.providers.wire_json import parse

_BLANKS = b" \t\r\n\xef\xbb\xbf"


class Splitter(Protocol):
    """Cuts a body into messages, whatever the cuts between its bytes."""

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """Take the next bytes and return the messages they complete. Raises ``EventTooLarge``."""
        ...

    def finish(self) -> list[SseEvent]:
        """Take the end of the body and return the message that was still open, if any."""
        ...


class StreamDecoder(ABC):
    """One answer. ``family`` marks the opaque parts; ``skipped`` counts messages that were not JSON."""

    whole_leads: ClassVar[bytes] = b"{[<"
    """A body that begins with one of these is one JSON value (or a web page) and no stream."""

    def __init__(self, splitter: Splitter, family: str = "generic") -> None:
        self.skipped = 0
        self._family = family
        self._splitter = splitter
        self._mode: Literal["unknown", "stream", "whole"] = "unknown"
        self._held = bytearray()
        self._usage: Usage | None = None
        self._told: Usage | None = None
        self._ended = False

    @property
    def told_end(self) -> bool:
        """Whether the server said why it stopped; usage may still follow."""
        return False

    def feed(self, data: bytes) -> list[ProviderEvent]:
        """Take the next bytes; adjacent pieces of one kind come out as one event."""
        if self._ended:
            return []
        if self._mode == "unknown":
            lead = (bytes(self._held) + data).lstrip(_BLANKS)[:1]
            self._mode = "unknown" if not lead else "whole" if lead in self.whole_leads else "stream"
        if self._mode != "stream":
            return self._hold(data)
        if self._held:
            data, self._held = bytes(self._held) + data, bytearray()
        try:
            return self._report(self._read(self._splitter.feed(data)))
        except EventTooLarge:
            return self._fail(error_event("server", "The server sent one event of more than 32 MB."))

    def finish(self) -> list[ProviderEvent]:
        """Take the end of the body."""
        if self._ended:
            return []
        events = self._read_whole() if self._mode == "whole" else self._read(self._splitter.finish())
        if not self._ended:
            events += self._finished(saw_done=False)
        return self._report(events)

    @abstractmethod
    def _message(self, name: str, value: dict[str, Any]) -> list[ProviderEvent]:
        """Return what one message of the wire means; ``name`` is its event type or ""."""

    @abstractmethod
    def _end(self, *, saw_done: bool) -> list[ProviderEvent]:
        """Return the last events, the ``Stop`` or ``StreamError`` among them as the last."""

    @abstractmethod
    def _cut(self) -> list[ProviderEvent]:
        """Return what was held back and the ends of the calls that are cut off."""

    def _finished(self, *, saw_done: bool) -> list[ProviderEvent]:
        self._ended = True
        return self._end(saw_done=saw_done)

    def _fail(self, error: StreamError) -> list[ProviderEvent]:
        self._ended = True
        return [*self._cut(), error]

    def _read(self, messages: list[SseEvent]) -> list[ProviderEvent]:
        events: list[ProviderEvent] = []
        for name, data in messages:
            if self._ended:
                break
            value = parse(data)
            if isinstance(value, dict):
                events += self._fail(classify(None, {}, data)) if name == "error" else self._message(name, value)
            elif data.strip() == b"[DONE]":
                events += self._finished(saw_done=True)
            elif name == "error":
                events += self._fail(classify(None, {}, data))
            else:
                self.skipped += 1
        return events

    def _read_whole(self) -> list[ProviderEvent]:
        body = bytes(self._held).strip(_BLANKS)
        value = parse(body)
        if isinstance(value, list) and value:
            value = value[0]
        if isinstance(value, dict):
            return self._message("", value)
        if body.startswith(b"<"):
            return self._fail(page_instead_of_answer(body))
        return []

    def _hold(self, data: bytes) -> list[ProviderEvent]:
        self._held += data
        if len(self._held) <= MAX_EVENT_BYTES:
            return []
        return self._fail(error_event("server", "The server sent an answer of more than 32 MB."))

    def _report(self, events: list[ProviderEvent]) -> list[ProviderEvent]:
        """Put the newest usage before the last event of the stream, or at the end of this read."""
        if self._usage is not None and self._usage != self._told:
            self._told = self._usage
            events.insert(len(events) - 1 if self._ended else len(events), UsageReported(usage=self._usage))
        return coalesced(events)
