"""The card of one tool call: a head with its state, opening to changes, arguments, output and pictures.

Invariants: name, arguments and result are plain text with invisible characters shown; a running call shows the end of
its output until the reader scrolls in it; however long an output is, the card stays bounded and offers all of it.
"""

import time
from collections.abc import Sequence
from typing import Literal, cast

from PySide6.QtCore import QCoreApplication, QPointF, QRectF
from PySide6.QtGui import QPainter

from deepchat_desktop.domain.blocks import Block, ToolCallBlock
from deepchat_desktop.domain.find import argument_lines
from deepchat_desktop.domain.visible_text import visible_exact
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks import diff_lines, tool_words
from deepchat_desktop.ui.blocks.cell import Cell, Choices
from deepchat_desktop.ui.blocks.column_shape import ColumnShape
from deepchat_desktop.ui.blocks.diff_lines import DiffLine
from deepchat_desktop.ui.blocks.diff_shape import DiffShape
from deepchat_desktop.ui.blocks.fold_paint import BUTTON_HEIGHT, CARD_HEIGHT, Card, button, button_width, card_head
from deepchat_desktop.ui.blocks.picture_shape import PictureShape
from deepchat_desktop.ui.blocks.shape import Scene, Shape, Spot
from deepchat_desktop.ui.blocks.well_shape import WellShape
from deepchat_desktop.ui.paint import hline, rr, text
from deepchat_desktop.ui.theme import theme

Part = Literal["arguments", "result", "diff", "picture"]
_PAD, _LABEL = 12, 18
_LONG = 4_000
"""An output of more characters can be opened in a window of its own."""
_END = 1e9


def _tr(words: str) -> str:
    return QCoreApplication.translate("ToolCard", words)


def head_of(call: ToolCallBlock, lines: tuple[DiffLine, ...] = ()) -> Card:
    """Return what the head says now; ``lines`` are what the call changes."""
    icon, words, tone = tool_words.state_of(call, round(time.time() * 1000))
    name = visible_exact(call.name, multiline=False)
    counts = diff_lines.changed(lines) if lines else None
    return Card(tool_words.icon_of(call.name), name, tool_words.argument_of(call), icon, words, tone, counts)


class ToolShape(ColumnShape):
    """One call. ``offsets`` keeps how far its texts are scrolled, by the part."""

    def __init__(self, call: ToolCallBlock, offsets: dict[str, float], *, open: bool) -> None:
        super().__init__()
        self._call, self._offsets, self._open = call, offsets, open
        self.turning = call.status in ("streaming", "running")
        self._lines = diff_lines.lines_of(call)
        self.parts: list[Part] = []
        if open:
            self._fill(call)

    def _fill(self, call: ToolCallBlock) -> None:
        if self._lines:
            self._add("diff", DiffShape(self._lines, tool_words.language_of(call), self._offsets.get("diff", 0.0)))
        arguments = argument_lines(call)
        if arguments and not (self._lines and call.name in ("write", "edit")):
            self._add("arguments", WellShape(arguments, self._offsets.get("arguments", 0.0)))
        if call.result and not (self._lines and not call.diff and diff_lines.is_diff(call.result)):
            live = call.status == "running"
            start = _END if live else 0.0
            self._add("result", WellShape(call.result, self._offsets.get("result", start), live=live))
        for image in call.images:
            name = visible_exact(image.name, multiline=False)
            self._add("picture", PictureShape(image.media_type, image.data, name))

    def _add(self, part: Part, shape: Shape) -> None:
        self.parts.append(part)
        self.shapes.append(shape)

    def fit(self, width: int) -> None:
        self.width = width
        y = CARD_HEIGHT
        self.places = []
        for part, shape in zip(self.parts, self.shapes, strict=True):
            inset = 1 if part == "diff" else _PAD
            shape.fit(width - 2 * inset)
            y += {"diff": 1, "picture": _PAD}.get(part, 8 + _LABEL + 4)
            self.places.append((inset, y))
            y += shape.height
        self._foot = y + 8
        y += 8 + BUTTON_HEIGHT if self._has_more() else 0
        self.height = y + (2 if self.parts[-1:] == ["diff"] and not self._has_more() else _PAD if self.parts else 0)

    def _has_more(self) -> bool:
        return self._open and len(self._call.result) > _LONG

    def spots(self) -> list[Spot]:
        head = head_of(self._call)
        name = " ".join(part for part in (head.name, head.argument, head.state) if part)
        made = [Spot(QRectF(0, 0, self.width, CARD_HEIGHT), "toggle", name, self._open)]
        if self._has_more():
            words = _tr("Open file")
            made.append(Spot(QRectF(_PAD, self._foot, button_width(words), BUTTON_HEIGHT), "open_text", words))
        return made

    def slide(self, at: QPointF, dx: float, dy: float) -> bool:
        for part, well, (_, top) in zip(self.parts, self.shapes, self.places, strict=True):
            if isinstance(well, WellShape) and top <= at.y() < top + well.height and well.slide(at, dx, dy):
                self._offsets[part] = _END if self._call.status == "running" and well.at_end() else well.offset
                return True
        return False

    def name(self) -> str:
        """Return the tool's name as the head shows it."""
        return head_of(self._call).name

    def leaf_of(self, text: int) -> tuple[int | None, bool]:
        """Return where one of the call's texts (name, arguments, result) stands among the texts of the card.

        The name comes first. False with it: a diff stands for the text, in other words.
        """
        if text == 0:
            return 0, True
        texts = [part for part in self.parts if part != "picture"]
        wanted: Part = "arguments" if text == 1 else "result"
        shown = wanted if wanted in texts else "diff"
        return (texts.index(shown) + 1 if shown in texts else None), shown == wanted

    def paint(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        rr(p, QRectF(0, 0, self.width, self.height), 10, theme.surface, theme.line)
        head = head_of(self._call, self._lines)
        card_head(p, self.width, head, open=self._open, lit=scene.lit == "toggle", degrees=scene.degrees)
        if self.parts:
            hline(p, 1, CARD_HEIGHT, self.width - 2)
        titles = {"arguments": _tr("Arguments"), "result": _tr("Output")}
        for part, (left, top) in zip(self.parts, self.places, strict=True):
            if part in titles:
                label = QRectF(left, top - _LABEL - 4, self.width - 2 * left, _LABEL)
                text(p, label, titles[part], fonts.META, fonts.MEDIUM, theme.subtle)
        super().paint(p, area, scene)
        for spot in self.spots()[1:]:
            button(p, spot.area, spot.name, lit=scene.lit == spot.action)


class ToolCell(Cell):
    """The card."""

    def __init__(self, choices: Choices, call: ToolCallBlock) -> None:
        super().__init__(choices.index)
        self._choices, self.call = choices, call
        self.open = choices.folds.get("open", False)

    def make(self) -> Shape:
        offsets = cast("dict[str, float]", self._choices.memory.setdefault("offsets", {}))
        return ToolShape(self.call, offsets, open=self.open)

    def guess(self, width: int) -> int:
        return CARD_HEIGHT + 200 * self.open

    def full_text(self) -> tuple[str, str] | None:
        head = head_of(self.call)
        return f"{head.name} {head.argument}".strip(), self.call.result

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
