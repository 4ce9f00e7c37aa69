"""A plain text as a widget of its own, for the places outside the message list."""

from typing import Literal

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPaintEvent, QTextDocument
from PySide6.QtWidgets import QWidget

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks.plain_shape import PlainShape
from deepchat_desktop.ui.blocks.shape import Scene
from deepchat_desktop.ui.paint import painting
from deepchat_desktop.ui.theme import theme

Tone = Literal["text", "muted"]


class PlainView(QWidget):
    """One run of plain text. ``exact`` shows every character without ink (for decisions)."""

    def __init__(
        self, size: int = fonts.BODY, tone: Tone = "text", *, mono: bool = False, exact: bool = False,
        parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._look = (size, tone, mono, exact)
        self._text = ""
        self._shape = self._made()
        theme.changed.connect(self._on_theme)

    def _made(self) -> PlainShape:
        size, tone, mono, exact = self._look
        return PlainShape(self._text, size, tone, mono=mono, exact=exact)

    @property
    def document(self) -> QTextDocument:
        """The document that is painted."""
        return self._shape.document

    def set_text(self, text: str) -> None:
        """Show ``text``. The owner fits anew."""
        self._text = text
        self._shape.set_text(text)
        self.setAccessibleName(self._shape.document.toPlainText())
        self.update()

    def fit(self, width: int) -> int:
        """Take a width in px and return the height that this needs."""
        self._shape.fit(width)
        self.resize(width, self._shape.height)
        return self.height()

    def _on_theme(self) -> None:
        self._shape = self._made()
        if self.width():
            self._shape.fit(self.width())
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            self._shape.paint(p, QRectF(event.rect()), Scene())
