"""The icons: one family of SVG files, drawn in any colour and sharp at any scale.

A picture is rasterised once per (name, colour, size, device pixel ratio). A name without its file is a
``MissingIcon`` at once, never an empty space in the window.
"""

from functools import lru_cache
from math import ceil
from typing import Literal

from PySide6.QtCore import QByteArray, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from deepchat_desktop.resources import resource_path

IconName = Literal[
    "archive",
    "arrow-clockwise",
    "arrow-counter-clockwise",
    "arrow-down",
    "arrow-left",
    "arrow-right",
    "arrow-square-out",
    "arrow-up",
    "arrows-in-line-vertical",
    "book-open",
    "brain",
    "caret-down",
    "caret-left",
    "caret-right",
    "caret-up",
    "chat-teardrop",
    "check",
    "check-circle",
    "clock",
    "cloud",
    "code",
    "copy",
    "cpu",
    "desktop",
    "dots-three",
    "download-simple",
    "eye",
    "eye-slash",
    "file",
    "file-text",
    "folder-open",
    "folder-simple",
    "funnel-simple",
    "gear-six",
    "git-fork",
    "globe",
    "hand-palm",
    "hard-drives",
    "image",
    "info",
    "key",
    "link",
    "list-bullets",
    "lock-simple",
    "magnifying-glass",
    "minus",
    "moon",
    "note-pencil",
    "paperclip",
    "pause",
    "pencil-simple",
    "play",
    "plugs-connected",
    "plus",
    "prohibit",
    "push-pin",
    "push-pin-slash",
    "question",
    "shield-check",
    "sidebar-simple",
    "skip-forward",
    "sliders-horizontal",
    "sparkle",
    "spinner",
    "stop",
    "sun",
    "terminal-window",
    "trash",
    "tray",
    "user",
    "warning",
    "warning-circle",
    "wrench",
    "x",
]


class MissingIcon(LookupError):
    """An icon's file is not among the resources."""


@lru_cache(maxsize=128)
def _source(name: str) -> bytes:
    path = resource_path("icons", f"{name}.svg")
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise MissingIcon(f"There is no icon {name!r}: {path} is missing.") from None


@lru_cache(maxsize=512)
def _raster(name: str, rgba: int, px: int, dpr: float) -> QPixmap:
    colour = QColor.fromRgba(rgba)
    side = max(1, ceil(px * dpr - 0.01))
    image = QImage(side, side, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    svg = _source(name).replace(b"currentColor", colour.name().encode("ascii"))
    renderer = QSvgRenderer(QByteArray(svg))
    painter = QPainter(image)
    try:
        painter.setOpacity(colour.alphaF())
        renderer.render(painter, QRectF(0, 0, side, side))
    finally:
        painter.end()
    made = QPixmap.fromImage(image)
    made.setDevicePixelRatio(side / px)
    return made


def pixmap(name: IconName, colour: QColor, px: int, dpr: float = 1.0) -> QPixmap:
    """Return an icon ``px`` logical pixels wide. Raises ``MissingIcon``."""
    return _raster(name, colour.rgba(), px, round(dpr, 3))


def draw(p: QPainter, area: QRectF, name: IconName, colour: QColor, px: int = 18) -> None:
    """Draw an icon in the middle of ``area``, on whole device pixels. Raises ``MissingIcon``."""
    dpr = p.device().devicePixelRatioF()
    centre = area.center()
    left, top = centre.x() - px / 2, centre.y() - px / 2
    shift = p.deviceTransform()
    x = (round(left * dpr + shift.dx()) - shift.dx()) / dpr
    y = (round(top * dpr + shift.dy()) - shift.dy()) / dpr
    p.drawPixmap(QPointF(x, y), pixmap(name, colour, px, dpr))


def qicon(name: IconName, colour: QColor, px: int = 16) -> QIcon:
    """Return an icon for Qt's own menus and fields; make it anew when the theme changes."""
    icon = QIcon()
    for dpr in (1.0, 1.5, 2.0, 3.0):
        icon.addPixmap(pixmap(name, colour, px, dpr))
    return icon
