"""Foreign text as it is: no Markdown, lines as they break, invisible characters shown; grows by appending.

Invariant: text that begins with what is shown already is appended, so a stream costs what was added.
"""

from typing import Literal

from PySide6.QtGui import QBrush, QTextCharFormat, QTextCursor

from deepchat_desktop.domain.visible_text import visible_exact, visible_prose
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks.doc_build import SilentDocument, line_format
from deepchat_desktop.ui.blocks.doc_shape import DocShape
from deepchat_desktop.ui.blocks.shape import Shape
from deepchat_desktop.ui.theme import theme

Tone = Literal["text", "muted"]


class PlainShape(DocShape):
    """One run of plain text. ``exact`` shows every character without ink (for decisions)."""

    def __init__(
        self, text: str = "", size: int = fonts.BODY, tone: Tone = "text", *, mono: bool = False, exact: bool = False
    ) -> None:
        self._look = (size, tone, mono)
        self._exact = exact
        self._shown = self._visible(text)
        super().__init__(())

    def _visible(self, text: str) -> str:
        return visible_exact(text) if self._exact else visible_prose(text)

    def set_text(self, text: str) -> None:
        """Show ``text``. The owner fits anew."""
        shown = self._visible(text)
        before, self._shown = self._shown, shown
        if before and shown.startswith(before):
            if len(shown) > len(before):
                self._insert(self.document, shown[len(before) :])
        elif shown != before:
            self.document = self.build()
            self.width = 0

    def build(self) -> SilentDocument:
        document = SilentDocument()
        cursor = QTextCursor(document)
        cursor.setBlockFormat(line_format(fonts.line_height(self._look[0])))
        self._insert(document, self._shown)
        return document

    def _insert(self, document: SilentDocument, text: str) -> None:
        size, tone, mono = self._look
        form = QTextCharFormat()
        form.setFont(fonts.font(size, mono=mono))
        form.setForeground(QBrush(getattr(theme, tone)))
        cursor = QTextCursor(document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text.replace("\t", "    ") if mono else text, form)

    def plain_between(self, start: int, end: int) -> str:
        return self.text_between(start, end)

    def markdown_between(self, start: int, end: int) -> str:
        return self.text_between(start, end)

    def html_between(self, start: int, end: int) -> str:
        return Shape.html_between(self, start, end)

    def natural_width(self) -> float:
        """Return the width of the longest line, as far as wrapping at the present width goes."""
        return self.document.idealWidth()
