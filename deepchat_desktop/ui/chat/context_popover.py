"""What is known of the window's use, in figures, above the ring that was clicked."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from deepchat_desktop.domain.budget import Budget
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.controls_shown import Label
from deepchat_desktop.ui.paint import painting, rr
from deepchat_desktop.ui.theme import theme

_PAD, _WIDTH = 16, 260


class ContextPopover(QWidget):
    """A pop-up that goes away with a click elsewhere or Escape. ``used`` 0 and ``budget`` None are unknown."""

    def __init__(self, used: int, budget: Budget | None, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowFlags(
            Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint | Qt.WindowType.NoDropShadowWindowHint
        )
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName(self.tr("Context"))
        grid = QGridLayout(self)
        grid.setContentsMargins(_PAD, 12, _PAD, 14)
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(6)
        grid.addWidget(Label(self.tr("Context"), fonts.CONTROL, fonts.SEMIBOLD), 0, 0, 1, 2)
        window, output = (budget.window, budget.output) if budget is not None else (0, 0)
        known = ((self.tr("In use"), used), (self.tr("Window"), window), (self.tr("Kept for the answer"), output))
        self.rows = [(name, self._tokens(tokens)) for name, tokens in known]
        for row, (name, figure) in enumerate(self.rows, 1):
            grid.addWidget(Label(name, tone="muted"), row, 0)
            grid.addWidget(Label(figure), row, 1, Qt.AlignmentFlag.AlignRight)
        words = self.tr("In use is what the model reported with its last answer.")
        note = Label(words, fonts.META, tone="subtle", wrap=True)
        note.setFixedWidth(_WIDTH - 2 * _PAD)
        grid.addWidget(note, len(known) + 1, 0, 1, 2)
        self.setMinimumWidth(_WIDTH)

    def _tokens(self, tokens: int) -> str:
        return self.tr("{count} tokens").format(count=f"{tokens:,}") if tokens else self.tr("unknown")

    def open_above(self, anchor: QWidget) -> None:
        """Open with its right edge near the anchor's, inside the window."""
        self.adjustSize()
        at = anchor.mapToGlobal(anchor.rect().topRight())
        self.move(at.x() - self.width() + 24, at.y() - self.height() - 10)
        self.show()
        self.setFocus(Qt.FocusReason.PopupFocusReason)

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            rr(p, QRectF(self.rect()), 10, theme.raised, theme.line2)
