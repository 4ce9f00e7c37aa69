"""The composer's text: Enter sends unless an input method is composing, Shift+Enter breaks the line.

Invariant: a Return that arrives while there is a preedit belongs to the input method, whatever else is pressed.
"""

from PySide6.QtCore import QMimeData, Qt, QUrl, Signal
from PySide6.QtGui import QFocusEvent, QImage, QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.theme import theme

LINES_AT_REST = 2


class ComposerEdit(QPlainTextEdit):
    """A plain text field that grows; the owner sets its height from ``wanted_height``."""

    submitted = Signal()
    escaped = Signal()
    image_pasted = Signal(QImage)
    files_dropped = Signal(list)
    focus_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.preedit = ""
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(0)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.setAccessibleName(self.tr("Message"))
        self._take_font()
        theme.changed.connect(self._take_font)

    def _take_font(self) -> None:
        self.setFont(fonts.font(fonts.BODY))
        self.viewport().setFont(fonts.font(fonts.BODY))  # the placeholder's; a style sheet cuts its inheritance

    def wanted_height(self, limit: int, lines: int = LINES_AT_REST) -> int:
        """Return the height for the text, at least ``lines`` and at most ``limit`` px."""
        least = lines * self.fontMetrics().lineSpacing()
        height = 0.0
        block = self.document().begin()
        while block.isValid() and height < limit:
            height += self.blockBoundingRect(block).height()  # lines with Chinese are higher than others
            block = block.next()
        wanted = max(least, round(height + 0.5)) + 4
        shown = Qt.ScrollBarPolicy.ScrollBarAsNeeded if wanted > limit else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(shown)
        return min(limit, wanted)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self.preedit = event.preeditString()
        super().inputMethodEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.preedit:
                event.accept()
            elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self.insertPlainText("\n")
                self.ensureCursorVisible()
            else:
                self.submitted.emit()
        elif event.key() == Qt.Key.Key_Escape and not self.preedit:
            self.escaped.emit()
        else:
            super().keyPressEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasImage() or source.hasUrls() or source.hasText()

    def insertFromMimeData(self, source: QMimeData) -> None:
        files = [url.toLocalFile() for url in source.urls() if QUrl.isLocalFile(url)]
        if files:
            self.files_dropped.emit(files)
        elif source.hasImage() and isinstance(source.imageData(), QImage):
            self.image_pasted.emit(source.imageData())
        elif source.hasText():
            self.insertPlainText(source.text())

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focus_changed.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.preedit = ""
        super().focusOutEvent(event)
        self.focus_changed.emit()
