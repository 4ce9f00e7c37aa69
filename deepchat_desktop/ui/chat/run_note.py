"""The line under an unfinished answer: that it still runs, or that and why it stopped, with Continue."""

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget

from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.blocks.spin import Beat
from deepchat_desktop.ui.controls import Button
from deepchat_desktop.ui.paint import painting, spinner, text
from deepchat_desktop.ui.theme import theme

HEIGHT = 32


class RunNote(QWidget):
    """One line. ``running`` shows the spinner, else the words stand beside a mark and a button."""

    go_on = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = ""
        self._active = True
        self._stopped = False
        self._beat = Beat(self)
        self._button = Button(self.tr("Continue"), parent=self)
        self._button.clicked.connect(self.go_on)

    def show_running(self, words: str) -> None:
        """Say that it runs."""
        self._say(words, running=True)

    def show_stopped(self, words: str) -> None:
        """Say why it stopped, and offer to go on."""
        self._say(words, running=False)

    def set_active(self, active: bool) -> None:
        """Tell whether going on is still possible."""
        self._active = active
        self._button.setVisible(self._stopped and active)

    def _say(self, words: str, *, running: bool) -> None:
        self._words = words
        self.setAccessibleName(words)
        self._beat.set_wanted(running)
        self._stopped = not running
        self._button.setVisible(self._stopped and self._active)
        if not running:
            wide = fonts.text_width(words, fonts.CONTROL)
            size = self._button.sizeHint()
            self._button.setGeometry(round(26 + wide + 12), 1, size.width(), size.height())
        self.show()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            if self._beat.wanted:
                spinner(p, QRectF(2, HEIGHT / 2 - 7, 14, 14), self._beat.degrees)
            else:
                icons.draw(p, QRectF(0, 0, 18, HEIGHT), "info", theme.muted, 16)
            text(p, QRectF(26, 0, self.width() - 26, HEIGHT), self._words, fonts.CONTROL, colour=theme.muted)
