"""Plain mono text in a soft box, wrapped, scrolled inside beyond a height; a diff's lines are tinted.

Only the rows in sight are drawn. A text beyond ``MAX_SHOWN`` is cut, and what is left out is counted.
"""

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks.code_lines import CodeLines
from deepchat_desktop.ui.blocks.line_block import LineBlock
from deepchat_desktop.ui.blocks.shape import Scene, Shape
from deepchat_desktop.ui.blocks.text_steps import Step
from deepchat_desktop.ui.paint import rr
from deepchat_desktop.ui.theme import theme

MAX_SHOWN = 100_000
HIGHEST = 260
_PAD_X, _PAD_TOP, _PAD_BOTTOM = 12, 6, 10


class WellShape(Shape):
    """One text. ``offset`` is how far it is scrolled, in px."""

    def __init__(self, words: str, offset: float = 0.0) -> None:
        more = len(words) - MAX_SHOWN
        if more > 0:
            note = QCoreApplication.translate("ToolCard", "… {count} more characters").format(count=more)
            words = f"{words[:MAX_SHOWN]}\n{note}"
        self.lines = CodeLines()
        self.lines.set_code(words, "")
        self.block = LineBlock(self.lines, fonts.META)
        self.offset = offset
        self._diff = is_diff(words)

    def fit(self, width: int) -> None:
        self.width = width
        self.block.wrap(width - 2 * _PAD_X)
        self._all = self.block.rows() * self.block.high
        self.height = min(self._all + _PAD_TOP + _PAD_BOTTOM, HIGHEST)
        self.offset = max(0.0, min(self.offset, self._most()))

    def _most(self) -> float:
        return float(max(0, self._all + _PAD_TOP + _PAD_BOTTOM - self.height))

    def slide(self, at: QPointF, dx: float, dy: float) -> bool:
        wanted = max(0.0, min(self.offset + dy, self._most()))
        moved = wanted != self.offset
        self.offset = wanted
        return moved

    def origin(self) -> QPointF:
        """Return where the first line's corner stands in the shape."""
        return QPointF(_PAD_X, _PAD_TOP - self.offset)

    def length(self) -> int:
        return self.lines.length()

    def position_at(self, at: QPointF) -> int:
        return self.block.position_at(at.x() - _PAD_X, at.y() - _PAD_TOP + self.offset)

    def text_between(self, start: int, end: int) -> str:
        return self.lines.between(start, end)

    def word_at(self, position: int) -> tuple[int, int]:
        return self.block.word_at(position)

    def paragraph_at(self, position: int) -> tuple[int, int]:
        return self.block.line_at(position)

    def caret(self, position: int) -> QRectF:
        return self.block.caret(position).translated(_PAD_X, _PAD_TOP - self.offset)

    def reveal(self, position: int) -> None:
        at = self.block.caret(position)
        low, high = at.bottom() + _PAD_TOP + _PAD_BOTTOM - self.height, at.top()
        self.offset = max(0.0, min(max(low, min(self.offset, high)), self._most()))

    def stepped(self, position: int, step: Step) -> int | None:
        return self.block.stepped(position, step)

    def paint(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        rr(p, QRectF(0, 0, self.width, self.height), 8, theme.code, theme.line)
        inside = QRectF(1, 2, self.width - 2, self.height - 4)
        p.save()
        p.setClipRect(inside, Qt.ClipOperation.IntersectClip)
        p.translate(_PAD_X, _PAD_TOP - self.offset)
        seen = inside.intersected(area).translated(-_PAD_X, self.offset - _PAD_TOP)
        under: Callable[[QPainter, int, float], None] | None = self._tint if self._diff else None
        self.block.paint(p, seen, 0.0, scene.selection, under)
        p.restore()
        if self._most():
            track = self.height - 8
            length = max(24.0, track * self.height / (self.height + self._most()))
            top = 4 + (track - length) * self.offset / self._most()
            rr(p, QRectF(self.width - 7, top, 4, length), 2, theme.scroll)

    def _tint(self, p: QPainter, line: int, y: float) -> None:
        words = self.lines.lines[line]
        if words.startswith(("+", "-")) and not words.startswith(("+++", "---")):
            ground = theme.add if words.startswith("+") else theme.dele
            p.fillRect(QRectF(-_PAD_X, y, self.width, self.block.high), ground)


def is_diff(words: str) -> bool:
    """Tell whether a text is a unified diff, by its beginning."""
    start = words[:4000]
    return "\n@@ " in f"\n{start}" and ("\n+" in start or "\n-" in start)
