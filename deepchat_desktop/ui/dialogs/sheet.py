"""The base of all sheets: a window-modal card with a title, a body, and buttons at its foot.

It is opened with ``open()`` and answers by signals: a nested event loop would stop every task of the
program. Escape means no. The safe button has the focus. It is always as high as what it holds.
"""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.controls import Button
from deepchat_desktop.ui.controls_shown import Label
from deepchat_desktop.ui.focus_ring import FocusRing
from deepchat_desktop.ui.paint import hline, painting
from deepchat_desktop.ui.theme import theme


class Sheet(QDialog):
    """A sheet on ``parent``. It deletes itself when it is closed."""

    def __init__(self, parent: QWidget, title: str, width: int = 440) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFixedWidth(width)
        self.body = QVBoxLayout()
        self.body.setSpacing(0)
        self._foot = QHBoxLayout()
        self._foot.setContentsMargins(24, 14, 24, 14)
        self._foot.setSpacing(8)
        self._foot.addStretch(1)
        column = self._column = QVBoxLayout(self)
        column.setContentsMargins(0, 22, 0, 0)
        column.setSpacing(0)
        inner = QVBoxLayout()
        inner.setContentsMargins(24, 0, 24, 22)
        inner.setSpacing(0)
        inner.addWidget(Label(title, fonts.HEADING, fonts.SEMIBOLD, wrap=True))
        inner.addSpacing(8)
        inner.addLayout(self.body)
        column.addLayout(inner)
        column.addLayout(self._foot)
        self.ring = FocusRing(self)

    def add_button(self, button: Button) -> Button:
        """Add a button at the right end of the foot."""
        self._foot.addWidget(button)
        return button

    def event(self, event: QEvent) -> bool:
        """Grow and shrink with the content: a layout alone would squeeze the fields when words appear."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self.setFixedHeight(self._column.totalHeightForWidth(self.width()))
        return done

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            p.fillRect(self.rect(), theme.raised)
            hline(p, 0, self._foot.geometry().top(), self.width())
