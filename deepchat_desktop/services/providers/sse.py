"""Server-sent events, read from bytes as they come.

Lines end with LF, CRLF or a lone CR and nothing else (the other "line ends" of Unicode occur inside JSON). A
byte order mark, comments, missing blanks after the colon and several ``data`` lines an event are all legal
(WHATWG HTML, 9.2). An event that the end of the body cuts short is still handed out.
"""

from typing import NamedTuple

MAX_EVENT_BYTES = 32 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"


class EventTooLarge(ValueError):
    """One event is larger than ``MAX_EVENT_BYTES``: whatever it is, it is not an answer."""


class SseEvent(NamedTuple):
    """One event: its name (``message`` is given as "") and its data."""

    name: str
    data: bytes


class SseSplitter:
    """Cuts a body into events. ``comments`` counts the comment lines seen, which are signs of life."""

    def __init__(self) -> None:
        self.comments = 0
        self._tail: list[bytes] = []
        self._data: list[bytes] = []
        self._name = ""
        self._held = 0
        self._skip_lf = False
        self._first = True

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """Take the next bytes and return the events they complete. Raises ``EventTooLarge``."""
        if self._skip_lf and chunk:
            self._skip_lf = False
            chunk = chunk.removeprefix(b"\n")
        if b"\r" in chunk:
            # A CR that ends the chunk ends its line now; the LF that may follow is swallowed next time.
            self._skip_lf = chunk.endswith(b"\r")
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        self._held += len(chunk)
        self._tail.append(chunk)
        if b"\n" not in chunk:
            self._check_size()
            return []
        lines = b"".join(self._tail).split(b"\n")
        rest = lines.pop()
        self._tail = [rest]
        events = self._take(lines)
        self._held = len(rest) + sum(map(len, self._data))
        self._check_size()
        return events

    def finish(self) -> list[SseEvent]:
        """Take the end of the body and return the event that was still open, if any."""
        lines = [b"".join(self._tail), b""]
        self._tail = []
        return self._take(lines)

    def _check_size(self) -> None:
        if self._held > MAX_EVENT_BYTES:
            raise EventTooLarge

    def _take(self, lines: list[bytes]) -> list[SseEvent]:
        events: list[SseEvent] = []
        if self._first and lines:
            self._first = False
            lines[0] = lines[0].removeprefix(_BOM)
        for line in lines:
            if line.startswith(b"data:"):
                self._data.append(line[6:] if line[5:6] == b" " else line[5:])
            elif not line:
                if self._data:
                    events.append(SseEvent(self._name, b"\n".join(self._data)))
                    self._data = []
                self._name = ""
            elif line[:1] == b":":
                self.comments += 1
            elif line.startswith(b"event:"):
                self._name = line[6:].strip().decode("utf-8", "replace")
        return events
