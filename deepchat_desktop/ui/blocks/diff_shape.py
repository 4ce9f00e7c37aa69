"""A diff as it is read in a card: two columns of line numbers, the sign, the line; tints over the full width.

Invariants: the sign says without colour what happened to a line; positions count the lines without their signs, and
what is copied has them where a line is taken from its start.
"""

from PySide6.QtCore import QCoreApplication, QPointF, QRectF
from PySide6.QtGui import QColor, QPainter

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks.code_lines import CodeLines
from deepchat_desktop.ui.blocks.diff_lines import MAX_LINES, DiffLine
from deepchat_desktop.ui.blocks.highlight import Line
from deepchat_desktop.ui.blocks.well_shape import WellShape
from deepchat_desktop.ui.paint import Align, text
from deepchat_desktop.ui.theme import theme

_NUMBER, _GUTTER, _SIGN, _TEXT = 28, 64, 70, 86
_PAD = 8
HIGHEST = 420


class _DiffLines(CodeLines):
    """Code in which the heads of hunks are no code."""

    def __init__(self, diff: tuple[DiffLine, ...]) -> None:
        self._diff = diff
        super().__init__()

    def runs(self, line: int) -> Line:
        return ((self.lines[line], "syn_comment"),) if self._diff[line].sign == "@" else super().runs(line)


class DiffShape(WellShape):
    """The lines of one change. ``language`` is a name or ending that Pygments knows."""

    def __init__(self, lines: tuple[DiffLine, ...], language: str, offset: float = 0.0) -> None:
        self.diff = lines[:MAX_LINES]
        words = [line.text for line in self.diff]
        if len(lines) > MAX_LINES:
            note = QCoreApplication.translate("ToolCard", "… {count} more lines").format(count=len(lines) - MAX_LINES)
            self.diff = (*self.diff, DiffLine("@", None, None, note))
            words.append(note)
        super().__init__("\n".join(words), offset, language)

    def new_lines(self) -> CodeLines:
        return _DiffLines(self.diff)

    pad_left, pad_right, pad_top, pad_bottom = _TEXT, 8, _PAD, _PAD
    highest = HIGHEST

    def text_between(self, start: int, end: int) -> str:
        words = super().text_between(start, end)
        if "\n" not in words:
            return words
        first = self.block.line_of(start)
        whole = start == self.lines.starts[first]
        parts = words.split("\n")
        return "\n".join(
            part if index == 0 and not whole else self._signed(first + index, part) for index, part in enumerate(parts)
        )

    def _signed(self, line: int, words: str) -> str:
        sign = self.diff[line].sign
        return words if sign == "@" else sign + words

    def markdown_between(self, start: int, end: int) -> str:
        words = self.text_between(start, end)
        return f"```diff\n{words}\n```" if "\n" in words else words

    def paint_ground(self, p: QPainter) -> None:
        """The card is the frame."""

    def paint_under(self, p: QPainter, line: int, y: float) -> None:
        sign, old, new, _ = self.diff[line]
        area = QRectF(-self.pad_left, y, self.width, self.block.high)
        if sign in "+-":
            p.fillRect(area, theme.add if sign == "+" else theme.dele)
            gutter = QRectF(area.left(), y, _GUTTER, area.height())
            p.fillRect(gutter, theme.add_num if sign == "+" else theme.dele_num)
            tone: QColor = theme.ok if sign == "+" else theme.danger
            at = QRectF(area.left() + _SIGN, y, 12, area.height())
            text(p, at, "+" if sign == "+" else "−", fonts.META, colour=tone, mono=True)
        for index, number in enumerate((old, new)):
            if number is not None and self.first_row(line, y):
                box = QRectF(area.left() + index * (_NUMBER + 2), y, _NUMBER, area.height())
                ink = theme.muted if sign in "+-" else theme.subtle
                text(p, box, str(number), fonts.META, colour=ink, mono=True, align=Align.AlignRight)
        p.setFont(fonts.font(fonts.META, mono=True))

    def first_row(self, line: int, y: float) -> bool:
        """Tell whether a row is the first one of its line."""
        return self.block.caret(self.lines.starts[line]).y() == y

    def position_at(self, at: QPointF) -> int:
        return super().position_at(QPointF(max(at.x(), self.pad_left), at.y()))

    def clip(self) -> QRectF:
        """Return what may be painted on: the card has round corners of its own."""
        return QRectF(1, 0, self.width - 2, self.height)


