"""The mark that a call waits, or waited, for the user, where the call's own card does not stand in the message."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QRectF
from PySide6.QtGui import QPainter

from deepchat_desktop.domain.blocks import Block, PermissionBlock
from deepchat_desktop.domain.visible_text import visible_exact
from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.blocks.cell import Cell, Choices
from deepchat_desktop.ui.blocks.fold_paint import FOLD_HEIGHT
from deepchat_desktop.ui.blocks.shape import Scene, Shape
from deepchat_desktop.ui.icons import IconName
from deepchat_desktop.ui.paint import text
from deepchat_desktop.ui.theme import theme


def _tr(words: str) -> str:
    return QCoreApplication.translate("PermissionBlock", words)


def words_of(mark: PermissionBlock) -> str:
    """Return the mark in words."""
    states = {
        "pending": _tr("Waiting for you"),
        "granted": _tr("Allowed by you"),
        "denied": _tr("Refused by you"),
        "void": _tr("No longer asked"),
    }
    return f"{states[mark.status]} · {visible_exact(mark.summary or mark.tool, multiline=False)}"


class MarkShape(Shape):
    """One line."""

    def __init__(self, mark: PermissionBlock) -> None:
        self._mark = mark

    def fit(self, width: int) -> None:
        self.width, self.height = width, FOLD_HEIGHT

    def paint(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        icon: IconName = "prohibit" if self._mark.status == "denied" else "hand-palm"
        tone = theme.warn if self._mark.status == "pending" else theme.muted
        icons.draw(p, QRectF(0, 0, 18, FOLD_HEIGHT), icon, tone, 16)
        text(p, QRectF(26, 0, self.width - 26, FOLD_HEIGHT), words_of(self._mark), fonts.CONTROL, colour=theme.muted)


class MarkCell(Cell):
    """The mark."""

    def __init__(self, index: int, mark: PermissionBlock) -> None:
        super().__init__(index)
        self._mark = mark

    def make(self) -> Shape:
        return MarkShape(self._mark)

    def guess(self, width: int) -> int:
        return FOLD_HEIGHT

    def name(self) -> str:
        return words_of(self._mark)


def cells(block: Block, choices: Choices, old: Sequence[Cell]) -> list[Cell]:
    """Return the mark of a call that has no card of its own."""
    if not isinstance(block, PermissionBlock) or block.call_id in choices.calls:
        return []
    return [MarkCell(choices.index, block)]
