"""Shapes one below the other that act as one: places count on from shape to shape, with one place between two.

Invariants: a spot's action is the index of its shape, a colon, and what the shape calls it; ``places`` holds the
corner of each shape. Who builds one sets ``shapes`` and, in ``fit``, ``places``, ``width`` and ``height``.
"""

from bisect import bisect_right

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from deepchat_desktop.ui.blocks.shape import Scene, Shape, Spot
from deepchat_desktop.ui.blocks.side_slide import SideSlide
from deepchat_desktop.ui.blocks.text_steps import Step


class ColumnShape(Shape):
    """The base of everything that stacks shapes."""

    _width = 0

    def __init__(self) -> None:
        self.shapes: list[Shape] = []
        self.places: list[tuple[int, int]] = []

    @property
    def width(self) -> int:
        """The width it was fitted to; 0 as soon as one of its shapes must be fitted anew."""
        return self._width if all(shape.width for shape in self.shapes) else 0

    @width.setter
    def width(self, width: int) -> None:
        self._width = width

    def _starts(self) -> list[int]:
        starts = [0]
        for shape in self.shapes:
            starts.append(starts[-1] + shape.length() + 1)
        return starts

    def _at(self, y: float) -> int:
        return max(0, bisect_right(self.places, y, key=lambda place: place[1]) - 1)

    def _within(self, index: int, at: QPointF) -> QPointF:
        left, top = self.places[index]
        return QPointF(at.x() - left, at.y() - top)

    def paint(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        starts = self._starts() if scene.selection[1] else [0] * len(self.shapes)
        for index, shape in enumerate(self.shapes):
            left, top = self.places[index]
            if top > area.bottom() or top + shape.height < area.top():
                continue
            low, high = (max(0, place - starts[index]) for place in scene.selection)
            high = min(high, shape.length()) if high else 0
            lit = scene.lit.removeprefix(f"{index}:") if scene.lit.startswith(f"{index}:") else ""
            p.translate(left, top)
            inner = Scene((low, high) if low < high else (0, 0), lit, scene.hovered, scene.degrees)
            shape.paint(p, area.translated(-left, -top), inner)
            p.translate(-left, -top)

    def spots(self) -> list[Spot]:
        return [
            Spot(spot.area.translated(*self.places[index]), f"{index}:{spot.action}", spot.name, spot.checked)
            for index, shape in enumerate(self.shapes)
            for spot in shape.spots()
        ]

    def act(self, action: str) -> bool:
        index, _, rest = action.partition(":")
        done = index.isdigit() and int(index) < len(self.shapes) and self.shapes[int(index)].act(rest)
        self.width = 0 if done else self.width
        return done

    def slide(self, at: QPointF, dx: float, dy: float) -> bool:
        index = self._at(at.y())
        return bool(self.shapes) and self.shapes[index].slide(self._within(index, at), dx, dy)

    def grip(self, at: QPointF) -> SideSlide | None:
        index = self._at(at.y())
        return self.shapes[index].grip(self._within(index, at)) if self.shapes else None

    def length(self) -> int:
        return max(0, self._starts()[-1] - 1)

    def position_at(self, at: QPointF) -> int:
        if not self.shapes:
            return 0
        index = self._at(at.y())
        return self._starts()[index] + self.shapes[index].position_at(self._within(index, at))

    def _parts(self, start: int, end: int) -> list[tuple[Shape, int, int]]:
        starts = self._starts()
        pairs = zip(self.shapes, starts, strict=False)
        chosen = ((shape, max(0, start - at), min(shape.length(), end - at)) for shape, at in pairs)
        return [(shape, low, high) for shape, low, high in chosen if low < high]

    def text_between(self, start: int, end: int) -> str:
        return "\n".join(shape.text_between(low, high) for shape, low, high in self._parts(start, end))

    def plain_between(self, start: int, end: int) -> str:
        return "\n".join(shape.plain_between(low, high) for shape, low, high in self._parts(start, end))

    def markdown_between(self, start: int, end: int) -> str:
        return "\n\n".join(shape.markdown_between(low, high) for shape, low, high in self._parts(start, end))

    def html_between(self, start: int, end: int) -> str:
        return "".join(shape.html_between(low, high) for shape, low, high in self._parts(start, end))

    def _of(self, position: int) -> tuple[Shape, int, tuple[int, int]] | None:
        """Return the shape of a place, where its places begin, and its corner."""
        if not self.shapes:
            return None
        starts = self._starts()
        index = max(0, min(bisect_right(starts, position) - 1, len(self.shapes) - 1))
        return self.shapes[index], starts[index], self.places[index]

    def word_at(self, position: int) -> tuple[int, int]:
        found = self._of(position)
        if found is None:
            return position, position
        shape, start, _ = found
        low, high = shape.word_at(position - start)
        return low + start, high + start

    def paragraph_at(self, position: int) -> tuple[int, int]:
        found = self._of(position)
        if found is None:
            return position, position
        shape, start, _ = found
        low, high = shape.paragraph_at(position - start)
        return low + start, high + start

    def caret(self, position: int) -> QRectF:
        found = self._of(position)
        return found[0].caret(position - found[1]).translated(*found[2]) if found else super().caret(position)

    def reveal(self, position: int) -> None:
        found = self._of(position)
        if found is not None:
            found[0].reveal(position - found[1])

    def stepped(self, position: int, step: Step) -> int | None:
        found = self._of(position)
        if found is None:
            return None
        shape, start, _ = found
        inner = shape.stepped(position - start, step)
        if inner is not None:
            return start + inner
        beyond = start - 1 if step.endswith("left") else start + shape.length() + 1
        return beyond if 0 <= beyond <= self.length() else None

    def link_at(self, at: QPointF) -> tuple[str, str] | None:
        index = self._at(at.y())
        return self.shapes[index].link_at(self._within(index, at)) if self.shapes else None

    def hint_at(self, at: QPointF) -> str:
        index = self._at(at.y())
        return self.shapes[index].hint_at(self._within(index, at)) if self.shapes else ""

    def table_at(self, at: QPointF) -> Shape | None:
        index = self._at(at.y())
        return self.shapes[index].table_at(self._within(index, at)) if self.shapes else None
