"""The lines that open and close what stands under them: a fold line and the head of a card.

Both are buttons: Space and Return press them, a screen reader hears the words and the state.
"""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QEnterEvent, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.blocks.spin import Beat
from deepchat_desktop.ui.icons import IconName
from deepchat_desktop.ui.paint import painting, rr, spinner, text
from deepchat_desktop.ui.theme import theme

FOLD_HEIGHT, CARD_HEIGHT = 28, 38


class FoldHead(QAbstractButton):
    """The base: checked means open; ``running`` turns a spinner."""

    radius = 6

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._beat = Beat(self)

    def set_running(self, running: bool) -> None:
        """Turn or stop the spinner."""
        self._beat.set_wanted(running)
        self.update()

    def enterEvent(self, event: QEnterEvent) -> None:
        self.update()
        super().enterEvent(event)

    def _name_it(self, words: str) -> None:
        self.setAccessibleName(words)


class FoldLine(FoldHead):
    """An icon, words, and a caret right after them."""

    def __init__(self, icon: IconName, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon: IconName = icon

    def set_words(self, words: str) -> None:
        """Change the words."""
        if words != self.text():
            self.setText(words)
            self._name_it(words)
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        ink = theme.text if self.underMouse() else theme.muted
        with painting(self) as p:
            if self._beat.wanted:
                spinner(p, QRectF(2, self.height() / 2 - 7, 14, 14), self._beat.degrees)
            else:
                icons.draw(p, QRectF(0, 0, 18, self.height()), self._icon, ink, 16)
            used = text(p, QRectF(26, 0, self.width() - 50, self.height()), self.text(), fonts.CONTROL, colour=ink)
            caret: IconName = "caret-down" if self.isChecked() else "caret-right"
            icons.draw(p, QRectF(26 + used + 6, 0, 12, self.height()), caret, theme.faint, 11)


class CardHead(FoldHead):
    """Icon, name, the argument that matters (mono, elided in the middle), and the state as icon and words."""

    radius = 10

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon: IconName = "wrench"
        self._name = self._argument = self._state = ""
        self._state_icon: IconName | None = None
        self._state_tone = "muted"

    def set_call(self, icon: IconName, name: str, argument: str) -> None:
        """Change what is called; both texts are shown as they are and must be visible text already."""
        self._icon, self._name, self._argument = icon, name, argument
        self._refresh()

    def set_state(self, icon: IconName | None, words: str, tone: str) -> None:
        """Change the state; without an icon the spinner stands there."""
        self._state_icon, self._state, self._state_tone = icon, words, tone
        self._refresh()

    def _refresh(self) -> None:
        self._name_it(" ".join(part for part in (self._name, self._argument, self._state) if part))
        self.setToolTip("")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        high = self.height()
        with painting(self) as p:
            if self.underMouse():
                rr(p, QRectF(self.rect()).adjusted(1, 1, -1, -1), 9, theme.hover2 if not theme.dark else theme.hover)
            icons.draw(p, QRectF(12, 0, 18, high), self._icon, theme.muted, 17)
            used = text(p, QRectF(38, 0, 200, high), self._name, fonts.CONTROL, fonts.MEDIUM)
            caret: IconName = "caret-up" if self.isChecked() else "caret-down"
            icons.draw(p, QRectF(self.width() - 26, 0, 14, high), caret, theme.faint, 12)
            ink: QColor = getattr(theme, self._state_tone)
            wide = fonts.metrics(fonts.META, fonts.MEDIUM, tabular=True).horizontalAdvance(self._state)
            left = self.width() - 36 - wide
            text(p, QRectF(left, 0, wide + 1, high), self._state, fonts.META, fonts.MEDIUM, ink, tabular=True)
            if self._state_icon is not None:
                icons.draw(p, QRectF(left - 21, 0, 16, high), self._state_icon, ink, 15)
            else:
                spinner(p, QRectF(left - 20, high / 2 - 6.5, 13, 13), self._beat.degrees)
            area = QRectF(38 + used + 10, 0, left - 34 - (38 + used + 10), high)
            middle = Qt.TextElideMode.ElideMiddle
            text(p, area, self._argument, fonts.META, colour=theme.muted, mono=True, elide=middle)
