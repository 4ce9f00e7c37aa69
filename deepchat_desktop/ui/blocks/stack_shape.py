"""The items of one part of an answer, one below the other: mostly one paragraph or list, sometimes with code between.

Invariant: a piece that shows the same kind of item is given the new state and not built anew.
"""

from bisect import bisect_right
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from deepchat_desktop.ui.blocks.code_shape import CodeChoices, CodeShape
from deepchat_desktop.ui.blocks.doc_shape import DocShape
from deepchat_desktop.ui.blocks.markdown_gaps import gap
from deepchat_desktop.ui.blocks.markdown_items import CodeItem, Item, PictureItem, RuleItem, TableItem, TextItem
from deepchat_desktop.ui.blocks.picture_shape import PictureShape
from deepchat_desktop.ui.blocks.shape import QUOTE_INDENT, TEXT_INDENT, Scene, Shape, Spot
from deepchat_desktop.ui.blocks.side_slide import SideSlide
from deepchat_desktop.ui.blocks.table_shape import Columns, TableShape

Group = tuple[Item, ...]
"""Items that share a shape: text stands together, everything else alone."""


class StackShape(Shape):
    """Shapes of items. Positions count on from shape to shape, with one place between two."""

    def __init__(self, items: Sequence[Item], columns: Columns, kept: dict[int, CodeChoices], *, first: bool = True):
        self._columns, self._kept, self._first = columns, kept, first
        self._groups: list[Group] = []
        self.shapes: list[Shape] = []
        self._places: list[tuple[int, int]] = []
        self.set_items(items)

    def set_items(self, items: Sequence[Item], *, open: bool = False) -> None:
        """Show other items. The owner fits anew."""
        groups = _grouped(items)
        kept = 0
        for group, shape in zip(groups, self.shapes, strict=False):
            if not _update(shape, group, open=open):
                break
            kept += 1
        self.shapes[kept:] = [self._make(index, groups[index], open=open) for index in range(kept, len(groups))]
        self._groups = groups
        self.width = 0

    def _make(self, index: int, group: Group, *, open: bool) -> Shape:
        match group[0]:
            case CodeItem() as code:
                choices = self._kept.setdefault(index, CodeChoices())
                return CodeShape(code.text, code.language, choices, open=open)
            case TableItem() as table:
                return TableShape(table, self._columns if index == 0 else None, first=self._first or index > 0)
            case PictureItem() as picture:
                return PictureShape(picture.media_type, picture.data, picture.alt)
            case TextItem() | RuleItem():
                return DocShape([item for item in group if isinstance(item, TextItem | RuleItem)])

    def fit(self, width: int) -> None:
        self.width = width
        y, before = 0, None
        self._places = []
        for group, shape in zip(self._groups, self.shapes, strict=True):
            indent = _indent(group[0])
            y += gap(before, group[0])
            shape.fit(max(80, width - indent))
            self._places.append((indent, y))
            y += shape.height
            before = group[-1]
        self.height = y

    def _starts(self) -> list[int]:
        starts = [0]
        for shape in self.shapes:
            starts.append(starts[-1] + shape.length() + 1)
        return starts

    def _at(self, y: float) -> int:
        return max(0, bisect_right(self._places, y, key=lambda place: place[1]) - 1)

    def _within(self, index: int, at: QPointF) -> QPointF:
        left, top = self._places[index]
        return QPointF(at.x() - left, at.y() - top)

    def paint(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        starts = self._starts() if scene.selection[1] else [0] * len(self.shapes)
        for index, shape in enumerate(self.shapes):
            left, top = self._places[index]
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
            Spot(spot.area.translated(*self._places[index]), f"{index}:{spot.action}", spot.name, spot.checked)
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

    def markdown_between(self, start: int, end: int) -> str:
        return "\n\n".join(shape.markdown_between(low, high) for shape, low, high in self._parts(start, end))

    def html_between(self, start: int, end: int) -> str:
        return "".join(shape.html_between(low, high) for shape, low, high in self._parts(start, end))

    def word_at(self, position: int) -> tuple[int, int]:
        starts = self._starts()
        index = max(0, min(bisect_right(starts, position) - 1, len(self.shapes) - 1))
        if not self.shapes:
            return position, position
        low, high = self.shapes[index].word_at(position - starts[index])
        return low + starts[index], high + starts[index]

    def link_at(self, at: QPointF) -> tuple[str, str] | None:
        index = self._at(at.y())
        return self.shapes[index].link_at(self._within(index, at)) if self.shapes else None

    def table_at(self, at: QPointF) -> Shape | None:
        index = self._at(at.y())
        return self.shapes[index].table_at(self._within(index, at)) if self.shapes else None


def _indent(item: Item) -> int:
    """Return how far a shape of its own is indented; text indents within its document."""
    if isinstance(item, TextItem | RuleItem):
        return 0
    return item.place.level * TEXT_INDENT + item.place.quote * QUOTE_INDENT


def _grouped(items: Sequence[Item]) -> list[Group]:
    groups: list[list[Item]] = []
    for item in items:
        if groups and isinstance(item, TextItem | RuleItem) and isinstance(groups[-1][-1], TextItem | RuleItem):
            groups[-1].append(item)
        else:
            groups.append([item])
    return [tuple(group) for group in groups]


def _update(shape: Shape, group: Group, *, open: bool) -> bool:
    """Give a shape new content; False if it is of another kind."""
    first = group[0]
    if isinstance(shape, TableShape):
        if not isinstance(first, TableItem):
            return False
        shape.set_table(first)
    elif isinstance(shape, DocShape):
        texts = [item for item in group if isinstance(item, TextItem | RuleItem)]
        if len(texts) != len(group):
            return False
        shape.set_items(texts)
    elif isinstance(shape, CodeShape) and isinstance(first, CodeItem):
        shape.set_code(first.text, first.language, open=open)
    else:
        same = isinstance(shape, PictureShape) and isinstance(first, PictureItem)
        return same and shape.source == (first.media_type, first.data)  # type: ignore[attr-defined,union-attr]
    return True
