"""A picture of a message, drawn no wider than the text: an empty frame of its size until a large one is decoded."""

from PySide6.QtCore import QCoreApplication, QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QPainterPath

from deepchat_desktop.ui import icons
from deepchat_desktop.ui.blocks.picture_decode import AT_ONCE, Decoding, Encoded
from deepchat_desktop.ui.blocks.rendering import rendering
from deepchat_desktop.ui.blocks.shape import Scene, Shape
from deepchat_desktop.ui.paint import rr, text
from deepchat_desktop.ui.theme import theme

MAX_HEIGHT = 420


class PictureShape(Shape):
    """One picture with round corners, or a line that says that it cannot be shown; ``right`` stands it there."""

    def __init__(self, media_type: str, data: str, alt: str = "", *, right: bool = False) -> None:
        self.source = (media_type, data)
        self._alt = alt
        self._right = right
        encoded = Encoded(media_type, data)
        self._size = encoded.size
        self._image: QImage | None = None
        if encoded.pixels() <= AT_ONCE:
            self._take(encoded.decode() or QImage())
        else:
            Decoding(encoded, self._arrived)

    def _take(self, image: QImage) -> None:
        self._image = None if image.isNull() else image
        self._size = self._size if self._image is not None else None

    def _arrived(self, image: QImage) -> None:
        self._take(image)
        self.width = 0  # a damaged one is a line
        rendering.changed.emit()

    def words(self) -> str:
        """Return what it is called."""
        if self._size is None:
            return QCoreApplication.translate("Picture", "This picture cannot be shown")
        return self._alt or QCoreApplication.translate("Picture", "Picture")

    def fit(self, width: int) -> None:
        self.width = width
        self.height = round(self._target().height()) if self._size is not None else 36

    def _target(self) -> QRectF:
        if self._size is None:
            return QRectF()
        wide, high = self._size.width(), self._size.height()
        scale = min(1.0, self.width / wide, MAX_HEIGHT / high)
        left = self.width - wide * scale if self._right else 0.0
        return QRectF(left, 0, wide * scale, high * scale)

    def paint(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        if self._size is None:
            icons.draw(p, QRectF(0, 0, 18, self.height), "image", theme.faint, 16)
            text(p, QRectF(26, 0, self.width - 26, self.height), self.words(), colour=theme.subtle)
            return
        target = self._target()
        if self._image is not None:
            path = QPainterPath()
            path.addRoundedRect(target, 10, 10)
            p.save()
            p.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            p.setRenderHint(QPainter.RenderHint.Antialiasing)
            p.setClipPath(path, Qt.ClipOperation.IntersectClip)
            p.drawImage(target, self._image)
            p.restore()
        rr(p, target, 10, None, theme.line)
