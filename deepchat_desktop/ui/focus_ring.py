"""The visible keyboard focus: one overlay per window, 2 px of accent, 1 px away from what has the focus.

It is shown only when the last input in the window was a key that moves the focus; a click hides it. It
never takes a mouse event. Text fields show focus by their border and lists by their row; a region that has neither
gives ``ring_away``, and gets the ring only when a key brought the focus there.
"""

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from shiboken6 import isValid

from deepchat_desktop.ui.paint import painting, rr
from deepchat_desktop.ui.theme import theme

_MOVING = frozenset(
    {
        Qt.Key.Key_Tab,
        Qt.Key.Key_Backtab,
        Qt.Key.Key_F6,
        Qt.Key.Key_Up,
        Qt.Key.Key_Down,
        Qt.Key.Key_Left,
        Qt.Key.Key_Right,
    }
)
_FOLLOWED = frozenset({QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.Hide, QEvent.Type.Show})
_AWAY = 3


class FocusRing(QWidget):
    """The overlay of ``window``; it lives as long as the window."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._target: QWidget | None = None
        self._radius = 6.0
        self._handle: QObject | None = None
        self.keyboard = False
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()
        window.installEventFilter(self)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._focus_moved)

    def note_keyboard(self) -> None:
        """A shortcut moves the focus: the system takes its key before the window can see it."""
        self.keyboard = True
        QTimer.singleShot(0, self, self._place)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if watched is self._window and kind == QEvent.Type.Show:
            self._watch_input()
        elif watched is self._handle:
            self._note_input(event)
        elif watched is self._target and kind in _FOLLOWED:
            # Layouts move ancestors after children, so measure when the round is over.
            QTimer.singleShot(0, self, self._place)
        return False

    def _watch_input(self) -> None:
        """Listen at the window's native side, where keys and clicks pass once, before any widget."""
        handle = self._window.windowHandle()
        if handle is not None and handle is not self._handle:
            handle.installEventFilter(self)
            self._handle = handle

    def _note_input(self, event: QEvent) -> None:
        match event.type():
            case QEvent.Type.KeyPress if isinstance(event, QKeyEvent) and event.key() in _MOVING:
                self.note_keyboard()
            case QEvent.Type.MouseButtonPress:
                self.keyboard = False
                self.hide()

    def _focus_moved(self, _old: QWidget | None, now: QWidget | None) -> None:
        if self._target is not None and isValid(self._target):  # focus also moves because its holder is deleted
            self._target.removeEventFilter(self)
        self._target = None
        region = self.keyboard and hasattr(now, "ring_away")
        if now is not None and (isinstance(now, QAbstractButton) or region) and now.window() is self._window:
            self._target = now
            now.installEventFilter(self)
        self._place()

    def _place(self) -> None:
        target = self._target
        if target is None or not isValid(target) or not self.keyboard or not target.hasFocus():
            self.hide()
            return
        at = target.mapTo(self._window, QPoint(0, 0))
        away = int(getattr(target, "ring_away", _AWAY))
        self._radius = float(getattr(target, "radius", 6)) + away
        self.setGeometry(QRect(at, target.size()).adjusted(-away, -away, away, away))
        self.show()
        self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            rr(p, self.rect(), self._radius, None, theme.accent, 2)
