"""The agent's plan: its steps with their states as icon and words."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QRectF
from PySide6.QtGui import QPainter

from deepchat_desktop.domain.blocks import Block, PlanBlock
from deepchat_desktop.domain.visible_text import visible_prose
from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.blocks.cell import Cell, Choices
from deepchat_desktop.ui.blocks.shape import Scene, Shape
from deepchat_desktop.ui.icons import IconName
from deepchat_desktop.ui.paint import rr, text
from deepchat_desktop.ui.theme import theme

_ROW, _PAD = 26, 8
_MARKS: dict[str, tuple[IconName, str]] = {
    "completed": ("check-circle", "ok"),
    "in_progress": ("arrow-clockwise", "accent_text"),
}


class PlanShape(Shape):
    """The plan as last told."""

    def __init__(self, steps: Sequence[tuple[str, str]]) -> None:
        self._steps = steps

    def fit(self, width: int) -> None:
        self.width, self.height = width, 2 * _PAD + _ROW * len(self._steps)

    def paint(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        rr(p, QRectF(0, 0, self.width, self.height), 10, None, theme.line)
        for index, (status, words) in enumerate(self._steps):
            y = _PAD + index * _ROW
            icon, tone = _MARKS.get(status, ("clock", "subtle"))
            icons.draw(p, QRectF(12, y, 18, _ROW), icon, getattr(theme, tone), 16)
            ink = theme.muted if status == "completed" else theme.text
            text(p, QRectF(38, y, self.width - 50, _ROW), words, fonts.CONTROL, colour=ink)


class PlanCell(Cell):
    """The plan."""

    def __init__(self, index: int, plan: PlanBlock) -> None:
        super().__init__(index)
        self._steps = [(status, visible_prose(words)) for status, words in plan.steps]

    def make(self) -> Shape:
        return PlanShape(self._steps)

    def guess(self, width: int) -> int:
        return 2 * _PAD + _ROW * len(self._steps)

    def markdown(self) -> str:
        return "\n".join(f"- [{'x' if status == 'completed' else ' '}] {words}" for status, words in self._steps)

    def name(self) -> str:
        done = sum(status == "completed" for status, _ in self._steps)
        words = QCoreApplication.translate("PlanBlock", "Plan, {done} of {all} steps done")
        return words.format(done=done, all=len(self._steps))


def cells(block: Block, choices: Choices, old: Sequence[Cell]) -> list[Cell]:
    """Return the plan's cell."""
    return [PlanCell(choices.index, block)] if isinstance(block, PlanBlock) else []
