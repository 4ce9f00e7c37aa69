"""The user's message: pictures, then the text as typed in a soft bubble on the right."""

from collections.abc import Sequence

from PySide6.QtCore import QRect
from PySide6.QtGui import QGuiApplication, QPaintEvent
from PySide6.QtWidgets import QWidget

from deepchat_desktop.domain.blocks import ImageBlock, TextBlock
from deepchat_desktop.presenters.message_list_model import MessageView
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks.image_block import ImageView
from deepchat_desktop.ui.blocks.part import Part, TextPart
from deepchat_desktop.ui.blocks.plain_view import PlainView
from deepchat_desktop.ui.paint import painting, rr
from deepchat_desktop.ui.theme import theme

_PAD_X, _PAD_TOP, _PAD_BOTTOM = 16, 7, 11
_WIDEST, _SHARE = 560, 0.78


class UserMessage(Part):
    """One message of the user."""

    def __init__(self, message: MessageView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = PlainView(fonts.BODY, parent=self)
        self._pictures: list[ImageView] = []
        self._bubble = QRect()
        self.set_message(message)

    def set_message(self, message: MessageView) -> None:
        """Show a new state. The owner fits anew."""
        self.source = "".join(block.text for block in message.blocks if isinstance(block, TextBlock))
        self._text.set_text(self.source)
        self._text.setVisible(bool(self.source))
        for old in self._pictures:
            old.deleteLater()
        self._pictures = []
        for block in message.blocks:
            if isinstance(block, ImageBlock):
                picture = ImageView(self)
                picture.set_block(block)
                picture.show()
                self._pictures.append(picture)
        self.setAccessibleName(self.tr("You: {text}").format(text=self.source))

    def text_parts(self) -> Sequence[TextPart]:
        """Return what can be selected."""
        return (self._text,) if self.source else ()

    def copy_text(self) -> None:
        """Put the text as typed on the clipboard."""
        QGuiApplication.clipboard().setText(self.source)

    def fit(self, width: int) -> int:
        widest = min(_WIDEST, round(width * _SHARE))
        y = 0
        for picture in self._pictures:
            high = picture.fit(widest)
            picture.move(width - picture.natural_width(widest), y)
            y += high + 8
        self._bubble = QRect()
        if self.source:
            inner = widest - 2 * _PAD_X
            self._text.fit(inner)
            inner = min(inner, int(self._text.natural_width()) + 2)
            high = self._text.fit(inner)
            left = width - inner - 2 * _PAD_X
            self._text.move(left + _PAD_X, y + _PAD_TOP)
            self._bubble = QRect(left, y, inner + 2 * _PAD_X, high + _PAD_TOP + _PAD_BOTTOM)
            y += self._bubble.height()
        self.resize(width, y)
        return y

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._bubble.isEmpty():
            with painting(self) as p:
                rr(p, self._bubble, 14, theme.bubble)
