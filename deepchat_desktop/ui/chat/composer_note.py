"""The line in the composer that answers a key press or warns before something is sent."""

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget

from deepchat_desktop.domain.visible_text import visible_prose
from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.controls import Button, IconButton
from deepchat_desktop.ui.controls_shown import Label
from deepchat_desktop.ui.paint import painting, rr
from deepchat_desktop.ui.theme import theme


class ComposerNote(QWidget):
    """Words, at most one button, and a cross."""

    agreed = Signal()
    changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._warns = False
        self._words = Label("", fonts.META, tone="muted", wrap=True, parent=self)
        self._button = Button("", parent=self)
        self._close = IconButton("x", self.tr("Dismiss"), 20, 12, self)
        self._button.clicked.connect(self.agreed)
        self._close.clicked.connect(self.dismiss)
        self.hide()

    def tell(self, words: str, *, button: str = "", warns: bool = False) -> None:
        """Show words; ``button`` adds a button, ``warns`` the warning ground."""
        self._words.setText(visible_prose(words))
        self._words.set_tone("text" if warns else "muted")
        self._warns = warns
        self._button.set_label(button)
        self._button.setVisible(bool(button))
        self.setAccessibleName(words)
        self.show()
        self.changed.emit()

    def words(self) -> str:
        """Return what is shown, "" while hidden."""
        return "" if self.isHidden() else self._words.text()

    def dismiss(self) -> None:
        """Go away."""
        if not self.isHidden():
            self.hide()
            self.changed.emit()

    def fit(self, width: int) -> int:
        """Take a width and return the height."""
        right = width - 26
        self._close.move(right, 7)
        if not self._button.isHidden():
            size = self._button.sizeHint()
            right -= size.width() + 6
            self._button.setGeometry(right, 3, size.width(), size.height())
        inner = max(60, right - 32 - 8)
        high = max(fonts.line_height(fonts.META), self._words.heightForWidth(inner))
        total = max(36 if not self._button.isHidden() else 34, high + 14)
        self._words.setGeometry(32, (total - high) // 2, inner, high)
        self.resize(width, total)
        return total

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            rr(p, self.rect(), 8, theme.warn_soft if self._warns else theme.hover)
            tone = theme.warn if self._warns else theme.muted
            icons.draw(p, QRectF(8, 0, 18, self.height()), "warning-circle" if self._warns else "info", tone, 16)
