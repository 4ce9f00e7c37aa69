"""Paints lines of mono text, wrapped or not, and finds places in them; only what is in sight costs.

Invariant: of a line longer than ``LONG`` only the characters in sight are measured and drawn.
"""

from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache
from itertools import accumulate
from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QStaticText

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks import text_steps
from deepchat_desktop.ui.blocks.code_lines import CodeLines
from deepchat_desktop.ui.blocks.highlight import TONES, Tone
from deepchat_desktop.ui.theme import theme

LONG = 10_000
_CHUNK = 256
_WORD = 80
"""Characters of a word that is worth keeping."""


class Ink(NamedTuple):
    """What a painting writes with: the theme's colours, and the key of the font."""

    colours: dict[Tone, QColor]
    font: str


@lru_cache(maxsize=4096)
def _shaped(words: str, size: int, _font: str) -> QStaticText:
    """Return words with their glyphs found: code repeats its words, and finding glyphs is most of drawing them.

    Only for ASCII: a glyph from another font could make the words higher, and their top is what they are placed by.
    """
    made = QStaticText(words)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
    made.prepare(font=fonts.font(size, mono=True))
    return made


class LineBlock:
    """The lines of a ``CodeLines`` in one size of type. ``painted`` counts characters drawn."""

    def __init__(self, lines: CodeLines, size: int = fonts.CONTROL) -> None:
        self.lines = lines
        self.size = size
        self.metrics: QFontMetricsF = fonts.metrics(size, mono=True)
        self.high = fonts.line_height(size)
        self.advance = self.metrics.horizontalAdvance("0" * 100) / 100
        self.columns = 0
        """Characters per row; 0 without wrapping."""
        self.painted = 0
        self._tops: list[int] = []
        self._known = 0
        self._chunks: dict[int, list[float]] = {}

    def wrap(self, width: float) -> None:
        """Wrap at a width in px, or not at all at 0; call again after growth."""
        columns = max(8, int(width / self.advance)) if width else 0
        lines = self.lines.lines
        if columns and (columns != self.columns or self._known > len(lines)):
            self._tops, self._known = [0], 0
        self.columns = columns
        if columns:
            first = max(0, self._known - 1)  # the last line may have grown
            del self._tops[first + 1 :]
            counts = (self._rows_of(line) for line in lines[first:])
            self._tops[first:] = accumulate(counts, initial=self._tops[first])
            self._known = len(lines)
        self._chunks.clear()

    def _rows_of(self, line: str) -> int:
        wide = len(line) if line.isascii() or len(line) > LONG else self.metrics.horizontalAdvance(line) / self.advance
        return max(1, ceil(wide / self.columns - 0.01))

    def rows(self) -> int:
        """Return how many rows there are."""
        return self._tops[-1] if self.columns else len(self.lines.lines)

    def content_width(self) -> float:
        """Return the width of the widest line without wrapping."""
        wide = self.lines.widest
        if self.lines.ascii or len(wide) > LONG:
            return self.advance * len(wide) * (1 if wide.isascii() else 2)
        most = sorted(set(self.lines.lines), key=len)[-50:]
        return max(self.metrics.horizontalAdvance(line) for line in most)

    def last_line(self, y: float) -> int:
        """Return the line at a height, the last one below all."""
        return self._row(min(max(0, int(y // self.high)), self.rows() - 1))[0]

    def _row(self, row: int) -> tuple[int, int, int]:
        """Return the line of a row and the characters of it that stand there."""
        if not self.columns:
            return row, 0, len(self.lines.lines[row])
        index = bisect_right(self._tops, row) - 1
        line = self.lines.lines[index]
        rows = self._tops[index + 1] - self._tops[index]
        step = self.columns if line.isascii() or len(line) > LONG else ceil(len(line) / rows) if rows else len(line)
        first = (row - self._tops[index]) * step
        return index, first, len(line) if row + 1 == self._tops[index + 1] else first + step

    def x_of(self, line: int, column: int) -> float:
        """Return where a character of an unwrapped line begins."""
        words = self.lines.lines[line]
        if words.isascii():
            return column * self.advance
        if len(words) <= LONG:
            return self.metrics.horizontalAdvance(words[:column])
        edges = self._chunks.setdefault(line, [0.0])
        chunk = column // _CHUNK
        while len(edges) <= chunk:
            at = (len(edges) - 1) * _CHUNK
            edges.append(edges[-1] + self.metrics.horizontalAdvance(words[at : at + _CHUNK]))
        return edges[chunk] + self.metrics.horizontalAdvance(words[chunk * _CHUNK : column])

    def _column_at(self, line: int, x: float, low: int, high: int) -> int:
        """Return the gap of a line that is nearest to ``x``, between two of its columns."""
        base = self.x_of(line, low)
        while low < high:
            middle = (low + high) // 2
            edge = (self.x_of(line, middle) + self.x_of(line, middle + 1)) / 2 - base
            low, high = (middle + 1, high) if x > edge else (low, middle)
        return low if self.lines.ascii else text_steps.whole(self.lines.lines[line], low)

    def _line_of(self, position: int) -> tuple[int, int]:
        """Return the line of a place and the column in it."""
        line = max(0, bisect_right(self.lines.starts, position) - 1)
        return line, min(position - self.lines.starts[line], len(self.lines.lines[line]))

    def line_of(self, position: int) -> int:
        """Return the line that a place is in."""
        return self._line_of(position)[0]

    def caret(self, position: int) -> QRectF:
        """Return where the gap before a character stands."""
        line, column = self._line_of(position)
        row, first = line, 0
        if self.columns:
            row = self._tops[line]
            while row + 1 < self._tops[line + 1] and self._row(row)[2] <= column:
                row += 1
            first = self._row(row)[1]
        x = self.x_of(line, column) - (self.x_of(line, first) if first else 0.0)
        return QRectF(x, row * self.high, 0, self.high)

    def stepped(self, position: int, step: text_steps.Step) -> int | None:
        """Return where a step leads, None where it leaves the text."""
        line, column = self._line_of(position)
        inner = text_steps.stepped(self.lines.lines[line], column, step)
        if inner is not None:
            return self.lines.starts[line] + inner
        beyond = position - 1 if step.endswith("left") else position + 1
        return beyond if 0 <= beyond <= self.lines.length() else None

    def word_at(self, position: int) -> tuple[int, int]:
        """Return the range of the word around a place."""
        line, column = self._line_of(position)
        start = self.lines.starts[line]
        low, high = text_steps.word_range(self.lines.lines[line], column)
        return start + low, start + high

    def line_at(self, position: int) -> tuple[int, int]:
        """Return the range of the line around a place."""
        line, _ = self._line_of(position)
        return self.lines.starts[line], self.lines.starts[line] + len(self.lines.lines[line])

    def position_at(self, x: float, y: float) -> int:
        """Return the place nearest to a point."""
        row = int(y // self.high)
        if row < 0:
            return 0
        if row >= self.rows():
            return self.lines.length()
        line, first, last = self._row(row)
        return self.lines.starts[line] + self._column_at(line, x, first, last)

    def paint(
        self, p: QPainter, area: QRectF, offset: float, selection: tuple[int, int],
        under: Callable[[QPainter, int, float], None] | None = None,
    ) -> None:  # fmt: skip
        """Draw the rows that meet ``area``; the first row's corner is the painter's. ``under`` draws a row's ground."""
        first = max(0, int(area.top() // self.high))
        last = min(self.rows(), int(area.bottom() // self.high) + 1)
        rise = (self.high + self.metrics.ascent() - self.metrics.descent()) / 2
        font = fonts.font(self.size, mono=True)
        p.setFont(font)
        ink = Ink({tone: getattr(theme, tone) for tone in TONES}, font.key())
        for row in range(first, last):
            line, start, end = self._row(row)
            y = row * self.high
            if under is not None:
                under(p, line, y)
            base = self.x_of(line, start) if start else 0.0
            if not self.columns and end > LONG:
                start = max(0, self._column_at(line, offset, 0, end) - 2)
                end = min(end, self._column_at(line, area.width(), start, end) + 4)
            self._paint_selection(p, (line, start, end), y, offset + base, selection)
            self._paint_row(p, (line, start, end), round(y + rise), base + offset, ink)

    def _paint_row(self, p: QPainter, row: tuple[int, int, int], y: int, shift: float, ink: Ink) -> None:
        line, start, end = row
        at, even, top = 0, self.lines.lines[line].isascii(), y - self.metrics.ascent()
        for words, tone in self.lines.runs(line):
            low, high = max(start, at), min(end, at + len(words))
            shown = words[low - at : high - at] if low < high else ""
            self.painted += len(shown)
            if shown and not shown.isspace():
                x = round((low * self.advance if even else self.x_of(line, low)) - shift)
                p.setPen(ink.colours[tone])
                if even and len(shown) <= _WORD:
                    p.drawStaticText(QPointF(x, top), _shaped(shown, self.size, ink.font))
                else:
                    p.drawText(x, y, shown)
            at += len(words)
            if at >= end:
                break

    def _paint_selection(
        self, p: QPainter, row: tuple[int, int, int], y: float, shift: float, selection: tuple[int, int]
    ) -> None:
        line, start, end = row
        begin = self.lines.starts[line]
        low, high = max(selection[0] - begin, start), min(selection[1] - begin, end)
        if selection[0] < selection[1] and (low < high or selection[0] <= begin + start < selection[1]):
            left = self.x_of(line, min(low, end)) - shift
            ground = theme.accent
            ground.setAlpha(70)
            p.fillRect(QRectF(left, y, max(4.0, self.x_of(line, max(low, high)) - shift - left), self.high), ground)
