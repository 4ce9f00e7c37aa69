"""What blocks ask of the render process: formulas and diagrams, each shown as its source until it has come.

Invariants: asking is a look and never waits; a shape that waits for a key is told once, by ``arrived``, and only
while somebody still shows it. Without a way to the process everything stays source.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any, Protocol
from weakref import WeakSet

from PySide6.QtCore import QByteArray, QObject, QRectF, Signal
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from deepchat_desktop.presenters.render import Job, Made, Renders
from deepchat_desktop.ui.blocks.picture_decode import decode
from deepchat_desktop.ui.blocks.svg_check import Box, checked_box
from deepchat_desktop.ui.theme import theme
from deepchat_desktop.workers.render_formula import INK, SIZE

MAX_SIDE = 8_000
MAX_PNG = 12_000_000


class Waiter(Protocol):
    """A shape that shows a source until a picture comes."""

    def arrived(self) -> None:
        """Take what was waited for; the owner fits anew."""


@dataclass(frozen=True)
class Formula:
    """A formula that can be drawn at any size in any ink. Its box is in px at ``SIZE``, y 0 at the baseline."""

    svg: str
    box: Box

    def extent(self, size: int) -> tuple[float, float, float]:
        """Return width, height above the baseline and depth below it, in px at a font size."""
        scale = size / SIZE
        _, top, wide, high = self.box
        return wide * scale, max(0.0, -top * scale), max(0.0, (top + high) * scale)

    def draw(self, p: QPainter, x: float, baseline: float, size: int, ink: QColor) -> None:
        """Draw with the left edge and the baseline at a point."""
        wide, above, _ = self.extent(size)
        high = self.box[3] * size / SIZE
        renderer = _renderer(self.svg, ink.name())
        renderer.render(p, QRectF(x, baseline - above, wide, high))


_renderers: dict[tuple[str, str], QSvgRenderer] = {}
_MOST_RENDERERS = 300


def _renderer(svg: str, ink: str) -> QSvgRenderer:
    known = _renderers.pop((svg, ink), None)
    if known is None:
        known = QSvgRenderer(QByteArray(svg.replace(INK, ink).encode()))
        while len(_renderers) >= _MOST_RENDERERS:
            del _renderers[next(iter(_renderers))]
    _renderers[(svg, ink)] = known
    return known


@dataclass(frozen=True)
class Diagram:
    """A diagram's picture; ``scale`` is its pixels per px."""

    image: QImage
    scale: float


class Rendering(QObject):
    """The one way from blocks to the render process."""

    changed = Signal()
    """Something has come and shapes in sight were told."""

    def __init__(self) -> None:
        super().__init__()
        self._renders: Renders | None = None
        self._waiting: dict[str, WeakSet[Any]] = {}
        self._once: dict[str, Callable[[Made], None]] = {}
        self._serial = count()

    def connect_to(self, renders: Renders | None) -> None:
        """Use a presenter from now on."""
        if self._renders is not None:
            self._renders.done.disconnect(self._on_done)
        self._renders = renders
        self._waiting.clear()
        self._once.clear()
        if renders is not None:
            renders.done.connect(self._on_done)

    @property
    def connected(self) -> bool:
        """Whether there is a process to ask."""
        return self._renders is not None

    def formula(self, tex: str, waiter: Waiter, *, display: bool) -> Made | None:
        """Return the ``Formula`` of a source or its problem; None until it has come, which tells the waiter."""
        return self._ask(Job("formula", {"tex": tex, "display": display}, _formula), waiter)

    def diagram(self, source: str, scale: float, waiter: Waiter) -> Made | None:
        """Return the ``Diagram`` of a source in the theme's colours, or its problem; else as ``formula``."""
        return self._ask(Job("diagram", {"source": source, "scale": scale, "colours": _colours()}, _diagram), waiter)

    def once(self, job: Job, take: Callable[[Made], None]) -> None:
        """Have a job done and hand its result, which is kept nowhere, to one taker."""
        if self._renders is None:
            return
        key = f"once {next(self._serial)}"
        self._once[key] = take
        self._renders.want(job, key)

    def _ask(self, job: Job, waiter: Waiter) -> Made | None:
        if self._renders is None:
            return None
        key = job.key()
        made = self._renders.look(key)
        if made is None:
            self._waiting.setdefault(key, WeakSet()).add(waiter)
            self._renders.want(job, key)
        return made

    def _on_done(self, key: str) -> None:
        take = self._once.pop(key, None)
        if take is not None and self._renders is not None and (made := self._renders.take(key)) is not None:
            take(made)
        for waiter in list(self._waiting.pop(key, ())):
            waiter.arrived()
        self.changed.emit()


def _formula(answer: Any) -> Formula:
    if not isinstance(answer, str):
        raise TypeError("no picture")
    return Formula(answer, checked_box(answer))


def _diagram(answer: Any) -> Diagram:
    data, scale = answer["png"], float(answer["scale"])
    if not isinstance(data, str) or len(data) > MAX_PNG or not 0.01 <= scale <= 8:
        raise ValueError("the picture is too large")
    image = decode("image/png", data)
    if image is None or image.width() > MAX_SIDE or image.height() > MAX_SIDE:
        raise ValueError("the picture is damaged")
    return Diagram(image, scale)


def _colours() -> dict[str, str]:
    """Return mermaid's theme variables in the colours in use."""
    names = {
        "background": theme.surface, "primaryColor": theme.code_head, "primaryTextColor": theme.text,
        "primaryBorderColor": theme.faint, "lineColor": theme.muted, "textColor": theme.text,
        "secondaryColor": theme.selected, "tertiaryColor": theme.code, "tertiaryTextColor": theme.text,
        "noteBkgColor": theme.selected, "noteTextColor": theme.text, "noteBorderColor": theme.faint,
        "edgeLabelBackground": theme.surface, "clusterBkg": theme.code, "clusterBorder": theme.line2,
        "errorBkgColor": theme.danger_soft, "errorTextColor": theme.danger,
        "pie1": theme.accent, "pie2": theme.ok, "pie3": theme.warn, "pie4": theme.danger, "pie5": theme.mapuser,
        "pieStrokeColor": theme.surface, "pieOuterStrokeColor": theme.surface, "pieSectionTextColor": theme.on_accent,
        "pieTitleTextColor": theme.text, "pieLegendTextColor": theme.text,
    }  # fmt: skip
    return {name: colour.name() for name, colour in names.items()} | {"darkMode": "true" if theme.dark else ""}


rendering = Rendering()
"""The window's; ``connect_to`` is called when the window is built."""
