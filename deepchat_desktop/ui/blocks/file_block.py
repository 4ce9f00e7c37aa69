"""An attached file as a block of a message: its name, its size, and whether a model reads all of it."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QLocale, QRectF, Qt
from PySide6.QtGui import QPainter

from deepchat_desktop.domain.blocks import Block, FileBlock
from deepchat_desktop.domain.visible_text import visible_exact
from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.blocks.cell import Cell, Choices
from deepchat_desktop.ui.blocks.shape import Scene, Shape
from deepchat_desktop.ui.paint import rr, text
from deepchat_desktop.ui.theme import theme

HEIGHT, _WIDEST = 48, 360


def facts_of(file: FileBlock, *, short: bool = False) -> str:
    """Return the size, and how much of the file is sent where that is not all."""
    size = QLocale().formattedDataSize(file.size, 1, QLocale.DataSizeFormat.DataSizeSIFormat)
    if not file.left_out:
        return size
    if short:
        return QCoreApplication.translate("Attachments", "{size}, sent in part").format(size=size)
    words = QCoreApplication.translate("Attachments", "{size}, its first and last {count} characters are sent")
    return words.format(size=size, count=f"{len(file.text):,}")


class FileShape(Shape):
    """A card with an icon and two lines; ``right`` stands it there."""

    def __init__(self, name: str, facts: str, *, right: bool) -> None:
        self._name, self._facts, self._right = name, facts, right

    def fit(self, width: int) -> None:
        self.width, self.height = width, HEIGHT

    def paint(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        wide = min(_WIDEST, self.width)
        box = QRectF(self.width - wide if self._right else 0, 0, wide, self.height)
        rr(p, box, 10, theme.bubble if self._right else None, theme.line)
        icons.draw(p, QRectF(box.left() + 12, 0, 20, self.height), "file-text", theme.muted, 20)
        x, room = box.left() + 42, wide - 54
        middle = Qt.TextElideMode.ElideMiddle
        text(p, QRectF(x, 5, room, 20), self._name, fonts.CONTROL, fonts.MEDIUM, theme.text, elide=middle)
        text(p, QRectF(x, 24, room, 18), self._facts, fonts.META, colour=theme.subtle)

    def length(self) -> int:
        return len(self._name)

    def position_at(self, at: object) -> int:
        return 0

    def text_between(self, start: int, end: int) -> str:
        return self._name[start:end]


class FileCell(Cell):
    """One attached file."""

    def __init__(self, index: int, file: FileBlock, *, right: bool = False) -> None:
        super().__init__(index)
        self.file, self._right = file, right
        self._name = visible_exact(file.name, multiline=False)

    def make(self) -> Shape:
        return FileShape(self._name, facts_of(self.file), right=self._right)

    def guess(self, width: int) -> int:
        return HEIGHT

    def markdown(self) -> str:
        return self._name

    def name(self) -> str:
        words = QCoreApplication.translate("Attachments", "File {name}, {facts}")
        return words.format(name=self._name, facts=facts_of(self.file))


def cells(block: Block, choices: Choices, old: Sequence[Cell]) -> list[Cell]:
    """Return the file's cell."""
    if not isinstance(block, FileBlock):
        return []
    kept = [cell for cell in old if isinstance(cell, FileCell) and cell.file == block]
    return [*kept] or [FileCell(choices.index, block)]
