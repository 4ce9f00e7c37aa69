"""An error where it happened, in words, with the next step as a button."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from deepchat_desktop.domain.blocks import Block, ErrorBlock
from deepchat_desktop.domain.errors import PROVIDER_ERROR_KINDS
from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.blocks import error_words
from deepchat_desktop.ui.blocks.cell import Cell, Choices
from deepchat_desktop.ui.blocks.error_words import Ask
from deepchat_desktop.ui.blocks.fold_paint import BUTTON_HEIGHT, button, button_width
from deepchat_desktop.ui.blocks.plain_shape import PlainShape
from deepchat_desktop.ui.blocks.shape import Scene, Shape, Spot
from deepchat_desktop.ui.paint import rr, text
from deepchat_desktop.ui.theme import theme

_LEFT, _PAD = 40, 12
MAX_WORDS = 8_000


def steps_of(block: ErrorBlock) -> list[Ask]:
    """Return what the buttons do, the first one first."""
    step = error_words.step_of(block.code, retryable=block.retryable)
    steps: list[Ask] = [step] if step is not None else []
    second: dict[str | None, Ask] = {"settings": "retry", "continue": "retry", "shorten": "model"}
    if step in second:
        steps.append(second[step])
    return [*steps, "diagnostics"] if block.code in PROVIDER_ERROR_KINDS else steps


class ErrorShape(PlainShape):
    """The words can be selected; the title cannot."""

    def __init__(self, block: ErrorBlock, *, active: bool) -> None:
        self._title = error_words.title_of(block.code)
        self._steps = steps_of(block) if active else []
        super().__init__(block.message[:MAX_WORDS], fonts.CONTROL, "muted")

    def document_width(self, width: int) -> float:
        return width - _LEFT - _PAD

    def origin(self) -> QPointF:
        return QPointF(_LEFT, _PAD + fonts.line_height(fonts.CONTROL))

    def fit(self, width: int) -> None:
        super().fit(width)
        self._words_end = round(self.origin().y()) + self.height
        self.height = self._words_end + (10 + BUTTON_HEIGHT if self._steps else 0) + _PAD

    def spots(self) -> list[Spot]:
        made: list[Spot] = []
        x = float(_LEFT)
        for step in self._steps:
            words = error_words.step_words(step)
            wide = button_width(words)
            made.append(Spot(QRectF(x, self._words_end + 10, wide, BUTTON_HEIGHT), step, words))
            x += wide + 8
        return made

    def paint(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        rr(p, QRectF(0, 0, self.width, self.height), 10, theme.danger_soft)
        line = fonts.line_height(fonts.CONTROL)
        icons.draw(p, QRectF(12, _PAD - 2, 20, line), "warning-circle", theme.danger, 18)
        text(p, QRectF(_LEFT, _PAD - 2, self.width - _LEFT - _PAD, line), self._title, fonts.CONTROL, fonts.SEMIBOLD)
        super().paint(p, area, scene)
        for spot in self.spots():
            button(p, spot.area, spot.name, lit=scene.lit == spot.action)


class ErrorCell(Cell):
    """The error."""

    def __init__(self, choices: Choices, block: ErrorBlock) -> None:
        super().__init__(choices.index)
        self._error, self._active = block, choices.active

    def make(self) -> Shape:
        return ErrorShape(self._error, active=self._active)

    def guess(self, width: int) -> int:
        return 100

    def markdown(self) -> str:
        return f"**{error_words.title_of(self._error.code)}** {self._error.message}"

    def name(self) -> str:
        return f"{error_words.title_of(self._error.code)}. {self._error.message}"


def cells(block: Block, choices: Choices, old: Sequence[Cell]) -> list[Cell]:
    """Return the error's cell."""
    return [ErrorCell(choices, block)] if isinstance(block, ErrorBlock) else []
