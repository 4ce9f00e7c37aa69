"""A one-line field that leaves Return, Escape, Tab and the arrows to the input method while it composes.

Invariant: as long as there is a preedit, none of these keys accepts, cancels, moves on or reaches a shortcut: some
platforms hand them to the field although the input method has used them.
"""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFocusEvent, QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit

_KEYS = frozenset(
    {
        Qt.Key.Key_Return,
        Qt.Key.Key_Enter,
        Qt.Key.Key_Escape,
        Qt.Key.Key_Tab,
        Qt.Key.Key_Backtab,
        Qt.Key.Key_Up,
        Qt.Key.Key_Down,
    }
)


class ComposingLine(QLineEdit):
    """The base of every one-line field of the program."""

    _preedit = ""

    def holds(self, event: QEvent) -> bool:
        """Tell whether a key belongs to the input method now."""
        return bool(self._preedit) and isinstance(event, QKeyEvent) and event.key() in _KEYS

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._preedit = event.preeditString()
        super().inputMethodEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._preedit = ""
        super().focusOutEvent(event)

    def event(self, event: QEvent) -> bool:
        if self.holds(event):
            event.accept()
            return True
        return super().event(event)
