"""Swallows what is pressed on a card in its first moments, so that a click or key meant for elsewhere decides nothing.

Invariants (DLG-3): the guard begins anew whenever the card appears, moves, changes size or content, or its window
comes to the front; a key that is held down never counts; a press that was swallowed has no release either.
"""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

GUARD_S = 0.5
_PRESSES = frozenset(
    {
        QEvent.Type.MouseButtonPress,
        QEvent.Type.MouseButtonRelease,
        QEvent.Type.MouseButtonDblClick,
        QEvent.Type.KeyPress,
        QEvent.Type.KeyRelease,
        QEvent.Type.TouchBegin,
        QEvent.Type.TouchEnd,
        QEvent.Type.Shortcut,
    }
)
_MOVES = frozenset({QEvent.Type.Show, QEvent.Type.Move, QEvent.Type.Resize})


class InputGuard(QObject):
    """Guards ``card`` and its ``deciders``. ``clock`` gives monotonic seconds."""

    def __init__(self, card: QWidget, deciders: list[QWidget], clock: Callable[[], float]) -> None:
        super().__init__(card)
        self._card = card
        self._deciders = deciders
        self._clock = clock
        self._since = clock()
        self._window: QWidget | None = None
        for widget in (card, *deciders):
            widget.installEventFilter(self)

    def begin(self) -> None:
        """Start the time anew."""
        self._since = self._clock()

    def open(self) -> bool:
        """Tell whether input counts."""
        return self._clock() - self._since >= GUARD_S

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if watched is self._card and kind in _MOVES:
            self.begin()
            self._watch_window()
        elif watched is self._window and kind == QEvent.Type.WindowActivate:
            self.begin()
        elif kind in _PRESSES and watched is not self._window:
            if isinstance(event, QKeyEvent) and event.isAutoRepeat() and watched in self._deciders:
                return True
            return not self.open()
        return False

    def _watch_window(self) -> None:
        window = self._card.window()
        if window is not self._window and window is not self._card:
            self._window = window
            window.installEventFilter(self)
