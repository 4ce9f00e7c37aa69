"""The switch: on or off, told by place and fill, never by colour alone."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from deepchat_desktop.ui.paint import dot, painting, rr
from deepchat_desktop.ui.theme import theme


def paint_switch(p: QPainter, box: QRectF, *, on: bool, enabled: bool = True, lit: bool = False) -> None:
    """Draw a switch that fills ``box`` (36x20 beside a title, 28x16 in tables)."""
    radius = box.height() / 2
    track = (theme.accent_hover if lit else theme.accent) if on else theme.muted if lit else theme.off
    rr(p, box, radius, track if enabled else theme.pressed)
    x = box.right() - radius if on else box.left() + radius
    knob = (theme.on_accent if on else theme.surface) if enabled else theme.faint
    dot(p, QPointF(x, box.center().y()), radius - 3, knob)


class Switch(QAbstractButton):
    """A switch with its name for screen readers; the words stand beside it."""

    radius = 10

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setCheckable(True)
        self.setAccessibleName(name)
        self.setFixedSize(36, 20)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        return QSize(36, 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            paint_switch(p, QRectF(self.rect()), on=self.isChecked(), enabled=self.isEnabled(), lit=self.underMouse())
