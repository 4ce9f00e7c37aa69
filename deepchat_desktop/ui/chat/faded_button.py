"""An icon button that can stand unseen in its place, reachable by keyboard all the same."""

from PySide6.QtGui import QPaintEvent

from deepchat_desktop.ui.controls import IconButton


class FadedButton(IconButton):
    """Paints nothing while faded."""

    faded = False

    def set_faded(self, faded: bool) -> None:
        """Hide or show the picture, not the button."""
        self.faded = faded
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.faded:
            super().paintEvent(event)
