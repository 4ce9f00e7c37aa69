"""A formula on lines of its own: its source until it is drawn, then the picture in the middle of the column.

Invariants: its places are the source's characters, so copying gives the source, drawn or not; a formula that cannot
be set keeps its source and says why while the pointer rests on it.
"""

from math import ceil

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from deepchat_desktop.domain.visible_text import visible_prose
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks import html_write
from deepchat_desktop.ui.blocks.doc_build import formula_size
from deepchat_desktop.ui.blocks.markdown_items import Place, Span, TextItem
from deepchat_desktop.ui.blocks.plain_shape import PlainShape
from deepchat_desktop.ui.blocks.rendering import Formula, rendering
from deepchat_desktop.ui.blocks.shape import Scene, Shape
from deepchat_desktop.ui.blocks.side_slide import GRAB, SideSlide
from deepchat_desktop.ui.blocks.text_steps import Step, units
from deepchat_desktop.ui.paint import rr
from deepchat_desktop.ui.theme import theme

PAD = 6


class MathShape(Shape):
    """One formula. ``source`` is it as written, with what encloses it."""

    def __init__(self, tex: str, source: str) -> None:
        self.tex, self.source = tex, source
        self._plain = PlainShape(source, fonts.CONTROL, "muted", mono=True)
        self._slide = SideSlide()
        self._formula: Formula | None = None
        self.problem = ""
        self._look()

    def _look(self) -> None:
        made = rendering.formula(self.tex, self, display=True)
        if made is not None:
            self._formula, self.problem = made.value, made.problem

    def arrived(self) -> None:
        """The formula has been drawn, or cannot be."""
        self._look()
        self.width = 0

    def fit(self, width: int) -> None:
        self.width = width
        if self._formula is None:
            self._plain.fit(width)
            self.height = self._plain.height
            return
        wide, above, below = self._formula.extent(formula_size(fonts.BODY))
        self._slide.view_width, self._slide.content_width = float(width), wide
        self._slide.to(self._slide.offset)
        self.height = ceil(above + below) + 2 * PAD + (GRAB if self._slide.scrollable() else 0)

    def _corner(self) -> QPointF:
        """Return where the left edge and the baseline are."""
        assert self._formula is not None
        wide, above, _ = self._formula.extent(formula_size(fonts.BODY))
        left = max(0.0, (self.width - wide) / 2) - self._slide.offset
        return QPointF(round(left), round(PAD + above))

    def paint(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        if self._formula is None:
            self._plain.paint(p, area, scene)
            return
        corner = self._corner()
        size = formula_size(fonts.BODY)
        p.save()
        p.setClipRect(QRectF(0, 0, self.width, self.height), Qt.ClipOperation.IntersectClip)
        if scene.selection[0] < scene.selection[1]:
            ground = theme.accent
            ground.setAlpha(70)
            wide = self._formula.extent(size)[0]
            rr(p, QRectF(corner.x() - 4, 1, wide + 8, self.height - 2), 4, ground)
        self._formula.draw(p, corner.x(), corner.y(), size, theme.text)
        p.restore()
        self._slide.paint(p, self.height)

    def slide(self, at: QPointF, dx: float, dy: float) -> bool:
        return self._formula is not None and self._slide.by(dx)

    def grip(self, at: QPointF) -> SideSlide | None:
        return self._slide if self._formula is not None and self._slide.gripped(at.y(), self.height) else None

    def hint_at(self, at: QPointF) -> str:
        return self.problem

    def length(self) -> int:
        return self._plain.length()

    def position_at(self, at: QPointF) -> int:
        if self._formula is None:
            return self._plain.position_at(at)
        return self.length() if at.x() > self.width / 2 else 0

    def text_between(self, start: int, end: int) -> str:
        if self._formula is None:
            return self._plain.text_between(start, end)
        return visible_prose(self.source) if start < end else ""

    def markdown_between(self, start: int, end: int) -> str:
        return self.source if start <= 0 and end >= self.length() else self.text_between(start, end)

    def html_between(self, start: int, end: int) -> str:
        return html_write.item(TextItem((Span(self.text_between(start, end)),), "p", Place()))

    def word_at(self, position: int) -> tuple[int, int]:
        return self._plain.word_at(position) if self._formula is None else (0, self.length())

    def paragraph_at(self, position: int) -> tuple[int, int]:
        return 0, self.length()

    def caret(self, position: int) -> QRectF:
        if self._formula is None:
            return self._plain.caret(position)
        wide = self._formula.extent(formula_size(fonts.BODY))[0]
        return QRectF(self._corner().x() + (wide if position else 0), PAD, 0, self.height - 2 * PAD)

    def stepped(self, position: int, step: Step) -> int | None:
        if self._formula is None:
            return self._plain.stepped(position, step)
        wanted = 0 if step in ("left", "word_left", "line_start") else units(self.source)
        return None if wanted == position and not step.startswith("line") else min(wanted, self.length())
