"""Where files and pictures are dropped: the whole conversation, marked while they are held over it."""

from PySide6.QtCore import QEvent, QMimeData, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QDragEnterEvent, QDragMoveEvent, QDropEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.paint import Align, painting, rr, text
from deepchat_desktop.ui.theme import theme


def holds_files(mime: QMimeData) -> bool:
    """Tell whether what is dragged becomes an attachment; text goes to where it is dropped."""
    return any(url.isLocalFile() for url in mime.urls()) or (mime.hasImage() and not mime.hasText())


class DropTarget(QWidget):
    """Covers ``over`` while files are held over it."""

    dropped = Signal(QMimeData)

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self._over = over
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        over.setAcceptDrops(True)
        over.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDropEvent) and not holds_files(event.mimeData()):
            return False
        match event:
            case QDragEnterEvent():
                self._show_over()
                event.setDropAction(Qt.DropAction.CopyAction)
                event.accept()
            case QDragMoveEvent():
                event.setDropAction(Qt.DropAction.CopyAction)
                event.accept()
            case QDropEvent():
                self.hide()
                event.setDropAction(Qt.DropAction.CopyAction)
                event.accept()
                self.dropped.emit(event.mimeData())
            case _ if event.type() == QEvent.Type.DragLeave:
                self.hide()
            case _:
                return False
        return True

    def _show_over(self) -> None:
        self.setGeometry(self._over.rect())
        self.raise_()
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:
        veil = QColor(theme.surface)
        veil.setAlpha(150)
        ground = QColor(theme.selected)
        ground.setAlpha(225)
        with painting(self) as p:
            p.fillRect(self.rect(), veil)
            box = QRectF(self.rect()).adjusted(16.5, 16.5, -16.5, -16.5)
            rr(p, box, 16, ground)
            p.setRenderHint(QPainter.RenderHint.Antialiasing)
            p.setPen(QPen(theme.accent, 2, Qt.PenStyle.DashLine))
            p.setBrush(Qt.BrushStyle.NoBrush)
            p.drawRoundedRect(box, 16, 16)
            middle = box.center().y()
            icons.draw(p, QRectF(box.left(), middle - 40, box.width(), 28), "paperclip", theme.accent_text, 28)
            words = self.tr("Drop to attach")
            line = QRectF(box.left(), middle - 4, box.width(), 26)
            text(p, line, words, fonts.HEADING, fonts.SEMIBOLD, theme.text, align=Align.AlignHCenter)
            small = QRectF(box.left(), middle + 24, box.width(), 20)
            about = self.tr("Pictures and text files")
            text(p, small, about, fonts.CONTROL, colour=theme.muted, align=Align.AlignHCenter)
