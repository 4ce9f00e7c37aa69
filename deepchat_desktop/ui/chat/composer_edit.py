"""The composer's text: Enter sends unless an input method is composing, Shift+Enter breaks the line.

Invariants: a Return that arrives while there is a preedit belongs to the input method, whatever else is pressed; text
that is too large to be laid out at once never gets here: it is handed on as ``large_pasted``.
"""

from collections.abc import Callable

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragMoveEvent,
    QFocusEvent,
    QImage,
    QInputMethodEvent,
    QKeyEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from deepchat_desktop.domain.attachments import PASTE_BYTES
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.chat.drop_target import holds_files
from deepchat_desktop.ui.theme import theme

LINES_AT_REST = 2
LONG_LINE = 50_000
"""Characters of a line beyond which Qt's layout of it is felt while typing."""


class ComposerEdit(QPlainTextEdit):
    """A plain text field that grows; the owner sets its height from ``wanted_height``."""

    submitted = Signal()
    escaped = Signal()
    image_pasted = Signal(QImage)
    files_pasted = Signal(list)
    large_pasted = Signal(object)
    """The text: an object, since a string is copied twice on the way through a signal."""
    last_wanted = Signal()
    """Up was pressed in the empty field."""
    focus_changed = Signal()
    composing_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.preedit = ""
        self.take_key: Callable[[QKeyEvent], bool] = lambda _event: False
        self.take_tab: Callable[[], bool] = lambda: False
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

    def is_blank(self) -> bool:
        """Tell whether there is nothing but blanks."""
        block = self.document().begin()
        while block.isValid():
            if block.text().strip():
                return False
            block = block.next()
        return True

    def replace_all(self, text: str) -> None:
        """Put a text in place of what is there, as one step that can be undone."""
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self.moveCursor(QTextCursor.MoveOperation.End)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self.preedit = event.preeditString()
        super().inputMethodEvent(event)
        self.composing_changed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if self.preedit:
            if not enter:
                super().keyPressEvent(event)
        elif self.take_key(event):
            event.accept()
        elif enter and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.insertPlainText("\n")
            self.ensureCursorVisible()
        elif enter:
            self.submitted.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        elif event.key() == Qt.Key.Key_Up and not event.modifiers() and self.document().isEmpty():
            self.last_wanted.emit()
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, next: bool) -> bool:
        return (next and not self.preedit and self.take_tab()) or super().focusNextPrevChild(next)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasImage() or source.hasUrls() or source.hasText()

    def insertFromMimeData(self, source: QMimeData) -> None:
        files = [url.toLocalFile() for url in source.urls() if url.isLocalFile()]
        if files:
            self.files_pasted.emit(files)
        elif source.hasText():
            self._paste(source.text())
        elif source.hasImage() and isinstance(source.imageData(), QImage):
            self.image_pasted.emit(source.imageData())

    def _paste(self, text: str) -> None:
        if is_large(text):
            self.large_pasted.emit(text)
        else:
            self.insertPlainText(text)
            self.ensureCursorVisible()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if holds_files(event.mimeData()):
            event.ignore()  # the conversation around takes it
        else:
            super().dragEnterEvent(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if holds_files(event.mimeData()):
            event.ignore()
        else:
            super().dragMoveEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focus_changed.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.preedit = ""
        super().focusOutEvent(event)
        self.focus_changed.emit()


def is_large(text: str) -> bool:
    """Tell whether a pasted text becomes an attachment: from 1 MB on, or with a line that Qt would lay out for long."""
    if len(text) >= PASTE_BYTES:
        return True
    if len(text) * 4 >= PASTE_BYTES and len(text.encode("utf-8", "surrogatepass")) >= PASTE_BYTES:
        return True
    return len(text) > LONG_LINE and max(map(len, text.split("\n"))) > LONG_LINE
