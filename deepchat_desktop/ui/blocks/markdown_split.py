"""Cuts Markdown into pieces that can be rendered apart, so that a stream re-renders only its last piece.

Invariants: the pieces lie side by side and cover the text; only the last one can change when text is appended
(``resume_at`` says from where to cut again). A piece is a fence, a list, an indented block, or lines up to a blank one.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_ITEM = re.compile(r" {0,3}(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)")
_STARTS_LIST = re.compile(r" {0,3}(?:[-+*]|1[.)])[ \t]+\S")
_RULE = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$")
_DELIMITER_ROW = re.compile(r"[ \t]*[-:|][-:| \t]*\|[-:| \t]*$")


class Piece(NamedTuple):
    """Half-open range of characters."""

    start: int
    end: int


def split(text: str, start: int = 0) -> list[Piece]:
    """Cut ``text`` from ``start``, which must be the start of a piece."""
    pieces: list[Piece] = []
    lines = _Lines(text, start)
    while lines.more():
        begin = lines.at
        lines.skip_blank()
        if lines.more():
            _take(lines)
            lines.skip_blank()
        pieces.append(Piece(begin, lines.at))
    return pieces


def resume_at(pieces: Sequence[Piece], text: str) -> int:
    """Return where to cut again after an append: a piece that is but one unfinished line may join the one before."""
    if not pieces:
        return 0
    last = pieces[-1]
    if len(pieces) > 1 and "\n" not in text[last.start : last.end]:
        return pieces[-2].start
    return last.start


class _Lines:
    """A cursor over lines."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at

    def more(self) -> bool:
        return self.at < len(self.text)

    def peek(self) -> str:
        end = self.text.find("\n", self.at)
        return self.text[self.at : end if end >= 0 else len(self.text)]

    def step(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = end + 1 if end >= 0 else len(self.text)

    def skip_blank(self) -> None:
        while self.more() and not self.peek().strip():
            self.step()

    def rest(self) -> Iterator[str]:
        """Yield lines; the cursor stands on the yielded line until the caller steps."""
        while self.more():
            yield self.peek()


def _indented(line: str, by: int) -> bool:
    return len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip(" ")) >= by


def _take(lines: _Lines) -> None:
    line = lines.peek()
    fence = _FENCE.match(line)
    if fence:
        _take_fence(lines, fence[1])
    elif _indented(line, 4):
        _take_over_blanks(lines, lambda text: _indented(text, 4))
    elif _ITEM.match(line) and not _RULE.match(line):
        _take_list(lines)
    else:
        _take_lines(lines)


def _take_fence(lines: _Lines, mark: str) -> None:
    closing = re.compile(rf" {{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$")
    lines.step()
    for line in lines.rest():
        lines.step()
        if closing.match(line):
            return


def _take_over_blanks(lines: _Lines, belongs: Callable[[str], bool]) -> None:
    """Take lines that belong, with the blank lines between them."""
    while lines.more() and belongs(lines.peek()):
        lines.step()
        lines.skip_blank()


def _take_list(lines: _Lines) -> None:
    after_blank = False
    for line in lines.rest():
        if not line.strip():
            after_blank = True
        elif _indented(line, 2) or (_ITEM.match(line) and not _RULE.match(line)):
            after_blank = False
        elif after_blank or _interrupts(line):
            return
        lines.step()


def _take_lines(lines: _Lines) -> None:
    lines.step()
    for line in lines.rest():
        if not line.strip() or _FENCE.match(line):
            return
        if _STARTS_LIST.match(line) and not _RULE.match(line) and not _DELIMITER_ROW.match(line):
            return
        lines.step()


def _interrupts(line: str) -> bool:
    """Tell whether an unindented line ends a list without a blank line before it."""
    return bool(_FENCE.match(line) or _RULE.match(line) or re.match(r" {0,3}(#{1,6}(\s|$)|>)", line))
