"""Newline-delimited JSON, read from bytes as it comes: one message a line (Ollama's native API)."""

from deepchat_desktop.services.providers.sse import MAX_EVENT_BYTES, EventTooLarge, SseEvent


class LineSplitter:
    """Cuts a body into lines; empty ones are none. See ``stream_decoder.Splitter``."""

    def __init__(self) -> None:
        self._tail: list[bytes] = []
        self._held = 0

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """Take the next bytes and return the lines they complete. Raises ``EventTooLarge``."""
        self._tail.append(chunk)
        self._held += len(chunk)
        if b"\n" not in chunk:
            self._check_size()
            return []
        *whole, rest = b"".join(self._tail).split(b"\n")
        self._tail, self._held = [rest], len(rest)
        self._check_size()
        return [SseEvent("", line) for line in whole if line.strip()]

    def finish(self) -> list[SseEvent]:
        """Take the end of the body and return the line that had no end."""
        line, self._tail = b"".join(self._tail), []
        return [SseEvent("", line)] if line.strip() else []

    def _check_size(self) -> None:
        if self._held > MAX_EVENT_BYTES:
            raise EventTooLarge
