"""The card of one tool call: a head with its state, opening to permission, arguments and result.

Invariant: name, arguments and result are plain text with invisible characters shown.
"""

import time
from collections.abc import Sequence
from typing import cast

from PySide6.QtCore import QCoreApplication, QPointF, QRectF
from PySide6.QtGui import QPainter

from deepchat_desktop.domain.blocks import Block, ToolCallBlock
from deepchat_desktop.domain.find import argument_lines
from deepchat_desktop.domain.visible_text import visible_exact
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks import tool_words
from deepchat_desktop.ui.blocks.cell import Cell, Choices
from deepchat_desktop.ui.blocks.fold_paint import CARD_HEIGHT, Card, card_head
from deepchat_desktop.ui.blocks.shape import Scene, Shape, Spot
from deepchat_desktop.ui.blocks.well_shape import WellShape
from deepchat_desktop.ui.paint import hline, rr, text
from deepchat_desktop.ui.theme import theme

_PAD, _LABEL = 12, 18


def _tr(words: str) -> str:
    return QCoreApplication.translate("ToolCard", words)


def head_of(call: ToolCallBlock) -> Card:
    """Return what the head says now."""
    icon, words, tone = tool_words.state_of(call, round(time.time() * 1000))
    name = visible_exact(call.name, multiline=False)
    return Card(tool_words.icon_of(call.name), name, tool_words.argument_of(call), icon, words, tone)


class ToolShape(Shape):
    """One call. ``offsets`` keeps how far its texts are scrolled."""

    def __init__(self, call: ToolCallBlock, offsets: dict[int, float], *, open: bool) -> None:
        self._call, self._offsets, self._open = call, offsets, open
        self.turning = call.status in ("streaming", "running")
        texts = [(_tr("Arguments"), argument_lines(call))]
        if call.result:
            texts.append((_tr("Result"), call.result))
        self._titles = [title for title, _ in texts] if open else []
        self.wells = [WellShape(words, offsets.get(i, 0.0)) for i, (_, words) in enumerate(texts)] if open else []
        self._tops: list[int] = []

    def fit(self, width: int) -> None:
        self.width = width
        y = CARD_HEIGHT
        self._tops = []
        for well in self.wells:
            well.fit(width - 2 * _PAD)
            y += 8 + _LABEL + 4
            self._tops.append(y)
            y += well.height
        self.height = y + _PAD if self.wells else y

    def spots(self) -> list[Spot]:
        head = head_of(self._call)
        name = " ".join(part for part in (head.name, head.argument, head.state) if part)
        return [Spot(QRectF(0, 0, self.width, CARD_HEIGHT), "toggle", name, self._open)]

    def slide(self, at: QPointF, dx: float, dy: float) -> bool:
        for index, (well, top) in enumerate(zip(self.wells, self._tops, strict=True)):
            if top <= at.y() < top + well.height and well.slide(at, dx, dy):
                self._offsets[index] = well.offset
                return True
        return False

    def name(self) -> str:
        """Return the tool's name as the head shows it."""
        return head_of(self._call).name

    def well_places(self) -> list[tuple[WellShape, QPointF]]:
        """Return the texts with where their corners stand."""
        return [(well, QPointF(_PAD, top)) for well, top in zip(self.wells, self._tops, strict=True)]

    def _starts(self) -> list[int]:
        starts = [0]
        for well in self.wells:
            starts.append(starts[-1] + well.length() + 1)
        return starts

    def length(self) -> int:
        return max(0, self._starts()[-1] - 1)

    def position_at(self, at: QPointF) -> int:
        starts = self._starts()
        for index in reversed(range(len(self.wells))):
            if at.y() >= self._tops[index]:
                return starts[index] + self.wells[index].position_at(at - QPointF(_PAD, self._tops[index]))
        return 0

    def text_between(self, start: int, end: int) -> str:
        words = [
            well.text_between(max(0, start - at), end - at)
            for well, at in zip(self.wells, self._starts(), strict=False)
            if end > at and start < at + well.length()
        ]
        return "\n".join(words)

    def word_at(self, position: int) -> tuple[int, int]:
        for well, at in reversed(list(zip(self.wells, self._starts(), strict=False))):
            if position >= at:
                low, high = well.word_at(position - at)
                return low + at, high + at
        return position, position

    def paint(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        rr(p, QRectF(0, 0, self.width, self.height), 10, theme.surface, theme.line)
        lit = scene.lit == "toggle"
        card_head(p, self.width, head_of(self._call), open=self._open, lit=lit, degrees=scene.degrees)
        if self.wells:
            hline(p, 1, CARD_HEIGHT, self.width - 2)
        for title, well, top, at in zip(self._titles, self.wells, self._tops, self._starts(), strict=False):
            label = QRectF(_PAD, top - _LABEL - 4, self.width - 2 * _PAD, _LABEL)
            text(p, label, title, fonts.META, fonts.MEDIUM, theme.subtle)
            low, high = (max(0, min(place - at, well.length())) for place in scene.selection)
            p.translate(_PAD, top)
            well.paint(p, area.translated(-_PAD, -top), Scene((low, high) if low < high else (0, 0)))
            p.translate(-_PAD, -top)


class ToolCell(Cell):
    """The card."""

    def __init__(self, choices: Choices, call: ToolCallBlock) -> None:
        super().__init__(choices.index)
        self._choices, self.call = choices, call
        self.open = choices.folds.get("open", False)

    def make(self) -> Shape:
        offsets = cast("dict[int, float]", self._choices.memory.setdefault("offsets", {}))
        return ToolShape(self.call, offsets, open=self.open)

    def guess(self, width: int) -> int:
        return CARD_HEIGHT + 200 * self.open

    def markdown(self) -> str:
        head = head_of(self.call)
        lines = [f"**{head.name}** {head.argument} · {head.state}"]
        if self.open:
            lines += [f"```\n{words}\n```" for words in (argument_lines(self.call), self.call.result) if words]
        return "\n\n".join(lines)

    def name(self) -> str:
        head = head_of(self.call)
        return " ".join(part for part in (head.name, head.argument, head.state) if part)


def cells(block: Block, choices: Choices, old: Sequence[Cell]) -> list[Cell]:
    """Return the card of a call."""
    if not isinstance(block, ToolCallBlock):
        return []
    kept = next((cell for cell in old if isinstance(cell, ToolCell)), None)
    if kept is not None and kept.call == block and kept.open == choices.folds.get("open", False):
        return [kept]
    return [ToolCell(choices, block)]
