"""An error where it happened, in words, with the next step as a button."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget

from deepchat_desktop.domain.blocks import Block, ErrorBlock
from deepchat_desktop.domain.visible_text import visible_prose
from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.blocks import error_words
from deepchat_desktop.ui.blocks.block_part import Ask, BlockPart
from deepchat_desktop.ui.controls import Button
from deepchat_desktop.ui.controls_shown import Label
from deepchat_desktop.ui.paint import painting, rr
from deepchat_desktop.ui.theme import theme

_LEFT, _PAD = 40, 12


class ErrorView(BlockPart):
    """One error."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = Label("", fonts.CONTROL, fonts.SEMIBOLD, parent=self)
        self._text = Label("", fonts.CONTROL, tone="muted", wrap=True, parent=self)
        self._buttons: list[Button] = []
        self._active = True

    def set_block(self, block: Block) -> None:
        if not isinstance(block, ErrorBlock):
            return
        self._title.setText(error_words.title_of(block.code))
        self._text.setText(visible_prose(block.message))
        self.setAccessibleName(f"{self._title.text()}. {block.message}")
        for button in self._buttons:
            button.deleteLater()
        step = error_words.step_of(block.code, retryable=block.retryable)
        steps: list[Ask] = [step] if step is not None else []
        if step in ("settings", "continue"):
            steps.append("retry")
        self._buttons = [self._button(each) for each in steps]

    def _button(self, step: Ask) -> Button:
        button = Button(error_words.step_words(step), parent=self)
        button.clicked.connect(lambda: self.asked.emit(step))
        button.setVisible(self._active)
        return button

    def set_active(self, active: bool) -> None:
        self._active = active
        for button in self._buttons:
            button.setVisible(active)

    def fit(self, width: int) -> int:
        inner = width - _LEFT - _PAD
        line = fonts.line_height(fonts.CONTROL)
        self._title.setGeometry(_LEFT, _PAD - 2, inner, line)
        y = _PAD - 2 + line + 2
        high = self._text.heightForWidth(inner)
        self._text.setGeometry(_LEFT, y, inner, high)
        y += high
        if self._buttons and self._active:
            y += 10
            x = _LEFT
            for button in self._buttons:
                size = button.sizeHint()
                button.setGeometry(x, y, size.width(), size.height())
                x += size.width() + 8
            y += self._buttons[0].sizeHint().height()
        self.resize(width, y + _PAD)
        return self.height()

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            rr(p, self.rect(), 10, theme.danger_soft)
            area = QRectF(12, _PAD - 2, 20, fonts.line_height(fonts.CONTROL))
            icons.draw(p, area, "warning-circle", theme.danger, 18)
