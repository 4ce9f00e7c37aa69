"""The pill over the end of the list: new text came while the reader is further up."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QEnterEvent, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.paint import painting, rr, shadow, text
from deepchat_desktop.ui.theme import theme

_HEIGHT, _EDGE = 32, 10


class NewTextPill(QAbstractButton):
    """Pressed, it leads back to the end."""

    radius = 16

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setText(self.tr("New text"))
        self.setAccessibleName(self.tr("New text: go to the end"))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.hide()

    def show_news(self) -> None:
        """Come into sight."""
        wide = fonts.text_width(self.text(), fonts.CONTROL, fonts.MEDIUM)
        self.resize(round(wide) + 46 + 2 * _EDGE, _HEIGHT + 2 * _EDGE)
        self.show()

    def enterEvent(self, event: QEnterEvent) -> None:
        self.update()
        super().enterEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        box = QRectF(self.rect()).adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE)
        with painting(self) as p:
            shadow(p, box, 6, blur=8, dy=2, strength=0.8)
            rr(p, box, 16, theme.hover2 if self.underMouse() else theme.raised, theme.line2)
            icons.draw(p, QRectF(box.left() + 12, box.top(), 16, box.height()), "arrow-down", theme.muted, 15)
            area = QRectF(box.left() + 32, box.top(), box.width() - 40, box.height())
            text(p, area, self.text(), fonts.CONTROL, fonts.MEDIUM)
