"""Pictures from their own bytes: small ones at once, large ones on another thread and no larger than is ever shown.

Invariants: only the four raster types are decoded, named by the media type and read by Qt's own reader of that type;
a picture beyond ``MAX_PIXELS`` is not decoded; nothing is read from files or addresses. Decoding 50 million pixels
takes most of a second, but lets the loop run.
"""

import base64
import binascii
from collections.abc import Callable
from weakref import WeakMethod

from PySide6.QtCore import QBuffer, QByteArray, QCoreApplication, QIODevice, QObject, QSize, Qt, QThreadPool, Signal
from PySide6.QtGui import QImage, QImageIOHandler, QImageReader

FORMATS = {"image/png": b"png", "image/jpeg": b"jpeg", "image/gif": b"gif", "image/webp": b"webp"}
MAX_PIXELS = 50_000_000
AT_ONCE = 500_000
"""Pixels of a picture that is decoded where it is needed: about 10 ms."""
LARGEST_SIDE = 2_400
"""Pixels; a picture is drawn at most as wide as the text and twice as fine."""


class Encoded:
    """A picture that is not decoded yet. ``size`` is None where it cannot be, else in pixels as it will stand."""

    def __init__(self, media_type: str, data: str) -> None:
        self._form = FORMATS.get(media_type)
        self._raw = b""
        self.size: QSize | None = None
        if self._form is not None:
            try:
                self._raw = base64.b64decode(data, validate=True)
            except binascii.Error:
                return
            self.size = self._look()

    def _reader(self) -> tuple[QImageReader, QBuffer]:
        buffer = QBuffer()
        buffer.setData(QByteArray(self._raw))
        buffer.open(QIODevice.OpenModeFlag.ReadOnly)
        reader = QImageReader(buffer, QByteArray(self._form or b""))
        reader.setDecideFormatFromContent(False)
        reader.setAutoTransform(True)
        return reader, buffer

    def _look(self) -> QSize | None:
        reader, _buffer = self._reader()
        size = reader.size()
        if not size.isValid() or size.isEmpty() or size.width() * size.height() > MAX_PIXELS:
            return None
        turned = reader.transformation() & QImageIOHandler.Transformation.TransformationRotate90
        return size.transposed() if turned else size

    def pixels(self) -> int:
        """Return how many there are to decode."""
        return self.size.width() * self.size.height() if self.size is not None else 0

    def decode(self, largest: int = LARGEST_SIDE) -> QImage | None:
        """Return the picture, shrunk to fit a square; None where its bytes are damaged."""
        if self.size is None:
            return None
        reader, _buffer = self._reader()
        if max(self.size.width(), self.size.height()) > largest:
            reader.setScaledSize(reader.size().scaled(largest, largest, Qt.AspectRatioMode.KeepAspectRatio))
        image = reader.read()
        return None if image.isNull() else image


class Decoding(QObject):
    """Decodes one picture on another thread and hands it, or an empty one, to ``take`` on this one.

    It belongs to the application until then: whoever asked may be gone, and then nobody takes it.
    """

    _decoded = Signal(QImage)

    def __init__(self, encoded: Encoded, take: Callable[[QImage], None], largest: int = LARGEST_SIDE) -> None:
        super().__init__(QCoreApplication.instance())
        self._encoded, self._largest = encoded, largest
        self._take = WeakMethod(take)
        self._decoded.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        QThreadPool.globalInstance().start(self._run)

    def _run(self) -> None:
        self._decoded.emit(self._encoded.decode(self._largest) or QImage())

    def _deliver(self, image: QImage) -> None:
        take = self._take()
        if take is not None:
            take(image)
        self.deleteLater()


def decode(media_type: str, data: str) -> QImage | None:
    """Return the picture of base 64 data, or None where it is not one of the four types, damaged or too large."""
    return Encoded(media_type, data).decode()
