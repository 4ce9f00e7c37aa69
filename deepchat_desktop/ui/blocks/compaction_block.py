"""The mark that older turns are sent as a summary from here on; it unfolds the summary.

Invariant: it never says that something is gone, since nothing is: only what is sent became shorter.
"""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QRectF
from PySide6.QtGui import QPainter

from deepchat_desktop.domain.blocks import Block, CompactionBlock
from deepchat_desktop.domain.visible_text import visible_prose
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks.cell import Cell, Choices, guessed_lines
from deepchat_desktop.ui.blocks.column_shape import ColumnShape
from deepchat_desktop.ui.blocks.fold_paint import FOLD_HEIGHT, fold_line, mark_line
from deepchat_desktop.ui.blocks.markdown_parse import parse
from deepchat_desktop.ui.blocks.shape import Scene, Shape, Spot
from deepchat_desktop.ui.blocks.stack_shape import StackShape
from deepchat_desktop.ui.blocks.table_shape import Columns
from deepchat_desktop.ui.icons import IconName
from deepchat_desktop.ui.paint import hline, rr
from deepchat_desktop.ui.theme import theme

_INDENT = 26
_ICONS: dict[str, IconName | None] = {
    "running": None, "failed": "warning-circle", "done": "arrows-in-line-vertical"
}  # fmt: skip


def _tr(words: str) -> str:
    return QCoreApplication.translate("CompactionBlock", words)


def words_of(mark: CompactionBlock) -> str:
    """Return the mark in words."""
    match mark.status:
        case "running":
            return _tr("Summarising earlier turns…")
        case "failed":
            why = visible_prose(mark.why)
            words = _tr("Earlier turns could not be summarised; all were sent")
            return f"{words} · {why}" if why else words
        case "done":
            words = _tr("An earlier turn was summarised") if mark.turns == 1 else (
                _tr("{count} earlier turns were summarised").format(count=mark.turns)
            )
            if not mark.tokens_before or not mark.tokens_after:
                return words
            sizes = _tr("{before} → {after} tokens")
            return f"{words} · {sizes.format(before=f'{mark.tokens_before:,}', after=f'{mark.tokens_after:,}')}"


class MarkShape(Shape):
    """One line with a rule to its right."""

    def __init__(self, mark: CompactionBlock, *, open: bool) -> None:
        self._mark, self._open = mark, open
        self._words = words_of(mark)
        self.turning = mark.status == "running"

    def fit(self, width: int) -> None:
        self.width, self.height = width, FOLD_HEIGHT

    def spots(self) -> list[Spot]:
        if not self._mark.summary:
            return []
        wide = min(fonts.text_width(self._words, fonts.CONTROL) + 50, self.width)
        return [Spot(QRectF(0, 0, wide, FOLD_HEIGHT), "toggle", self._words, self._open)]

    def paint(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        lit = scene.lit == "toggle"
        icon = _ICONS[self._mark.status]
        if self._mark.summary:
            used = fold_line(p, self.width, icon, self._words, open=self._open, lit=lit)
        else:
            used = mark_line(p, self.width, icon, self._words, degrees=scene.degrees)
        if used + 24 < self.width:
            hline(p, used + 16, FOLD_HEIGHT / 2, self.width - used - 16)


class SummaryShape(ColumnShape):
    """The summary beside its rule."""

    def __init__(self, summary: str) -> None:
        super().__init__()
        self.shapes.append(StackShape(parse(summary), Columns(), {}))

    def fit(self, width: int) -> None:
        self.width = width
        (body,) = self.shapes
        body.fit(width - _INDENT)
        self.places = [(_INDENT, 4)]
        self.height = body.height + 8

    def paint(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        rr(p, QRectF(7, 0, 2, self.height), 1, theme.line)
        super().paint(p, area, scene)


class SummaryCell(Cell):
    """The summary."""

    def __init__(self, choices: Choices, summary: str) -> None:
        super().__init__(choices.index)
        self._summary = summary

    def make(self) -> Shape:
        return SummaryShape(self._summary)

    def guess(self, width: int) -> int:
        return 8 + guessed_lines(len(self._summary), width) * fonts.line_height(fonts.BODY)

    def markdown(self) -> str:
        return self._summary.strip("\n")


class MarkCell(Cell):
    """The line."""

    def __init__(self, choices: Choices, mark: CompactionBlock, *, open: bool) -> None:
        super().__init__(choices.index)
        self._mark, self._open = mark, open

    def make(self) -> Shape:
        return MarkShape(self._mark, open=self._open)

    def guess(self, width: int) -> int:
        return FOLD_HEIGHT

    def markdown(self) -> str:
        return f"*{words_of(self._mark)}*"

    def name(self) -> str:
        return words_of(self._mark)


def cells(block: Block, choices: Choices, old: Sequence[Cell]) -> list[Cell]:
    """Return the mark and, when it is open, the summary."""
    if not isinstance(block, CompactionBlock):
        return []
    open = bool(block.summary) and choices.folds.get("open", False)
    head: list[Cell] = [MarkCell(choices, block, open=open)]
    if not open:
        return head
    return [*head, SummaryCell(choices, block.summary)]
