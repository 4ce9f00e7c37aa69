"""Sideways scrolling inside one block: an offset in px, and a thin handle at the foot that shows it."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from deepchat_desktop.ui.paint import rr
from deepchat_desktop.ui.theme import theme

HANDLE = 4
GRAB = 10
"""Height of the strip at the foot where the handle can be taken, in px."""


class SideSlide:
    """How far content that is wider than its view is scrolled."""

    def __init__(self) -> None:
        self.offset = 0.0
        self.content_width = 0.0
        self.view_width = 0.0
        self.grabbed = False

    def most(self) -> float:
        """Return the largest offset."""
        return max(0.0, self.content_width - self.view_width)

    def scrollable(self) -> bool:
        """Tell whether the content is wider than the view."""
        return self.most() > 0.5

    def to(self, offset: float) -> bool:
        """Scroll, within the content; False if nothing moved."""
        wanted = max(0.0, min(offset, self.most()))
        moved = wanted != self.offset
        self.offset = wanted
        return moved

    def by(self, dx: float) -> bool:
        """Scroll on; False where there is nothing to scroll sideways."""
        return bool(dx) and self.scrollable() and (self.to(self.offset + dx) or True)

    def gripped(self, y: float, height: float) -> bool:
        """Tell whether a point at ``y`` of a block is on the strip where the handle can be taken."""
        return self.scrollable() and height - GRAB <= y <= height

    def drag(self, dx: float) -> None:
        """Move the handle."""
        track = self.view_width - 8 - self._length()
        if track > 0:
            self.to(self.offset + dx * self.most() / track)

    def _length(self) -> float:
        return max(24.0, (self.view_width - 8) * self.view_width / self.content_width) if self.content_width else 24.0

    def paint(self, p: QPainter, height: float) -> None:
        """Draw the handle at the foot of a block, where there is something to scroll."""
        if self.scrollable():
            length = self._length()
            left = 4 + (self.view_width - 8 - length) * self.offset / self.most()
            tone = theme.scroll_hover if self.grabbed else theme.scroll
            rr(p, QRectF(left, height - HANDLE - 3, length, HANDLE), HANDLE / 2, tone)
