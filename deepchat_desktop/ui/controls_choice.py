"""Choosing one of a few: a segmented row of buttons, and a select that opens a menu.

Both tell only what a person chose, not what the program set.
"""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.controls import Menu
from deepchat_desktop.ui.paint import Align, painting, rr, text
from deepchat_desktop.ui.theme import theme


class _Segment(QAbstractButton):
    radius = 5

    def __init__(self, label: str) -> None:
        super().__init__()
        self.setText(label)
        self.setAccessibleName(label)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        return QSize(round(fonts.text_width(self.text(), fonts.CONTROL, fonts.MEDIUM)) + 28, 26)

    def paintEvent(self, event: QPaintEvent) -> None:
        box = QRectF(self.rect())
        on = self.isChecked()
        with painting(self) as p:
            if on:
                rr(p, box, self.radius, theme.raised, theme.line2)
            ink = theme.text if on or self.underMouse() else theme.muted
            weight = fonts.MEDIUM if on else fonts.REGULAR
            text(p, box, self.text(), fonts.CONTROL, weight, ink, align=Align.AlignHCenter)


class Segmented(QWidget):
    """A row of exclusive choices; the arrow keys move between them."""

    chosen = Signal(str)

    def __init__(self, name: str, choices: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        """``choices`` are pairs of (value, words)."""
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._buttons: dict[str, _Segment] = {}
        self._group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 2, 2, 2)
        row.setSpacing(2)
        for value, words in choices:
            button = _Segment(words)
            button.setAccessibleDescription(name)
            button.clicked.connect(lambda _on=False, value=value: self.chosen.emit(value))
            self._group.addButton(button)
            self._buttons[value] = button
            row.addWidget(button)

    def set_value(self, value: str) -> None:
        """Show a choice; Tab leads to it."""
        self._buttons[value].setChecked(True)
        for button in self._buttons.values():
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus if button.isChecked() else Qt.FocusPolicy.NoFocus)

    def value(self) -> str:
        """Return the choice shown, or an empty text."""
        return next((value for value, button in self._buttons.items() if button.isChecked()), "")

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            rr(p, self.rect(), 7, theme.hover)


class Select(QPushButton):
    """A field that opens a menu of choices."""

    radius = 6
    chosen = Signal(str)

    def __init__(self, name: str, choices: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        """``choices`` are pairs of (value, words); the first is shown."""
        super().__init__(parent)
        self._name = name
        self._choices = list(choices)
        self.setAutoDefault(False)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.clicked.connect(self._open)
        self.set_value(self._choices[0][0])

    def set_value(self, value: str) -> None:
        """Show a choice."""
        self._value = value
        words = dict(self._choices)[value]
        self.setText(words)
        self.setAccessibleName(f"{self._name}: {words}")
        self.update()

    def value(self) -> str:
        """Return the choice shown."""
        return self._value

    def sizeHint(self) -> QSize:
        return QSize(220, 30)

    def _open(self) -> None:
        menu = Menu(self)
        menu.setMinimumWidth(self.width())
        for value, words in self._choices:
            menu.addAction(words).triggered.connect(lambda _on=False, value=value: self._choose(value))
        menu.popup_under(self)

    def _choose(self, value: str) -> None:
        self.set_value(value)
        self.chosen.emit(value)

    def paintEvent(self, event: QPaintEvent) -> None:
        box = QRectF(self.rect())
        with painting(self) as p:
            rr(p, box, 6, theme.hover2 if self.underMouse() else theme.field, theme.line2)
            text(p, QRectF(9, 0, box.width() - 36, box.height()), self.text())
            icons.draw(p, QRectF(box.width() - 26, 0, 18, box.height()), "caret-down", theme.muted, 12)
