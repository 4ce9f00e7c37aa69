"""The chip of the permission mode: full access stands out in the warning colours and by its words."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPaintEvent

from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.controls import Chip
from deepchat_desktop.ui.paint import painting, rr, text
from deepchat_desktop.ui.theme import theme


class ModeChip(Chip):
    """A chip that knows the mode."""

    mode_name = "ask"

    def set_mode(self, mode: str, words: str) -> None:
        """Show a mode with its words."""
        self.mode_name = mode
        self.set_label(words, name=self.tr("Permissions: {mode}").format(mode=words))

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.mode_name != "full":
            super().paintEvent(event)
            return
        with painting(self) as p:
            box = QRectF(self.rect())
            rr(p, box, self.radius, theme.warn_soft)
            icons.draw(p, QRectF(8, 0, 16, box.height()), "warning-circle", theme.warn, 16)
            x = 24.0
            if self.width() > 48:
                area = QRectF(28, 0, self.width() - 28 - 22, box.height())
                x = 28 + text(p, area, self.text(), fonts.CONTROL, colour=theme.warn)
            icons.draw(p, QRectF(x + 4, 1, 11, box.height()), "caret-down", theme.warn, 10)
