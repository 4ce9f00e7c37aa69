"""The turning of a widget's own running mark: it costs nothing while the widget cannot be seen."""

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

from deepchat_desktop.ui.controls_shown import Turning


class Beat(QObject):
    """Repaints its owner while wanted and visible."""

    def __init__(self, owner: QWidget) -> None:
        super().__init__(owner)
        self._owner = owner
        self.wanted = False
        self._turning = Turning(owner)
        self._turning.timeout.connect(owner.update)
        owner.installEventFilter(self)

    @property
    def degrees(self) -> float:
        """The angle of the mark now."""
        return self._turning.degrees

    def set_wanted(self, wanted: bool) -> None:
        """Turn, or stop."""
        self.wanted = wanted
        self._turning.run(wanted and self._owner.isVisible())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Show, QEvent.Type.Hide):
            self._turning.run(self.wanted and event.type() == QEvent.Type.Show)
        return False
