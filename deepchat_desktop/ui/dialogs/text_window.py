"""A long text in a window of its own, to be read, searched by eye and copied; nothing in it can be changed.

Invariant: it is plain text with what cannot be seen written out; it comes from the message, and no file is opened.
"""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QPaintEvent, QShortcut, QTextOption
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from deepchat_desktop.domain.visible_text import visible_exact
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.controls import Button
from deepchat_desktop.ui.controls_shown import Label, ShortLabel
from deepchat_desktop.ui.focus_ring import FocusRing
from deepchat_desktop.ui.paint import hline, painting
from deepchat_desktop.ui.theme import theme


class TextWindow(QWidget):
    """One text. It deletes itself when it is closed."""

    def __init__(self, parent: QWidget, title: str, words: str) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._words = words
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.resize(860, 640)
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setAccessibleName(title)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.text.setPlainText(visible_exact(words))
        self._copy = Button(self.tr("Copy all"))
        self._copy.clicked.connect(self._copy_all)
        self._place(title)
        for key in (QKeySequence(Qt.Key.Key_Escape), QKeySequence(QKeySequence.StandardKey.Close)):
            QShortcut(key, self, self.close)
        self.ring = FocusRing(self)
        theme.changed.connect(self._take_look)
        self._take_look()
        self.text.setFocus()

    def _place(self, title: str) -> None:
        lines = self._words.count("\n") + 1
        head = QHBoxLayout()
        head.setContentsMargins(20, 10, 14, 10)
        head.setSpacing(12)
        head.addWidget(ShortLabel(title, weight=fonts.SEMIBOLD), 1)
        counted = self.tr("{lines} lines, {characters} characters")
        words = counted.format(lines=f"{lines:,}", characters=f"{len(self._words):,}")
        head.addWidget(Label(words, fonts.META, tone="subtle"))
        head.addWidget(self._copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        column.addLayout(head)
        column.addWidget(self.text, 1)
        self._head = head

    def _copy_all(self) -> None:
        QGuiApplication.clipboard().setText(self._words)

    def _take_look(self) -> None:
        self.text.setFont(fonts.font(fonts.META, mono=True))
        palette = self.text.palette()
        palette.setColor(palette.ColorRole.Base, theme.code)
        palette.setColor(palette.ColorRole.Text, theme.text)
        self.text.setPalette(palette)
        self.text.setFrameShape(self.text.Shape.NoFrame)
        self.text.document().setDocumentMargin(14)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            p.fillRect(self.rect(), theme.surface)
            hline(p, 0, self._head.geometry().bottom() + 1, self.width())
