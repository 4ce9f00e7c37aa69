"""Drags what is selected into another program.

``QDrag.exec`` runs a loop of its own, and Qt has no other way to drag. It is called from a mouse event alone, never
from within a task's step, so the tasks of the program go on inside it.
"""

from PySide6.QtCore import QMimeData, QObject, QPoint, QRectF, Qt
from PySide6.QtGui import QDrag, QPixmap

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.paint import painting, rr, text
from deepchat_desktop.ui.theme import theme

_WIDE, _HIGH = 260, 30


def drag(source: QObject, data: QMimeData, words: str) -> Qt.DropAction:
    """Drag ``data`` as a copy until it is dropped or let go of; ``words`` are seen beside the pointer."""
    made = QDrag(source)
    made.setMimeData(data)
    made.setPixmap(picture(words, source))
    made.setHotSpot(QPoint(-12, -8))
    return made.exec(Qt.DropAction.CopyAction)


def picture(words: str, source: QObject) -> QPixmap:
    """Return a slip with the beginning of some words."""
    dpr = getattr(source, "devicePixelRatioF", lambda: 1.0)()
    line = " ".join(words[:200].split())
    wide = min(_WIDE, round(fonts.text_width(line, fonts.META)) + 24)
    slip = QPixmap(round(wide * dpr), round(_HIGH * dpr))
    slip.setDevicePixelRatio(dpr)
    slip.fill(theme.clear)
    with painting(slip) as p:
        rr(p, QRectF(0, 0, wide, _HIGH), 8, theme.raised, theme.line2)
        text(p, QRectF(12, 0, wide - 24, _HIGH), line, fonts.META)
    return slip
