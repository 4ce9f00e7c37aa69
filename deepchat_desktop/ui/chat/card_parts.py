"""The painted pieces of the permission card: the disc, the quoted words, the key cap on Deny."""

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget

from deepchat_desktop.domain.visible_text import visible_prose
from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.blocks.tool_words import icon_of
from deepchat_desktop.ui.controls import Button
from deepchat_desktop.ui.controls_shown import Label
from deepchat_desktop.ui.paint import dot, painting, rr, text
from deepchat_desktop.ui.theme import theme

MAX_QUOTE = 300


class ToolDisc(QWidget):
    """The tool's icon on a soft disc."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._tool = ""
        self.setFixedSize(32, 32)

    def set_tool(self, tool: str) -> None:
        """Show a tool."""
        self._tool = tool
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            dot(p, QPointF(16, 16), 16, theme.warn_soft)
            icons.draw(p, QRectF(0, 0, 32, 32), icon_of(self._tool), theme.warn, 18)


class ModelQuote(QWidget):
    """The model's own words, labelled as such, beside a rule."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._label = Label(self.tr("The model says"), fonts.META, fonts.MEDIUM, "muted", parent=self)
        self._words = Label("", fonts.CONTROL, tone="muted", wrap=True, parent=self)

    def set_words(self, words: str) -> None:
        """Show what the model said; long words are cut, they decide nothing."""
        shown = visible_prose(" ".join(words.split()))
        cut = f"{shown[:MAX_QUOTE]}…" if len(shown) > MAX_QUOTE else shown
        self._words.setText(f"“{cut}”")
        self.setVisible(bool(shown))

    def fit(self, width: int) -> int:
        """Take a width and return the height."""
        label = self._label.sizeHint()
        line = fonts.line_height(fonts.CONTROL)
        left = 12 + label.width() + 10
        high = max(line, self._words.heightForWidth(width - left))
        self._label.setGeometry(12, (line - label.height()) // 2, label.width(), label.height())
        self._words.setGeometry(left, 0, width - left, high)
        self.resize(width, high)
        return high

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            rr(p, QRectF(0, 1, 2, self.height() - 2), 1, theme.line2)


class DenyButton(Button):
    """Deny, with the key that does the same."""

    CAP = 32

    def sizeHint(self) -> QSize:
        size = super().sizeHint()
        return QSize(size.width() + self.CAP + 2, size.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        fill, line, ink = self._colours()
        with painting(self) as p:
            rr(p, self.rect(), self.radius, fill, line)
            high = float(self.height())
            text(p, QRectF(13, 0, self.width() - 50, high), self.text(), fonts.CONTROL, fonts.MEDIUM, ink)
            cap = QRectF(self.width() - self.CAP - 8, high / 2 - 10, self.CAP, 20)
            rr(p, cap, 4, theme.hover, None)
            left = cap.left() + (self.CAP - fonts.text_width("Esc", fonts.META)) / 2
            text(p, QRectF(left, cap.top(), self.CAP, 20), "Esc", fonts.META, colour=theme.muted)
