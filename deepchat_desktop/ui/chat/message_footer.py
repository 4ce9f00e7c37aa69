"""The line under an answer: actions on the left, seen on hover or focus, and faint facts on the right."""

from PySide6.QtCore import QEvent, QObject, QRectF, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget

from deepchat_desktop.domain.messages import MessageMeta
from deepchat_desktop.domain.usage import Usage
from deepchat_desktop.domain.visible_text import visible_exact
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.chat.faded_button import FadedButton
from deepchat_desktop.ui.controls import IconButton
from deepchat_desktop.ui.paint import Align, painting, text
from deepchat_desktop.ui.theme import theme

HEIGHT = 28


class MessageFooter(QWidget):
    """Actions and facts of one message."""

    copy = Signal()
    retry = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._facts = ""
        self._copy = FadedButton("copy", self.tr("Copy as Markdown"), 26, 16, self)
        self._retry = IconButton("arrow-clockwise", self.tr("Answer again"), 26, 16, self)
        self._copy.clicked.connect(self.copy)
        self._retry.clicked.connect(self.retry)
        self._copy.move(-5, 1)
        self._retry.move(23, 1)
        self._hovered = False
        self._last = False
        for button in (self._copy, self._retry):
            button.installEventFilter(self)
        self._show_actions()

    def set_last(self, last: bool) -> None:
        """The last answer keeps its actions in sight and can be answered again."""
        self._last = last
        self._show_actions()

    def set_hovered(self, hovered: bool) -> None:
        """Tell whether the pointer is over the message."""
        self._hovered = hovered
        self._show_actions()

    def set_facts(self, meta: MessageMeta, usage: Usage) -> None:
        """Show how the answer came to be; what is not known is left out."""
        self._facts = self._words(meta, usage)
        self.update()

    def set_copyable(self, copyable: bool) -> None:
        """Tell whether there is text to copy."""
        self._copy.setVisible(copyable)
        self._retry.move(23 if copyable else -5, 1)

    def facts(self) -> str:
        """Return the words on the right."""
        return self._facts

    def _words(self, meta: MessageMeta, usage: Usage) -> str:
        tokens = usage.output or meta.token_estimate
        parts = [visible_exact(meta.model, multiline=False)]
        if tokens:
            parts.append(self.tr("{count} tokens").format(count=f"{tokens:,}"))
        if meta.duration_ms is not None:
            parts.append(self.tr("{seconds} s").format(seconds=f"{meta.duration_ms / 1000:.1f}"))
        if meta.tokens_per_second:
            parts.append(self.tr("{speed} tok/s").format(speed=f"{meta.tokens_per_second:.0f}"))
        return "  ·  ".join(part for part in parts if part)

    def _show_actions(self) -> None:
        seen = self._last or self._hovered or self._copy.hasFocus() or self._retry.hasFocus()
        self._copy.set_faded(not seen)
        self._retry.setVisible(self._last)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self._show_actions()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            area = QRectF(62, 0, self.width() - 62, HEIGHT)
            text(p, area, self._facts, fonts.META, colour=theme.subtle, align=Align.AlignRight, tabular=True)
