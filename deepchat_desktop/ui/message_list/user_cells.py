"""The user's message: pictures and files, then the text as typed in a soft bubble on the right.

A long text is several cells that paint one bubble: only the first has round corners above, only the last below.
"""

from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from deepchat_desktop.domain.blocks import FileBlock, ImageBlock, TextBlock
from deepchat_desktop.presenters.message_list_model import MessageView
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks.cell import Cell
from deepchat_desktop.ui.blocks.file_block import FileCell
from deepchat_desktop.ui.blocks.image_block import PictureCell
from deepchat_desktop.ui.blocks.plain_parts import PlainCell, cuts
from deepchat_desktop.ui.blocks.plain_shape import PlainShape
from deepchat_desktop.ui.blocks.shape import Scene, Shape
from deepchat_desktop.ui.paint import rr
from deepchat_desktop.ui.theme import theme

_PAD_X, _PAD_TOP, _PAD_BOTTOM, _RADIUS = 16, 7, 11, 14
_WIDEST, _SHARE = 560, 0.78


class BubbleShape(PlainShape):
    """One part of the bubble; a bubble of several parts is as wide as it may be."""

    def __init__(self, words: str, *, first: bool, last: bool) -> None:
        self._first, self._last = first, last
        super().__init__(words)

    def fit(self, width: int) -> None:
        widest = min(_WIDEST, round(width * _SHARE)) - 2 * _PAD_X
        if self.document.textWidth() != widest:
            self.document.setTextWidth(widest)
        self._inner = widest
        if self._first and self._last:
            self._inner = min(widest, int(self.document.idealWidth()) + 2)
            self.document.setTextWidth(self._inner)
        self.width = width
        body = int(self.document.size().height() + 0.99)
        self.height = body + _PAD_TOP * self._first + _PAD_BOTTOM * self._last

    def bubble(self) -> QRectF:
        """Return where the ground is painted."""
        wide = self._inner + 2 * _PAD_X
        return QRectF(self.width - wide, 0, wide, self.height)

    def origin(self) -> QPointF:
        return QPointF(self.width - self._inner - _PAD_X, _PAD_TOP * self._first)

    def paint(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        box = self.bubble()
        p.save()
        p.setClipRect(box, Qt.ClipOperation.IntersectClip)
        over = box.adjusted(0, 0 if self._first else -2 * _RADIUS, 0, 0 if self._last else 2 * _RADIUS)
        rr(p, over, _RADIUS, theme.bubble)
        p.restore()
        super().paint(p, area, scene)


def source_of(message: MessageView) -> str:
    """Return the text as typed."""
    return "".join(block.text for block in message.blocks if isinstance(block, TextBlock))


def cells(message: MessageView) -> list[Cell]:
    """Return the cells of one message of the user."""
    made: list[Cell] = []
    for index, block in enumerate(message.blocks):
        if isinstance(block, ImageBlock):
            made.append(PictureCell(index, block, right=True))
        elif isinstance(block, FileBlock):
            made.append(FileCell(index, block, right=True))
    source = source_of(message)
    if source:
        ranges = cuts(source)
        index = next(i for i, block in enumerate(message.blocks) if isinstance(block, TextBlock))
        for at, cut in enumerate(ranges):
            made.append(_bubble(index, source, cut, first=at == 0, last=at == len(ranges) - 1))
    for before, cell in pairwise(made):
        cell.set_gap(8 if isinstance(before, PictureCell | FileCell) else 0)
    return made


def _bubble(index: int, source: str, cut: tuple[int, int], *, first: bool, last: bool) -> Cell:
    def build(words: str) -> Shape:
        return BubbleShape(words, first=first, last=last)

    return PlainCell(index, source, cut, build, fonts.scaled(_PAD_TOP * first + _PAD_BOTTOM * last))
