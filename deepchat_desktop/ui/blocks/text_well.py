"""Plain mono text in a soft box that scrolls inside beyond a height; it knows when its end was seen."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks.plain_view import PlainView
from deepchat_desktop.ui.paint import painting, rr
from deepchat_desktop.ui.theme import theme

_PAD_X, _PAD_TOP, _PAD_BOTTOM = 12, 6, 10


class TextWell(QWidget):
    """Wrapped text. ``end_seen`` comes when the last line has come into view, also when all fits."""

    end_seen = Signal()
    scrolled = Signal()

    def __init__(
        self, max_height: int, size: int = fonts.META, *, exact: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.max_height = max_height
        self._size = size
        self.view = PlainView(size, mono=True, exact=exact)
        self._area = QScrollArea(self)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setWidget(self.view)
        self._area.viewport().setAutoFillBackground(False)
        self.view.setAutoFillBackground(False)
        self._area.verticalScrollBar().valueChanged.connect(self._check_end)

    def set_text(self, text: str) -> None:
        """Show ``text``. The owner fits anew."""
        self.view.set_text(text)
        self.setAccessibleName(text)

    def fit(self, width: int) -> int:
        """Take a width in px and return the height that this needs."""
        inner = width - 2 * _PAD_X
        wanted = self.view.fit(inner)
        shown = min(wanted, self.max_height - _PAD_TOP - _PAD_BOTTOM)
        self._area.setGeometry(_PAD_X, _PAD_TOP, width - _PAD_X - 2, shown)
        self.resize(width, shown + _PAD_TOP + _PAD_BOTTOM)
        return self.height()

    def hidden_lines(self) -> int:
        """Return how many lines are still below the edge."""
        bar = self._area.verticalScrollBar()
        below = self.view.height() - self._area.height() - bar.value()
        line = fonts.line_height(self._size)
        return max(0, (below + line // 2) // line)

    def fits(self) -> bool:
        """Tell whether all can be seen without scrolling."""
        return self.view.height() <= self._area.height()

    def _check_end(self) -> None:
        self.scrolled.emit()
        if self.hidden_lines() == 0:
            self.end_seen.emit()

    def scroll_lines(self, lines: int) -> None:
        """Scroll by lines, for the keyboard."""
        bar = self._area.verticalScrollBar()
        bar.setValue(bar.value() + lines * fonts.line_height(self._size))

    def to_top(self) -> None:
        """Scroll to the first line."""
        self._area.verticalScrollBar().setValue(0)

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            rr(p, self.rect(), 8, theme.code, theme.line)
