"""The chips above the text: what will be sent with it, and a way to take each out.

Invariants: the row shows what the presenter holds and nothing else; thumbnails are decoded on another thread; more
chips than two rows scroll.
"""

from collections.abc import Sequence

from PySide6.QtCore import QBuffer, QIODevice, QRectF, Qt, Signal
from PySide6.QtGui import QImage, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from deepchat_desktop.domain.attachments import Attached
from deepchat_desktop.domain.blocks import FileBlock, ImageBlock
from deepchat_desktop.domain.visible_text import visible_exact
from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.blocks.file_block import facts_of
from deepchat_desktop.ui.blocks.picture_decode import Decoding, Encoded
from deepchat_desktop.ui.controls import IconButton
from deepchat_desktop.ui.controls_shown import Spinner
from deepchat_desktop.ui.paint import painting, rr, text
from deepchat_desktop.ui.plain_tip import set_plain_tip
from deepchat_desktop.ui.theme import theme

ROW_HEIGHT = 52
_CHIP_WIDTH, _CHIP_HEIGHT, _GAP = 200, 44, 8
_MOST_ROWS = 2
_THUMB = 256
"""Pixels of the longer side; the middle of the shorter one is shown."""


def png_of(image: QImage) -> bytes:
    """Return a picture as PNG; nothing where Qt cannot write it. Takes long for large ones: call it on a thread."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())


class AttachmentChip(QWidget):
    """A picture or a file: its mark, its name, what is sent of it, and a button that takes it out."""

    removed = Signal()

    def __init__(self, attached: Attached, parent: QWidget) -> None:
        super().__init__(parent)
        self._name = visible_exact(attached.block.name, multiline=False)
        file = attached.block if isinstance(attached.block, FileBlock) else None
        self._facts = facts_of(file, short=True) if file is not None else ""
        self._image: QImage | None = None
        self._icon: icons.IconName = "file-text" if self._facts else "image"
        self.setFixedSize(_CHIP_WIDTH, _CHIP_HEIGHT)
        self.setAccessibleName(f"{self._name}, {facts_of(file)}" if file is not None else self._name)
        set_plain_tip(self, self.accessibleName())
        close = IconButton("x", self.tr("Remove {name}").format(name=self._name), 20, 12, self)
        close.move(_CHIP_WIDTH - 26, 12)
        close.clicked.connect(self.removed)
        self.close_button = close
        if isinstance(attached.block, ImageBlock):
            Decoding(Encoded(attached.block.media_type, attached.block.data), self._take_image, _THUMB)

    def _take_image(self, image: QImage) -> None:
        self._image = None if image.isNull() else image
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            rr(p, self.rect(), 8, theme.hover2, theme.line)
            box = QRectF(6, 6, 32, 32)
            if self._image is not None:
                path = QPainterPath()
                path.addRoundedRect(box, 5, 5)
                p.save()
                p.setClipPath(path)
                side = min(self._image.width(), self._image.height())
                left, top = (self._image.width() - side) / 2, (self._image.height() - side) / 2
                p.drawImage(box, self._image, QRectF(left, top, side, side))
                p.restore()
            else:
                icons.draw(p, box, self._icon, theme.muted, 18)
            room, middle = _CHIP_WIDTH - 76, Qt.TextElideMode.ElideMiddle
            if self._facts:
                text(p, QRectF(46, 4, room, 20), self._name, fonts.META, colour=theme.text, elide=middle)
                text(p, QRectF(46, 21, room, 18), self._facts, fonts.META, colour=theme.subtle)
            else:
                text(p, QRectF(46, 0, room, _CHIP_HEIGHT), self._name, fonts.META, colour=theme.text, elide=middle)


class _Reading(QWidget):
    """Stands for what is still being read."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedSize(_CHIP_WIDTH, _CHIP_HEIGHT)
        self.setAccessibleName(self.tr("Reading…"))
        Spinner(self.accessibleName(), parent=self).move(16, 15)

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            rr(p, self.rect(), 8, None, theme.line)
            text(p, QRectF(46, 0, 140, _CHIP_HEIGHT), self.accessibleName(), fonts.META, colour=theme.muted)


class AttachmentRow(QScrollArea):
    """The chips. ``attached`` is what will be sent."""

    changed = Signal()
    removed = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.attached: list[Attached] = []
        self.chips: dict[str, AttachmentChip] = {}
        self._inner = QWidget()
        self._reading = _Reading(self._inner)
        self._reading.hide()
        self.setWidget(self._inner)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self._inner.setAutoFillBackground(False)
        self.setAccessibleName(self.tr("Attachments"))
        self.hide()

    def show_attached(self, attached: Sequence[Attached], *, reading: bool) -> None:
        """Show these chips, and a mark for what is still being read."""
        self.attached = list(attached)
        wanted = {one.id: one for one in attached}
        for key in [key for key in self.chips if key not in wanted]:
            gone = self.chips.pop(key)
            gone.hide()
            gone.deleteLater()
        for key, one in wanted.items():
            if key not in self.chips:
                chip = self.chips[key] = AttachmentChip(one, self._inner)
                chip.removed.connect(lambda key=key: self.removed.emit(key))
                chip.show()
        self._reading.setVisible(reading)
        self.setVisible(bool(attached) or reading)
        self.changed.emit()

    def fit(self, width: int) -> int:
        """Take a width and return the height."""
        shown = [*(self.chips[one.id] for one in self.attached), *([self._reading] if self._reading_shown() else [])]
        columns = max(1, (width - 10 + _GAP) // (_CHIP_WIDTH + _GAP))
        for place, chip in enumerate(shown):
            chip.move(place % columns * (_CHIP_WIDTH + _GAP), place // columns * ROW_HEIGHT)
        rows = -(-len(shown) // columns)
        self._inner.resize(width - 10, rows * ROW_HEIGHT)
        return min(rows, _MOST_ROWS) * ROW_HEIGHT

    def _reading_shown(self) -> bool:
        return not self._reading.isHidden()
