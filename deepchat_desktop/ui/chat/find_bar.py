"""The bar over the messages that finds words in the session: field, "N of M", previous, next, close.

Invariants: it searches as one types and shows what is known so far; Escape closes it and gives the focus back; a key
of an input method's composition never moves to another hit.
"""

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QHideEvent, QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.controls import IconButton
from deepchat_desktop.ui.controls_shown import Field, Label
from deepchat_desktop.ui.message_list.message_list import MessageList
from deepchat_desktop.ui.paint import painting, rr, shadow, vline
from deepchat_desktop.ui.theme import theme

WIDTH, HEIGHT = 392, 44
EDGE = 16
"""Room around the bar for its shadow."""
INSET = 10
"""Between the bar and the corner of the messages."""
TYPING_MS = 60
_SAID_MS = 700


class FindField(Field):
    """The words; Enter and Shift+Enter go on, Escape leaves."""

    stepped = Signal(int)
    left = Signal()

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(name, name, parent)
        self.setProperty("kind", "bare")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.stepped.emit(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
            case Qt.Key.Key_Escape:
                self.left.emit()
            case _:
                super().keyPressEvent(event)


class FindBar(QWidget):
    """The bar of one list. ``closed`` comes after it was hidden."""

    closed = Signal()

    def __init__(self, view: MessageList, parent: QWidget) -> None:
        super().__init__(parent)
        self._view = view
        self._session = view.finding.session
        self.field = FindField(self.tr("Find in session"), self)
        self.figures = Label("", fonts.META, tone="muted", parent=self)
        self.previous = IconButton("caret-up", self.tr("Previous hit (Shift+Enter)"), 28, 16, self)
        self.next = IconButton("caret-down", self.tr("Next hit (Enter)"), 28, 16, self)
        self.close_button = IconButton("x", self.tr("Close (Esc)"), 28, 16, self)
        self._typing = self._timer(TYPING_MS, self._search)
        self._saying = self._timer(_SAID_MS, self._say)
        self._lay_out()
        self.field.textChanged.connect(lambda _: self._typing.start())
        self.field.stepped.connect(self.step)
        self.field.left.connect(self.leave)
        self.previous.clicked.connect(lambda: self.step(-1))
        self.next.clicked.connect(lambda: self.step(1))
        self.close_button.clicked.connect(self.leave)
        self._session.changed.connect(self._show_figures)
        theme.changed.connect(self._take_size)
        self._take_size()
        self.hide()

    def _timer(self, ms: int, act: object) -> QTimer:
        timer = QTimer(self, interval=ms, singleShot=True)
        timer.timeout.connect(act)
        return timer

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(EDGE + 40, EDGE, EDGE + 8, EDGE)
        row.setSpacing(0)
        row.addWidget(self.field, 1)
        row.addSpacing(8)
        row.addWidget(self.figures)
        row.addSpacing(17)
        for button in (self.previous, self.next, self.close_button):
            row.addWidget(button)

    def _take_size(self) -> None:
        high = max(HEIGHT, fonts.scaled(20) + 24)
        self.resize(max(WIDTH, fonts.scaled(WIDTH)) + 2 * EDGE, high + 2 * EDGE)

    def place(self, right: int, top: int, room: int) -> None:
        """Stand in the corner of the messages, which end at ``right`` px; ``room`` is their width."""
        self._take_size()
        self.resize(min(self.width(), room - 2 * INSET + 2 * EDGE), self.height())
        self.move(right - INSET - self.width() + EDGE, top + INSET - EDGE)
        self.raise_()

    def open(self) -> None:
        """Come into sight with the words of the last time chosen."""
        self._session.open()
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        if self.field.text() and not self._session.needle:
            self._search()
        self._show_figures()

    def leave(self) -> None:
        """Go away; marks go with it, the place in the conversation stays."""
        if self.isVisible():
            self.hide()
            self.closed.emit()

    def step(self, by: int) -> None:
        """Go to the next (1) or the previous (-1) hit."""
        if self._typing.isActive():
            self._search()
            return
        self._session.step(by)

    def _search(self) -> None:
        self._typing.stop()
        rows = self._view.layout_
        self._session.search(self.field.text(), min(rows.anchor.row, max(0, len(rows.entries) - 1)))

    def words(self) -> str:
        """Return what the figures say."""
        if not self._session.needle:
            return ""
        total = f"{self._session.total():,}"
        if self._session.total():
            words = self.tr("{number} of {total}").format(number=f"{self._session.number():,}", total=total)
            return f"{words}…" if self._session.searching() else words
        return self.tr("Searching…") if self._session.searching() else self.tr("No results")

    def _show_figures(self) -> None:
        if not self.isVisible():
            return
        words = self.words()
        if words != self.figures.text():
            self.figures.setText(words)
            self._saying.start()
        some = self._session.total() > 0
        self.previous.setEnabled(some)
        self.next.setEnabled(some)
        self.field.setAccessibleDescription(words)

    def _say(self) -> None:
        if self.isVisible() and self.figures.text():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self.field, self.figures.text()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        else:
            super().keyPressEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if not event.spontaneous():
            self._typing.stop()
            self._session.close()

    def paintEvent(self, event: QPaintEvent) -> None:
        box = QRectF(self.rect()).adjusted(EDGE, EDGE, -EDGE, -EDGE)
        with painting(self) as p:
            shadow(p, box, 10, blur=10, dy=3)
            rr(p, box, 10, theme.raised, theme.line2)
            icons.draw(p, QRectF(box.left() + 12, box.top(), 16, box.height()), "magnifying-glass", theme.muted, 16)
            vline(p, self.previous.x() - 9, box.top() + 12, box.height() - 24)
