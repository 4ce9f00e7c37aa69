"""Finds the calls that a model writes into its text between tags, as it streams.

Invariants: no part of a tag is ever shown; the cuts of the stream do not matter. A tag within a code block or behind a
backtick is the model's topic and stays text, unless the block has nothing before the call: then the block is only its
wrapping. A closing tag within a JSON string closes nothing. What follows a call and plays its result is dropped.
"""

import re
from typing import Literal

Piece = tuple[Literal["text", "call", "cut"], str]
"""Text to show, what stood between two tags, or what stood behind a tag that was never closed."""
MAX_CALL_CHARS = 1_000_000
_OPENERS = ("<function_call>", "<tool_call>")
_CLOSERS = ("</function_call>", "</tool_call>")
_RESULT = "<function_result>"
_SIGN = re.compile("|".join((*_OPENERS, _RESULT, "\n")))
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)\n")
_PERHAPS_FENCE = re.compile(r" {0,3}(?:`{0,2}|~{0,2}|(?:`{3,}|~{3,})[^\n]*)")
_OUTSIDE = re.compile("|".join(('"', *_CLOSERS)))
_INSIDE = re.compile("|".join((r"\\[\s\S]", '"', *_CLOSERS)))


class TagParser:
    """Takes one answer apart."""

    def __init__(self) -> None:
        self.calls = 0
        self._held = ""
        self._last = ""
        self._line_start = True
        self._fence = ""
        self._wrapped = ""
        self._after_call = False
        self._over = False
        self._body: _Body | None = None

    def feed(self, text: str) -> list[Piece]:
        """Take more text and return what is certain now."""
        pieces: list[Piece] = []
        rest = text
        while not self._over:
            if self._body is not None:
                if (closed := self._body.feed(rest)) is None:
                    return pieces
                pieces.append(("call", closed[0]))
                rest, self._body, self._after_call = closed[1], None, True
            else:
                self._held += rest
                rest = ""
                while self._step(pieces):
                    pass
                if self._body is None:
                    return pieces
                rest, self._held = self._held, ""
        return pieces

    def flush(self) -> list[Piece]:
        """Give up waiting: the answer is over."""
        pieces: list[Piece] = []
        while self._body is not None:
            call, rest, closed = self._body.given_up()
            self._body, self._after_call = None, True
            pieces += [("call" if closed else "cut", call), *self.feed(rest)]
        if not self._over and not (self._after_call and self._is_wrapping()):
            self._show(self._held, pieces)
        self._held, self._over = "", True
        return pieces

    def _step(self, pieces: list[Piece]) -> bool:
        """Make one move on the held text; True if another may follow."""
        if self._after_call and not self._behind_call():
            return False
        if self._line_start and (moved := self._line(pieces)) is not None:
            return moved
        found = _SIGN.search(self._held)
        if found is None:
            keep = _partial(self._held, (*_OPENERS, _RESULT))
            self._show(self._held[: len(self._held) - keep], pieces)
            self._held = self._held[len(self._held) - keep :]
            return False
        if found[0] == "\n":
            self._take(found.end(), pieces)
            self._line_start = True
            return True
        before = self._held[: found.start()] or self._last
        if self._fence or before.endswith("`") or (found[0] == _RESULT and not self.calls):
            self._take(found.end(), pieces)
            return True
        self._show(self._held[: found.start()], pieces)
        self._held = self._held[found.end() :]
        return self._open(found[0])

    def _open(self, tag: str) -> bool:
        if tag == _RESULT:
            self._over, self._held = True, ""
        else:
            self._body = _Body()
            self.calls += 1
        return False

    def _behind_call(self) -> bool:
        """Drop blanks and the end of a wrapping behind a call; False while more of it may come."""
        self._held = self._held.lstrip()
        if not self._held:
            return False
        if self._wrapped and self._wrapped.startswith(self._held[: len(self._wrapped)]):
            rest = self._held.lstrip(self._wrapped[0])
            if not rest:
                return False
            self._held, self._wrapped = rest, ""
            return self._behind_call()
        self._after_call, self._last, self._line_start = False, "", not self._wrapped
        return True

    def _is_wrapping(self) -> bool:
        return bool(self._wrapped) and not self._held.strip().strip(self._wrapped[0])

    def _line(self, pieces: list[Piece]) -> bool | None:
        """Look at the start of a line: None if it is no fence, else whether another move may follow."""
        found = _FENCE.match(self._held)
        if found is None:
            if _PERHAPS_FENCE.fullmatch(self._held):
                return False
            self._line_start = False
            return None
        mark, words = found[1], found[2].strip()
        if self._fence:
            if mark.startswith(self._fence) and not words:
                self._fence = ""
        elif not (mark[0] == "`" and "`" in words):
            inside = self._held[found.end() :].lstrip()
            if inside.startswith(_OPENERS):
                self._wrapped, self._line_start, self._held = mark, False, inside
                return True
            if any(tag.startswith(inside) for tag in _OPENERS):
                return False
            self._fence = mark
        self._take(found.end(), pieces)
        return True

    def _take(self, size: int, pieces: list[Piece]) -> None:
        self._show(self._held[:size], pieces)
        self._held = self._held[size:]

    def _show(self, text: str, pieces: list[Piece]) -> None:
        if text:
            if self._wrapped:
                # More than calls stood in the code block: what follows is still in it.
                self._fence, self._wrapped = self._wrapped, ""
            self._last = text[-1]
            pieces.append(("text", text))


class _Body:
    """What stands behind an opening tag, up to the closing one outside of JSON's strings."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._size = 0
        self._tail = ""
        self._in_string = False
        self._first_close: tuple[int, int] | None = None

    def feed(self, text: str) -> tuple[str, str] | None:
        """Take more text; the call and what follows it once it is closed."""
        text = self._tail + text
        place = 0
        while (found := (_INSIDE if self._in_string else _OUTSIDE).search(text, place)) is not None:
            place = found.end()
            if found[0] == '"':
                self._in_string = not self._in_string
            elif found[0] in _CLOSERS:
                if not self._in_string:
                    return "".join([*self._pieces, text[: found.start()]]), text[found.end() :]
                self._first_close = self._first_close or (self._size + found.start(), self._size + found.end())
        keep = max(_partial(text[place:], _CLOSERS), self._in_string and text[place:].endswith("\\"))
        cut = len(text) - keep
        self._pieces.append(text[:cut])
        self._size, self._tail = self._size + cut, text[cut:]
        if self._size <= MAX_CALL_CHARS:
            return None
        call, rest, _closed = self.given_up()
        return call, rest

    def given_up(self) -> tuple[str, str, bool]:
        """Return the call as far as it goes, what follows it, and whether it was closed after all.

        A quotation mark too few hides the closing tag: then the first one counts.
        """
        text = "".join([*self._pieces, self._tail])
        if self._first_close is None:
            return text, "", False
        start, end = self._first_close
        return text[:start], text[end:], True


def _partial(text: str, tags: tuple[str, ...]) -> int:
    """Return how many characters at the end could begin one of the tags."""
    start = text.rfind("<", max(0, len(text) - max(map(len, tags)) + 1))
    return len(text) - start if start >= 0 and any(tag.startswith(text[start:]) for tag in tags) else 0
