"""A picture of a message, decoded from its own bytes and drawn no wider than the text.

Invariants: only the four raster types are decoded, named by the media type and checked by Qt's own reader of that
type; a picture beyond ``MAX_PIXELS`` is not decoded; nothing is read from files or addresses.
"""

import base64
import binascii

from PySide6.QtCore import QBuffer, QByteArray, QCoreApplication, QIODevice, QRectF, Qt
from PySide6.QtGui import QImage, QImageReader, QPainter, QPainterPath

from deepchat_desktop.ui import icons
from deepchat_desktop.ui.blocks.shape import Scene, Shape
from deepchat_desktop.ui.paint import rr, text
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


class PictureShape(Shape):
    """One picture with round corners, or a line that says that it cannot be shown; ``right`` stands it there."""

    def __init__(self, media_type: str, data: str, alt: str = "", *, right: bool = False) -> None:
        self.source = (media_type, data)
        self._image = decode(media_type, data)
        self._alt = alt
        self._right = right

    def words(self) -> str:
        """Return what it is called."""
        if self._image is None:
            return QCoreApplication.translate("Picture", "This picture cannot be shown")
        return self._alt or QCoreApplication.translate("Picture", "Picture")

    def fit(self, width: int) -> None:
        self.width = width
        self.height = round(self._target().height()) if self._image is not None else 36

    def _target(self) -> QRectF:
        if self._image is None:
            return QRectF()
        wide, high = self._image.width(), self._image.height()
        scale = min(1.0, self.width / wide, MAX_HEIGHT / high)
        left = self.width - wide * scale if self._right else 0.0
        return QRectF(left, 0, wide * scale, high * scale)

    def paint(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        if self._image is None:
            icons.draw(p, QRectF(0, 0, 18, self.height), "image", theme.faint, 16)
            text(p, QRectF(26, 0, self.width - 26, self.height), self.words(), colour=theme.subtle)
            return
        target = self._target()
        path = QPainterPath()
        path.addRoundedRect(target, 10, 10)
        p.save()
        p.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        p.setClipPath(path, Qt.ClipOperation.IntersectClip)
        p.drawImage(target, self._image)
        p.restore()
        rr(p, target, 10, None, theme.line)
