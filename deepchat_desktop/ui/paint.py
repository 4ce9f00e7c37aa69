"""Drawing that is sharp at any scale: rounded boxes, hair lines, centred text, soft shadows, the spinner.

Every paint runs inside ``painting``: an exception that left a painter open would end the process. Lengths are
logical px; 1-px lines are moved onto device pixels, inwards, or a widget's edge would clip them.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from math import ceil, floor

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPaintDevice, QPainter, QPen

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.theme import theme

Align = Qt.AlignmentFlag
Elide = Qt.TextElideMode


@contextmanager
def painting(device: QPaintDevice) -> Iterator[QPainter]:
    """Give a painter on ``device`` and end it, whatever happens."""
    p = QPainter(device)
    try:
        yield p
    finally:
        p.end()


def _ceil(value: float) -> int:
    return ceil(value - 0.01)


def _floor(value: float) -> int:
    return floor(value + 0.01)


def _snap(value: float, dpr: float, origin: float, to: Callable[[float], int]) -> float:
    return (to(value * dpr + origin) - origin) / dpr


def on_pixels(p: QPainter, area: QRectF) -> QRectF:
    """Return ``area`` with its edges on device pixels, moved inwards."""
    dpr, at = p.device().devicePixelRatioF(), p.deviceTransform()
    left, right = _snap(area.left(), dpr, at.dx(), _ceil), _snap(area.right(), dpr, at.dx(), _floor)
    top, bottom = _snap(area.top(), dpr, at.dy(), _ceil), _snap(area.bottom(), dpr, at.dy(), _floor)
    return QRectF(left, top, right - left, bottom - top)


def rr(
    p: QPainter,
    area: QRectF | QRect,
    radius: float,
    fill: QColor | None = None,
    line: QColor | None = None,
    width: float = 1.0,
) -> None:
    """Draw a rounded box, filled, outlined (inside ``area``), or both."""
    dpr = p.device().devicePixelRatioF()
    box = on_pixels(p, QRectF(area))
    pen = QPen(Qt.PenStyle.NoPen)
    if line is not None:
        stroke = max(1, floor(width * dpr)) / dpr
        box = box.adjusted(stroke / 2, stroke / 2, -stroke / 2, -stroke / 2)
        radius = max(0.0, radius - stroke / 2)
        pen = QPen(line, stroke)
    p.save()
    p.setRenderHint(QPainter.RenderHint.Antialiasing)
    p.setPen(pen)
    p.setBrush(fill if fill is not None else Qt.BrushStyle.NoBrush)
    p.drawRoundedRect(box, radius, radius)
    p.restore()


def _hair(p: QPainter) -> float:
    dpr = p.device().devicePixelRatioF()
    return max(1, int(dpr)) / dpr


def hline(p: QPainter, x: float, y: float, length: float, colour: QColor | None = None) -> None:
    """Draw a 1-px horizontal line, by default in the theme's ``line``."""
    dpr = p.device().devicePixelRatioF()
    top = _snap(y, dpr, p.deviceTransform().dy(), round)
    p.fillRect(QRectF(x, top, length, _hair(p)), colour or theme.line)


def vline(p: QPainter, x: float, y: float, length: float, colour: QColor | None = None) -> None:
    """Draw a 1-px vertical line, by default in the theme's ``line``."""
    dpr = p.device().devicePixelRatioF()
    left = _snap(x, dpr, p.deviceTransform().dx(), round)
    p.fillRect(QRectF(left, y, _hair(p), length), colour or theme.line)


def text(
    p: QPainter,
    area: QRectF,
    words: str,
    size: int = fonts.CONTROL,
    weight: int = fonts.REGULAR,
    colour: QColor | None = None,
    *,
    align: Align = Align.AlignLeft,
    elide: Elide = Elide.ElideRight,
    mono: bool = False,
    tabular: bool = False,
) -> float:
    """Draw one line of text in the middle of ``area`` and return its width in px.

    It is centred on the height of capitals: centred on the font's box, a fallback face for Chinese would
    sit a pixel lower than its neighbours.
    """
    measure = fonts.metrics(size, weight, mono=mono, tabular=tabular)
    line = measure.elidedText(words.replace("\n", " "), elide, area.width() + 0.5)
    width = measure.horizontalAdvance(line)
    x = area.left()
    if align & Align.AlignRight:
        x = area.right() - width
    elif align & Align.AlignHCenter:
        x = area.center().x() - width / 2
    p.setFont(fonts.font(size, weight, mono=mono, tabular=tabular))
    p.setPen(colour or theme.text)
    p.drawText(QPointF(x, round(area.top() + area.height() / 2 + measure.capHeight() / 2)), line)
    return width


def dot(p: QPainter, centre: QPointF, radius: float, colour: QColor) -> None:
    """Draw a filled disc."""
    p.save()
    p.setRenderHint(QPainter.RenderHint.Antialiasing)
    p.setPen(Qt.PenStyle.NoPen)
    p.setBrush(colour)
    p.drawEllipse(centre, radius, radius)
    p.restore()


def arc(p: QPainter, box: QRectF, start: float, span: float, *, width: float = 2.0, colour: QColor) -> None:
    """Draw a ring with an arc over it. Angles in degrees clockwise from the top."""
    p.save()
    p.setRenderHint(QPainter.RenderHint.Antialiasing)
    inner = box.adjusted(width / 2, width / 2, -width / 2, -width / 2)
    p.setPen(QPen(theme.line2, width))
    p.setBrush(Qt.BrushStyle.NoBrush)
    p.drawEllipse(inner)
    p.setPen(QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    p.drawArc(inner, round((90 - start) * 16), round(-span * 16))
    p.restore()


def spinner(p: QPainter, box: QRectF, turn: float, width: float = 2.0) -> None:
    """Draw the running mark; ``turn`` is its angle in degrees."""
    arc(p, box, turn, 110, width=width, colour=theme.accent)


@lru_cache(maxsize=32)
def _shadow_source(radius: float, blur: int, alpha: int, dpr: float) -> QImage:
    corner = int(radius + 2 * blur)
    side = 2 * corner + 2
    image = QImage(ceil(side * dpr), ceil(side * dpr), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(dpr)
    image.fill(Qt.GlobalColor.transparent)
    ink = theme.shadow
    with painting(image) as p:
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        p.setPen(Qt.PenStyle.NoPen)
        p.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
        steps = blur * 3
        for step in range(steps + 1):
            t = step / steps
            inset = t * 2 * blur
            ink.setAlpha(round(alpha * t * t * t * (t * (6 * t - 15) + 10)))  # smootherstep: half at the edge
            p.setBrush(ink)
            bend = max(1.0, radius + blur - inset)
            p.drawRoundedRect(QRectF(inset, inset, side - 2 * inset, side - 2 * inset), bend, bend)
    return image


def shadow(p: QPainter, area: QRectF, radius: float, *, blur: int = 12, dy: float = 3, strength: float = 1.0) -> None:
    """Draw a soft shadow around ``area`` from nine slices of a cached picture.

    ``strength`` multiplies the theme's shadow alpha. Wanted: 2 * (radius + 2 * blur) <= height + 2 * blur.
    """
    dpr = p.device().devicePixelRatioF()
    source = _shadow_source(radius, blur, min(255, round(theme.shadow.alpha() * strength)), dpr)
    corner = int(radius + 2 * blur)
    side = 2 * corner + 2
    outer = area.adjusted(-blur, -blur + dy, blur, blur + dy)
    xs = (outer.left(), outer.left() + corner, outer.right() - corner, outer.right())
    ys = (outer.top(), outer.top() + corner, outer.bottom() - corner, outer.bottom())
    cuts = tuple(cut * dpr for cut in (0, corner, side - corner, side))
    for i in range(3):
        for j in range(3):
            p.drawImage(
                QRectF(xs[i], ys[j], xs[i + 1] - xs[i], ys[j + 1] - ys[j]),
                source,
                QRectF(cuts[i], cuts[j], cuts[i + 1] - cuts[i], cuts[j + 1] - cuts[j]),
            )
