"""One JSON array read as it comes, an object at a time (Gemini without ``alt=sse``, and proxies that drop it).

Only the objects directly in the array are handed out; what stands between them is passed over. An object that the end
of the body cuts short is none.
"""

import re

from deepchat_desktop.services.providers.sse import MAX_EVENT_BYTES, EventTooLarge, SseEvent, SseSplitter

_BLANKS = b" \t\r\n\xef\xbb\xbf"
_OUTSIDE = re.compile(rb'["{}\[\]]')
_IN_STRING = re.compile(rb'["\\]')


class ArraySplitter:
    """Cuts a body into the array's objects. See ``stream_decoder.Splitter``."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._held = 0
        self._depth = 0
        self._in_string = False
        self._escaped = False
        self._in_object = False

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """Take the next bytes and return the objects they complete. Raises ``EventTooLarge``."""
        found: list[SseEvent] = []
        start = place = 0
        while (place := self._next(chunk, place)) < len(chunk):
            sign = chunk[place : place + 1]
            if sign in (b"{", b"["):
                self._depth += 1
                if self._depth == 2 and sign == b"{":
                    self._in_object, start = True, place
            elif sign in (b"}", b"]"):
                self._depth -= 1
                if self._depth == 1 and self._in_object:
                    found.append(SseEvent("", b"".join([*self._pieces, chunk[start : place + 1]])))
                    self._pieces, self._held, self._in_object = [], 0, False
            place += 1
        if self._in_object:
            self._pieces.append(chunk[start:])
            self._held += len(chunk) - start
            if self._held > MAX_EVENT_BYTES:
                raise EventTooLarge
        return found

    def finish(self) -> list[SseEvent]:
        """Take the end of the body."""
        self._pieces = []
        return []

    def _next(self, chunk: bytes, place: int) -> int:
        """Return where the next bracket outside of strings is, the chunk's length if there is none."""
        while place < len(chunk):
            if self._escaped:
                self._escaped = False
                place += 1
                continue
            hit = (_IN_STRING if self._in_string else _OUTSIDE).search(chunk, place)
            if hit is None:
                return len(chunk)
            sign, place = hit[0], hit.start()
            if sign == b"\\":
                self._escaped = True
            elif sign == b'"':
                self._in_string = not self._in_string
            else:
                return place
            place += 1
        return place


class SseOrArraySplitter:
    """Reads server-sent events, or one array of the same messages: the first byte tells which."""

    def __init__(self) -> None:
        self._splitter: SseSplitter | ArraySplitter | None = None

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """Take the next bytes and return the messages they complete. Raises ``EventTooLarge``."""
        if self._splitter is None:
            lead = chunk.lstrip(_BLANKS)[:1]
            if not lead:
                return []
            self._splitter = ArraySplitter() if lead == b"[" else SseSplitter()
        return self._splitter.feed(chunk)

    def finish(self) -> list[SseEvent]:
        """Take the end of the body and return the message that was still open, if any."""
        return [] if self._splitter is None else self._splitter.finish()
