"""Where the commands print: data and answers to stdout, notices to stderr.

Foreign text is made harmless only for a terminal; a pipe gets it as it came. A reader that went away ends the
printing, never the work. JSON is ASCII, so no terminal or encoding can change it.
"""

import contextlib
import json
import os
import sys
from typing import Any, TextIO

from deepchat_desktop.domain.terminal_text import for_terminal


class Output:
    """The two streams of one command. ``json_mode`` is None, "json" or "jsonl"."""

    def __init__(self, stdout: TextIO | None, stderr: TextIO | None, *, json_mode: str | None = None) -> None:
        self._stdout = stdout
        self._stderr = stderr
        self.json_mode = json_mode
        self._at_line_start = True

    @property
    def live(self) -> bool:
        """Whether notices are seen on a terminal as they come."""
        return self._stderr is not None and self._stderr.isatty()

    def text(self, text: str) -> None:
        """Write a piece of an answer as it is, without a line end, and at once."""
        if text:
            self._at_line_start = text.endswith("\n")
            self._stdout = _put(self._stdout, text)

    def line(self, text: str = "") -> None:
        """Write one line of data."""
        self.text(f"{text}\n")

    def end_line(self) -> None:
        """Begin a new line unless the last one was just ended."""
        if not self._at_line_start:
            self.text("\n")

    def data(self, value: Any) -> None:
        """Write one JSON value: on one line for ``--jsonl``, else laid out for people as well."""
        indent = None if self.json_mode == "jsonl" else 1
        self.line(json.dumps(value, ensure_ascii=True, indent=indent))

    def note(self, text: str) -> None:
        """Write one line to stderr."""
        self._stderr = _put(self._stderr, f"{text}\n")

    def note_apart(self, text: str) -> None:
        """Write one line to stderr that does not hang on a half line of the answer on the same terminal."""
        if self._stdout is not None and self._stdout.isatty():
            self.end_line()
        self.note(text)

    def progress(self, text: str) -> None:
        """Show how far something is: rewrites its line on a terminal, a line of its own elsewhere."""
        if self._stderr is not None and self.live:
            with contextlib.suppress(OSError):
                self._stderr.write(f"\r\x1b[K{for_terminal(text)}")
                self._stderr.flush()
        else:
            self.note(text)

    def progress_done(self) -> None:
        """Leave the progress line."""
        if self.live:
            self.note("")

    def failure(self, kind: str, message: str, *, retryable: bool = False) -> None:
        """Say what went wrong: the sentence to stderr, and in the JSON modes an object to stdout as well."""
        self.end_line()
        if self.json_mode is not None:
            value: dict[str, Any] = {"error": {"kind": kind, "message": message, "retryable": retryable}}
            self.data({"kind": "error", **value} if self.json_mode == "jsonl" else value)
        self.note(message)


def standard_output(json_mode: str | None) -> Output:
    """Return the output on this process's own streams. Either may be missing (a windowed program has none)."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            # A name with a broken character must be printable, whatever the terminal's encoding.
            stream.reconfigure(errors="backslashreplace")
    return Output(sys.stdout, sys.stderr, json_mode=json_mode)


def _put(stream: TextIO | None, text: str) -> TextIO | None:
    """Write and flush. Returns the stream, or None when its reader has gone."""
    if stream is None:
        return None
    try:
        stream.write(for_terminal(text) if stream.isatty() else text)
        stream.flush()
    except BrokenPipeError:
        _forget(stream)
        return None
    return stream


def _forget(stream: TextIO) -> None:
    """Point a broken stream at nothing, so that the interpreter's own flush at exit does not complain."""
    with contextlib.suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
