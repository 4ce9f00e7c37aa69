"""Sideways scrolling inside one part: wheel, touch pad, and a thin handle at the foot that can be dragged.

Invariant: an upright wheel turn is never taken, so the list scrolls on under the pointer.
"""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QWheelEvent

from deepchat_desktop.ui.blocks.part import TextPart
from deepchat_desktop.ui.paint import rr
from deepchat_desktop.ui.theme import theme

HANDLE = 4
_GRAB = 10
"""Height of the strip at the foot where the handle can be taken, in px."""


class SideScrollPart(TextPart):
    """A part whose content may be wider than itself. ``offset`` is how far it is scrolled, in px."""

    offset = 0.0
    content_width = 0.0
    _grabbed: float | None = None

    def view_width(self) -> float:
        """Return how much of the content's width can be seen."""
        return float(self.width())

    def scroll_to(self, offset: float) -> None:
        """Scroll, within the content."""
        wanted = max(0.0, min(offset, self.content_width - self.view_width()))
        if wanted != self.offset:
            self.offset = wanted
            self.update()

    def paint_handle(self, p: QPainter) -> None:
        """Draw the handle where there is something to scroll."""
        if self.scrollable():
            rr(p, self._handle(), HANDLE / 2, theme.scroll_hover if self._grabbed is not None else theme.scroll)

    def scrollable(self) -> bool:
        """Tell whether the content is wider than the view."""
        return self.content_width > self.view_width() + 0.5

    def _handle(self) -> QRectF:
        track = self.width() - 8.0
        length = max(24.0, track * self.view_width() / self.content_width)
        share = self.offset / (self.content_width - self.view_width())
        return QRectF(4 + (track - length) * share, self.height() - HANDLE - 3, length, HANDLE)

    def wheelEvent(self, event: QWheelEvent) -> None:
        move = event.pixelDelta().x() or event.angleDelta().x() / 2
        if not move and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            move = event.angleDelta().y() / 2
        if self.scrollable() and abs(move) > abs(event.angleDelta().y()) / 4 and move:
            self.scroll_to(self.offset - move)
            event.accept()
        else:
            event.ignore()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at: QPointF = event.position()
        if self.scrollable() and at.y() >= self.height() - _GRAB and event.button() == Qt.MouseButton.LeftButton:
            self._grabbed = at.x()
            self.update()
        else:
            event.ignore()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grabbed is None:
            event.ignore()
            return
        track = self.width() - 8.0 - self._handle().width()
        moved = event.position().x() - self._grabbed
        self._grabbed = event.position().x()
        if track > 0:
            self.scroll_to(self.offset + moved * (self.content_width - self.view_width()) / track)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._grabbed is None:
            event.ignore()
        self._grabbed = None
        self.update()
