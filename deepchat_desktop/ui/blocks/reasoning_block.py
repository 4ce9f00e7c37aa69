"""The model's reasoning: one fold line, open while it runs, folded when the answer starts; its text in parts.

Invariant: once the user has opened or closed it, only the user moves it.
"""

import time
from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QPointF, QRectF
from PySide6.QtGui import QPainter

from deepchat_desktop.domain.blocks import Block, ReasoningBlock
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks.cell import Cell, Choices
from deepchat_desktop.ui.blocks.fold_paint import FOLD_HEIGHT, fold_line
from deepchat_desktop.ui.blocks.plain_parts import PlainCell, cuts
from deepchat_desktop.ui.blocks.plain_shape import PlainShape
from deepchat_desktop.ui.blocks.shape import Scene, Shape, Spot
from deepchat_desktop.ui.paint import rr
from deepchat_desktop.ui.theme import theme

_INDENT = 26


def words_of(block: ReasoningBlock, now_s: float) -> str:
    """Return what the fold line says. ``now_s`` is seconds since 1970."""
    start, end = block.started_at, block.ended_at
    if block.open:
        seconds = max(0, int(now_s - start / 1000)) if start else 0
        words = _tr("Thinking… {seconds} s") if seconds else _tr("Thinking…")
        return words.format(seconds=seconds)
    if start is not None and end is not None and end - start >= 1000:
        return _tr("Thought for {seconds} s").format(seconds=round((end - start) / 1000))
    return _tr("Thought for a moment")


def _tr(words: str) -> str:
    return QCoreApplication.translate("ReasoningBlock", words)


class FoldShape(Shape):
    """The fold line."""

    def __init__(self, block: ReasoningBlock, *, open: bool) -> None:
        self._block, self._open = block, open
        self.turning = block.open

    def fit(self, width: int) -> None:
        self.width, self.height = width, FOLD_HEIGHT

    def spots(self) -> list[Spot]:
        words = words_of(self._block, time.time())
        wide = fonts.text_width(words, fonts.CONTROL) + 50
        return [Spot(QRectF(0, 0, min(wide, self.width), FOLD_HEIGHT), "toggle", words, self._open)]

    def paint(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        words = words_of(self._block, time.time())
        icon = None if self._block.open else "brain"
        lit = scene.lit == "toggle"
        fold_line(p, self.width, icon, words, open=self._open, lit=lit, degrees=scene.degrees)  # type: ignore[arg-type]


class IndentedShape(PlainShape):
    """A part of the reasoning's text beside its rule."""

    def fit(self, width: int) -> None:
        super().fit(width)
        self.height += 4

    def document_width(self, width: int) -> float:
        return width - _INDENT

    def origin(self) -> QPointF:
        return QPointF(_INDENT, 2)

    def paint(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        rr(p, QRectF(7, 0, 2, self.height), 1, theme.line)
        super().paint(p, area, scene)


class _Head(Cell):
    def __init__(self, choices: Choices, block: ReasoningBlock, *, open: bool) -> None:
        super().__init__(choices.index)
        self._block, self._open = block, open

    def make(self) -> Shape:
        return FoldShape(self._block, open=self._open)

    def guess(self, width: int) -> int:
        return FOLD_HEIGHT

    def name(self) -> str:
        return words_of(self._block, time.time())


def _body(words: str) -> Shape:
    return IndentedShape(words, fonts.CONTROL, "muted")


def cells(block: Block, choices: Choices, old: Sequence[Cell]) -> list[Cell]:
    """Return the fold line and, when it is open, the text."""
    if not isinstance(block, ReasoningBlock):
        return []
    open = choices.folds.get("open", block.open)
    choices.memory["open"] = open
    made: list[Cell] = [_Head(choices, block, open=open)]
    if not open:
        return made
    text = block.text.strip("\n")
    known = {cell.cut[0]: cell for cell in old if isinstance(cell, PlainCell)}
    for cut in cuts(text):
        kept = known.get(cut[0])
        cell = PlainCell(choices.index, text, cut, _body)
        if kept is not None and isinstance(kept.shape, PlainShape):
            cell.shape, cell.height, cell.width = kept.shape, kept.height, kept.width
            if kept.words() != cell.words():
                kept.shape.set_text(cell.words())
                cell.stale()
        made.append(cell)
    return made
