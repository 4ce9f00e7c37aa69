"""AWS's binary event stream (``application/vnd.amazon.eventstream``), read from bytes as they come.

A message is: its size and that of its headers (4 bytes each, big-endian), a checksum of these 8 bytes, the headers,
the payload, a checksum of all before it (both CRC-32). Invariants: nothing of a message is used before its checksums
are right, so that a wrong size is never waited for; after a damaged message nothing is read any more. An exception
comes out as an event called ``error`` whose data is an error body.
"""

import json
import zlib
from struct import unpack_from

from deepchat_desktop.services.providers.sse import MAX_EVENT_BYTES, EventTooLarge, SseEvent
from deepchat_desktop.services.providers.wire_json import as_dict, as_text, parse

DAMAGED = ":damaged"
"""The name of the event that stands for a message whose checksum or lengths are wrong."""
_PRELUDE = 12
_LEAST = 16
_STRING = 7
_FIXED = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
"""Bytes of the header values that have no length before them, by type; 6 (bytes) and 7 (string) have one."""


class _Damaged(ValueError):
    pass


class EventStreamSplitter:
    """Cuts a body into messages. See ``stream_decoder.Splitter``."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._size = 0
        self._damaged = False

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """Take the next bytes and return the messages they complete. Raises ``EventTooLarge``."""
        if self._damaged:
            return []
        self._held += chunk
        messages: list[SseEvent] = []
        start = 0
        try:
            while (size := self._size or self._next_size(start)) and len(self._held) - start >= size:
                messages.append(_message(bytes(self._held[start : start + size])))
                start, self._size = start + size, 0
        except _Damaged:
            self._damaged, start = True, len(self._held)
            messages.append(SseEvent(DAMAGED, b"{}"))
        del self._held[:start]
        return messages

    def finish(self) -> list[SseEvent]:
        """Take the end of the body: a message that it cuts off has no checksum, and is none."""
        return []

    def _next_size(self, start: int) -> int:
        """Return the size of the message at ``start``, 0 while its prelude is not here."""
        if len(self._held) - start < _PRELUDE:
            return 0
        size, headers, checksum = unpack_from(">III", self._held, start)
        if zlib.crc32(self._held[start : start + 8]) != checksum or headers + _LEAST > size:
            raise _Damaged
        if size > MAX_EVENT_BYTES:
            raise EventTooLarge
        self._size = size
        return int(size)


def _message(data: bytes) -> SseEvent:
    if zlib.crc32(data[:-4]) != unpack_from(">I", data, len(data) - 4)[0]:
        raise _Damaged
    end = _PRELUDE + unpack_from(">I", data, 4)[0]
    headers, payload = _headers(data[_PRELUDE:end]), data[end:-4]
    kind = headers.get(":message-type", "event")
    if kind == "event":
        return SseEvent(headers.get(":event-type", ""), payload)
    code = headers.get(":exception-type") or headers.get(":error-code") or kind
    told = as_dict(parse(payload))
    message = as_text(told.get("message")) or as_text(told.get("Message")) or headers.get(":error-message", "")
    return SseEvent("error", json.dumps({"error": {"code": code, "message": message}}).encode())


def _headers(data: bytes) -> dict[str, str]:
    """Return the headers that are strings. Raises ``_Damaged`` where lengths do not fit."""
    found: dict[str, str] = {}
    place = 0
    while place < len(data):
        name, place = _part(data, place + 1, data[place])
        kind, place = _part(data, place, 1)
        size = _FIXED.get(kind[0])
        if size is None:
            length, place = _part(data, place, 2)
            size = int.from_bytes(length, "big")
        value, place = _part(data, place, size)
        if kind[0] == _STRING:
            found[name.decode("utf-8", "replace")] = value.decode("utf-8", "replace")
        elif kind[0] > max(_FIXED):
            raise _Damaged
    return found


def _part(data: bytes, place: int, size: int) -> tuple[bytes, int]:
    end = place + size
    if end > len(data):
        raise _Damaged
    return data[place:end], end
