"""Plain mono text in a soft box, wrapped, scrolled inside beyond a height.

Only the rows in sight are drawn. A text beyond ``MAX_SHOWN`` is cut, and what is left out is counted.
"""

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
    """One text. ``offset`` is how far it is scrolled, in px; ``live`` shows its end, where more is to come."""

    pad_left, pad_right, pad_top, pad_bottom = _PAD_X, _PAD_X, _PAD_TOP, _PAD_BOTTOM
    highest = HIGHEST

    def __init__(self, words: str, offset: float = 0.0, language: str = "", *, live: bool = False) -> None:
        self.lines = self.new_lines()
        self.lines.set_code(_cut(words, live=live), language)
        self.block = LineBlock(self.lines, fonts.META)
        self.offset = offset

    def new_lines(self) -> CodeLines:
        """Return what holds the lines."""
        return CodeLines()

    def fit(self, width: int) -> None:
        self.width = width
        self.block.wrap(width - self.pad_left - self.pad_right)
        self._all = self.block.rows() * self.block.high
        self.height = min(self._all + self.pad_top + self.pad_bottom, self.highest)
        self.offset = max(0.0, min(self.offset, self._most()))

    def at_end(self) -> bool:
        """Tell whether its last line is in sight."""
        return self.offset >= self._most()

    def _most(self) -> float:
        return float(max(0, self._all + self.pad_top + self.pad_bottom - self.height))

    def slide(self, at: QPointF, dx: float, dy: float) -> bool:
        wanted = max(0.0, min(self.offset + dy, self._most()))
        moved = wanted != self.offset
        self.offset = wanted
        return moved

    def origin(self) -> QPointF:
        """Return where the first line's corner stands in the shape."""
        return QPointF(self.pad_left, self.pad_top - self.offset)

    def length(self) -> int:
        return self.lines.length()

    def position_at(self, at: QPointF) -> int:
        return self.block.position_at(at.x() - self.pad_left, at.y() - self.pad_top + self.offset)

    def text_between(self, start: int, end: int) -> str:
        return self.lines.between(start, end)

    def word_at(self, position: int) -> tuple[int, int]:
        return self.block.word_at(position)

    def paragraph_at(self, position: int) -> tuple[int, int]:
        return self.block.line_at(position)

    def caret(self, position: int) -> QRectF:
        return self.block.caret(position).translated(self.pad_left, self.pad_top - self.offset)

    def reveal(self, position: int) -> None:
        at = self.block.caret(position)
        low, high = at.bottom() + self.pad_top + self.pad_bottom - self.height, at.top()
        self.offset = max(0.0, min(max(low, min(self.offset, high)), self._most()))

    def stepped(self, position: int, step: Step) -> int | None:
        return self.block.stepped(position, step)

    def paint_ground(self, p: QPainter) -> None:
        """Draw the box."""
        rr(p, QRectF(0, 0, self.width, self.height), 8, theme.code, theme.line)

    def paint_under(self, p: QPainter, line: int, y: float) -> None:
        """Draw what stands under a row, with the painter at the first line's corner."""

    def clip(self) -> QRectF:
        """Return what may be painted on."""
        return QRectF(1, 2, self.width - 2, self.height - 4)

    def paint(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        self.paint_ground(p)
        inside, origin = self.clip(), self.origin()
        p.save()
        p.setClipRect(inside, Qt.ClipOperation.IntersectClip)
        p.translate(origin)
        self.block.paint(p, inside.intersected(area).translated(-origin), 0.0, scene.selection, self.paint_under)
        p.restore()
        if self._most():
            track = self.height - 8
            length = max(24.0, track * self.height / (self.height + self._most()))
            top = 4 + (track - length) * self.offset / self._most()
            rr(p, QRectF(self.width - 7, top, 4, length), 2, theme.scroll)


def _cut(words: str, *, live: bool) -> str:
    """Return as much as is shown: the beginning, or the end while more is to come."""
    more = len(words) - MAX_SHOWN
    if more <= 0:
        return words
    note = QCoreApplication.translate("ToolCard", "… {count} more characters").format(count=f"{more:,}")
    return f"{note}\n{words[-MAX_SHOWN:]}" if live else f"{words[:MAX_SHOWN]}\n{note}"
