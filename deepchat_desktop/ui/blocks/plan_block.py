"""The agent's plan: its steps with their states as icon and strike."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget

from deepchat_desktop.domain.blocks import Block, PlanBlock
from deepchat_desktop.domain.visible_text import visible_prose
from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.blocks.block_part import BlockPart
from deepchat_desktop.ui.icons import IconName
from deepchat_desktop.ui.paint import painting, rr, text
from deepchat_desktop.ui.theme import theme

_ROW, _PAD = 26, 8
_MARKS: dict[str, tuple[IconName, str]] = {
    "completed": ("check-circle", "ok"),
    "in_progress": ("arrow-clockwise", "accent_text"),
}


class PlanView(BlockPart):
    """The plan as last told."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._steps: tuple[tuple[str, str], ...] = ()

    def set_block(self, block: Block) -> None:
        if isinstance(block, PlanBlock):
            self._steps = tuple((status, visible_prose(words)) for status, words in block.steps)
            done = sum(status == "completed" for status, _ in self._steps)
            summary = self.tr("Plan, {done} of {all} steps done").format(done=done, all=len(self._steps))
            self.setAccessibleName(summary)
            self.setAccessibleDescription("\n".join(words for _, words in self._steps))
            self.update()

    def fit(self, width: int) -> int:
        self.resize(width, 2 * _PAD + _ROW * len(self._steps))
        return self.height()

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            rr(p, self.rect(), 10, None, theme.line)
            for index, (status, words) in enumerate(self._steps):
                y = _PAD + index * _ROW
                icon, tone = _MARKS.get(status, ("clock", "subtle"))
                icons.draw(p, QRectF(12, y, 18, _ROW), icon, getattr(theme, tone), 16)
                ink = theme.muted if status == "completed" else theme.text
                text(p, QRectF(38, y, self.width() - 50, _ROW), words, fonts.CONTROL, colour=ink)
