"""Pictures on their way into a message, and the row of chips that shows them.

Invariants: only png, jpeg, gif and webp up to ``MAX_BYTES``, told apart by their first bytes and not by their
names; a file is read only when the user chose or dropped it.
"""

import base64
from pathlib import Path

from PySide6.QtCore import QBuffer, QCoreApplication, QIODevice, QRectF, Qt, Signal
from PySide6.QtGui import QImage, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QWidget

from deepchat_desktop.domain.blocks import ImageBlock
from deepchat_desktop.domain.pictures import picture_type
from deepchat_desktop.domain.visible_text import visible_exact
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks.picture_shape import decode
from deepchat_desktop.ui.controls import IconButton
from deepchat_desktop.ui.paint import painting, rr, text
from deepchat_desktop.ui.theme import theme

MAX_BYTES = 10_000_000
ROW_HEIGHT = 52
_CHIP_WIDTH, _CHIP_HEIGHT = 180, 44


class RefusedPicture(ValueError):
    """The picture cannot be attached; the text says why, in the user's language."""


def _tr(words: str) -> str:
    return QCoreApplication.translate("Attachments", words)


def from_bytes(data: bytes, name: str) -> ImageBlock:
    """Return a picture. Raises ``RefusedPicture``."""
    shown = visible_exact(name, multiline=False)
    if len(data) > MAX_BYTES:
        raise RefusedPicture(_tr("“{name}” is larger than 10 MB.").format(name=shown))
    media_type = picture_type(data)
    if media_type is None:
        raise RefusedPicture(_tr("“{name}” is not a PNG, JPEG, GIF or WebP picture.").format(name=shown))
    return ImageBlock(media_type=media_type, data=base64.b64encode(data).decode("ascii"), name=name)


def from_file(path: str) -> ImageBlock:
    """Return the picture in a file. Raises ``RefusedPicture``."""
    name = Path(path).name
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        shown = visible_exact(name, multiline=False)
        raise RefusedPicture(_tr("“{name}” cannot be read.").format(name=shown)) from error
    return from_bytes(data, name)


def from_image(image: QImage) -> ImageBlock:
    """Return a pasted picture as PNG. Raises ``RefusedPicture``."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return from_bytes(bytes(buffer.data().data()), _tr("Pasted picture"))


class AttachmentChip(QWidget):
    """A picture, its name, and a button that takes it out."""

    removed = Signal()

    def __init__(self, block: ImageBlock, parent: QWidget) -> None:
        super().__init__(parent)
        self._name = visible_exact(block.name, multiline=False)
        image = decode(block.media_type, block.data)
        keep, smooth = Qt.AspectRatioMode.KeepAspectRatioByExpanding, Qt.TransformationMode.SmoothTransformation
        self._image = image.scaled(64, 64, keep, smooth) if image is not None else None
        self.setFixedSize(_CHIP_WIDTH, _CHIP_HEIGHT)
        self.setAccessibleName(self._name)
        close = IconButton("x", self.tr("Remove {name}").format(name=self._name), 20, 12, self)
        close.move(_CHIP_WIDTH - 26, 12)
        close.clicked.connect(self.removed)

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
            area = QRectF(46, 0, _CHIP_WIDTH - 76, _CHIP_HEIGHT)
            text(p, area, self._name, fonts.META, colour=theme.muted, elide=Qt.TextElideMode.ElideMiddle)


class AttachmentRow(QWidget):
    """The chips above the text. ``pictures`` are what will be sent."""

    changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.pictures: list[ImageBlock] = []
        self._chips: list[AttachmentChip] = []
        self.hide()

    def add(self, block: ImageBlock) -> None:
        """Attach a picture."""
        self.pictures.append(block)
        chip = AttachmentChip(block, self)
        chip.removed.connect(lambda: self._remove(chip))
        chip.move(len(self._chips) * (_CHIP_WIDTH + 8), 0)
        chip.show()
        self._chips.append(chip)
        self._tell()

    def clear(self) -> None:
        """Take all out."""
        while self._chips:
            self._remove(self._chips[-1])

    def _remove(self, chip: AttachmentChip) -> None:
        index = self._chips.index(chip)
        del self._chips[index], self.pictures[index]
        chip.hide()
        chip.deleteLater()
        for place, other in enumerate(self._chips):
            other.move(place * (_CHIP_WIDTH + 8), 0)
        self._tell()

    def _tell(self) -> None:
        self.setVisible(bool(self.pictures))
        self.changed.emit()
