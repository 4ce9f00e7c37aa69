"""A picture of a message, decoded from its own bytes and drawn no wider than the text.

Invariants: only the four raster types are decoded, named by the media type and checked by Qt's own reader of that
type; a picture beyond ``MAX_PIXELS`` is not decoded; nothing is read from files or addresses.
"""

import base64
import binascii

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF
from PySide6.QtGui import QImage, QImageReader, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QWidget

from deepchat_desktop.ui import icons
from deepchat_desktop.ui.blocks.part import Part
from deepchat_desktop.ui.paint import painting, rr, text
from deepchat_desktop.ui.theme import theme

FORMATS = {"image/png": b"png", "image/jpeg": b"jpeg", "image/gif": b"gif", "image/webp": b"webp"}
MAX_PIXELS = 50_000_000
MAX_HEIGHT = 420


def decode(media_type: str, data: str) -> QImage | None:
    """Return the picture of base 64 data, or None where it is not one of the four types or too large."""
    form = FORMATS.get(media_type)
    if form is None:
        return None
    try:
        raw = base64.b64decode(data, validate=True)
    except binascii.Error:
        return None
    buffer = QBuffer()
    buffer.setData(QByteArray(raw))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer, QByteArray(form))
    reader.setDecideFormatFromContent(False)
    reader.setAutoTransform(True)
    size = reader.size()
    if size.isValid() and size.width() * size.height() > MAX_PIXELS:
        return None
    image = reader.read()
    return None if image.isNull() else image


class PictureView(Part):
    """One picture with round corners, or a line that says that it cannot be shown."""

    def __init__(self, media_type: str, data: str, alt: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._source = (media_type, data)
        self._image = decode(media_type, data)
        self._alt = alt
        self.setAccessibleName(self._words())

    def shows(self, media_type: str, data: str) -> bool:
        """Tell whether this is the picture of these data."""
        return self._source == (media_type, data)

    def _words(self) -> str:
        if self._image is None:
            return self.tr("This picture cannot be shown")
        return self._alt or self.tr("Picture")

    def fit(self, width: int) -> int:
        self.resize(width, round(self._target(width).height()) if self._image is not None else 36)
        return self.height()

    def natural_width(self, width: int) -> int:
        """Return how wide the picture is drawn in ``width``."""
        return round(self._target(width).width()) if self._image is not None else width

    def _target(self, width: int) -> QRectF:
        if self._image is None:
            return QRectF()
        wide, high = self._image.width(), self._image.height()
        scale = min(1.0, width / wide, MAX_HEIGHT / high)
        return QRectF(0, 0, wide * scale, high * scale)

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            if self._image is None:
                icons.draw(p, QRectF(0, 0, 18, self.height()), "image", theme.faint, 16)
                text(p, QRectF(26, 0, self.width() - 26, self.height()), self._words(), colour=theme.subtle)
                return
            target = self._target(self.width())
            path = QPainterPath()
            path.addRoundedRect(target, 10, 10)
            p.setRenderHint(p.RenderHint.SmoothPixmapTransform)
            p.setRenderHint(p.RenderHint.Antialiasing)
            p.setClipPath(path)
            p.drawImage(target, self._image)
            p.setClipping(False)
            rr(p, target, 10, None, theme.line)
