"""Takes ``<think>`` apart that a model writes into its answer.

Only a leading tag opens reasoning; elsewhere it is the user's topic. What could become a tag is held back until
it is one or not. One orphan ``</think>`` (templates that open the tag in the prompt) is removed, with nothing
but itself. A tag that is never closed makes everything after it reasoning.
"""

from typing import Literal

Piece = tuple[Literal["text", "reasoning"], str]
_OPEN, _CLOSE = "<think>", "</think>"


class ThinkSplitter:
    """Splits the content of one answer into text and reasoning."""

    def __init__(self) -> None:
        self._state: Literal["start", "thinking", "text", "done"] = "start"
        self._held = ""

    def feed(self, content: str) -> list[Piece]:
        """Take more content and return what is certain now."""
        if self._state == "done":
            return [("text", content)]
        self._held += content
        pieces: list[Piece] = []
        while self._step(pieces):
            pass
        return [piece for piece in pieces if piece[1]]

    def flush(self) -> list[Piece]:
        """Give up waiting: what is held back was no tag."""
        held, self._held = self._held, ""
        if self._state == "start" and held:
            self._state = "text"
        return [("reasoning" if self._state == "thinking" else "text", held)] if held else []

    def _step(self, pieces: list[Piece]) -> bool:
        """Make one move; True if another may follow."""
        match self._state:
            case "start":
                return self._start()
            case "thinking":
                return self._until_close(pieces, "reasoning")
            case "text":
                return self._until_close(pieces, "text")
            case "done":
                pieces.append(("text", self._held))
                self._held = ""
                return False

    def _start(self) -> bool:
        lead = self._held.lstrip()
        if lead.startswith(_OPEN):
            self._held = lead[len(_OPEN) :]
            self._state = "thinking"
            return True
        if _OPEN.startswith(lead):
            return False
        self._state = "text"
        return True

    def _until_close(self, pieces: list[Piece], kind: Literal["text", "reasoning"]) -> bool:
        before, tag, after = self._held.partition(_CLOSE)
        if tag:
            literal = kind == "text" and _OPEN in before
            pieces.append((kind, before + tag if literal else before))
            self._held, self._state = after, "done"
            return True
        if kind == "text" and _OPEN in before:
            # The answer talks about the tags: its closing tag is no orphan.
            self._state = "done"
            return True
        keep = _partial_tag(self._held)
        pieces.append((kind, self._held[: len(self._held) - keep]))
        self._held = self._held[len(self._held) - keep :]
        return False


def _partial_tag(text: str) -> int:
    """Return how many characters at the end could begin one of the tags."""
    start = text.rfind("<", max(0, len(text) - len(_CLOSE) + 1))
    if start < 0:
        return 0
    tail = text[start:]
    return len(tail) if _CLOSE.startswith(tail) or _OPEN.startswith(tail) else 0
