"""Steps and ranges in a text: characters as people see them, words, lines; a cluster is never split.

Positions are Python indexes into the text; ``units`` and ``index_of`` convert to Qt's UTF-16 positions.
"""

import unicodedata
from typing import Literal

from PySide6.QtCore import QTextBoundaryFinder

Step = Literal["left", "right", "word_left", "word_right", "line_start", "line_end"]
_REACH = 80
"""Characters around a place in which the borders of its cluster are looked for; no cluster is longer."""


def units(text: str) -> int:
    """Return the length in UTF-16 units."""
    if text.isascii() or max(text) < "\U00010000":
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def index_of(text: str, unit: int) -> int:
    """Return the index of the character that begins at or holds a UTF-16 position."""
    if text.isascii() or max(text) < "\U00010000":
        return min(unit, len(text))
    return len(text.encode("utf-16-le", "surrogatepass")[: 2 * unit].decode("utf-16-le", "ignore"))


def whole(text: str, position: int) -> int:
    """Return the start of the cluster that a position lies in; itself where it lies between two."""
    if text.isascii() or not 0 < position < len(text):
        return max(0, min(position, len(text)))
    start, part, finder = _finder(text, position)
    finder.setPosition(units(part[: position - start]))
    if finder.isAtBoundary():
        return position
    return start + index_of(part, max(0, finder.toPreviousBoundary()))


def cluster_right(text: str, position: int) -> int:
    """Return the end of the cluster that begins at or holds a position."""
    if position + 1 >= len(text):
        return len(text)
    start, part, finder = _finder(text, position)
    finder.setPosition(units(part[: position - start]))
    found = finder.toNextBoundary()
    return start + index_of(part, found) if found >= 0 else len(text)


def cluster_left(text: str, position: int) -> int:
    """Return the start of the cluster before a position."""
    return whole(text, max(0, min(position, len(text)) - 1))


def _finder(text: str, position: int) -> tuple[int, str, QTextBoundaryFinder]:
    start = max(0, position - _REACH)
    part = text[start : position + _REACH]
    return start, part, QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Grapheme, part)


def word_range(text: str, position: int) -> tuple[int, int]:
    """Return the run of word characters around a position, or the cluster there where it is in no word."""
    start = end = max(0, min(position, len(text)))
    while start > 0 and _in_word(text[start - 1]):
        start -= 1
    while end < len(text) and _in_word(text[end]):
        end += 1
    if start == end < len(text) and text[start] != "\n":
        start = whole(text, position)
        end = cluster_right(text, start)
    return start, end


def _in_word(char: str) -> bool:
    return char.isalnum() or char == "_" or unicodedata.category(char)[0] == "M"


def line_range(text: str, position: int) -> tuple[int, int]:
    """Return the line around a position, without its line end."""
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    return start, len(text) if end < 0 else end


def stepped(text: str, position: int, step: Step) -> int | None:
    """Return where a step leads, None where it leaves the text."""
    match step:
        case "left":
            return cluster_left(text, position) if position > 0 else None
        case "right":
            return cluster_right(text, position) if position < len(text) else None
        case "word_left":
            return _word_left(text, position) if position > 0 else None
        case "word_right":
            return _word_right(text, position) if position < len(text) else None
        case "line_start":
            return line_range(text, position)[0]
        case "line_end":
            return line_range(text, position)[1]


def _word_left(text: str, position: int) -> int:
    at = position
    while at > 0 and not _in_word(text[at - 1]):
        at -= 1
    return word_range(text, at)[0] if at else 0


def _word_right(text: str, position: int) -> int:
    at = position
    while at < len(text) and _in_word(text[at]):
        at += 1
    while at < len(text) and not _in_word(text[at]):
        at += 1
    return at
