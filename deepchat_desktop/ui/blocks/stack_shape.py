"""The items of one part of an answer, one below the other: mostly one paragraph or list, sometimes with code between.

Invariant: a piece that shows the same kind of item is given the new state and not built anew.
"""

from collections.abc import Sequence

from deepchat_desktop.ui.blocks import fence_shape
from deepchat_desktop.ui.blocks.code_shape import CodeChoices, CodeShape
from deepchat_desktop.ui.blocks.column_shape import ColumnShape
from deepchat_desktop.ui.blocks.doc_shape import DocShape
from deepchat_desktop.ui.blocks.markdown_gaps import gap
from deepchat_desktop.ui.blocks.markdown_items import (
    CodeItem,
    Item,
    MathItem,
    PictureItem,
    RuleItem,
    TableItem,
    TextItem,
)
from deepchat_desktop.ui.blocks.math_shape import MathShape
from deepchat_desktop.ui.blocks.picture_shape import PictureShape
from deepchat_desktop.ui.blocks.shape import QUOTE_INDENT, TEXT_INDENT, Shape
from deepchat_desktop.ui.blocks.table_shape import Columns, TableShape

Group = tuple[Item, ...]
"""Items that share a shape: text stands together, everything else alone."""


class StackShape(ColumnShape):
    """Shapes of items."""

    def __init__(self, items: Sequence[Item], columns: Columns, kept: dict[int, CodeChoices], *, first: bool = True):
        self._columns, self._kept, self._first = columns, kept, first
        super().__init__()
        self._groups: list[Group] = []
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
                return fence_shape.make(code.text, code.language, choices, open=open)
            case MathItem() as math:
                return MathShape(math.tex, math.source)
            case TableItem() as table:
                return TableShape(table, self._columns if index == 0 else None, first=self._first or index > 0)
            case PictureItem() as picture:
                return PictureShape(picture.media_type, picture.data, picture.alt)
            case TextItem() | RuleItem():
                return DocShape([item for item in group if isinstance(item, TextItem | RuleItem)])

    def fit(self, width: int) -> None:
        self.width = width
        y, before = 0, None
        self.places = []
        for group, shape in zip(self._groups, self.shapes, strict=True):
            indent = _indent(group[0])
            y += gap(before, group[0])
            shape.fit(max(80, width - indent))
            self.places.append((indent, y))
            y += shape.height
            before = group[-1]
        self.height = y


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
        return fence_shape.update(shape, first.text, first.language, open=open)
    elif isinstance(shape, MathShape):
        return isinstance(first, MathItem) and (shape.tex, shape.source) == (first.tex, first.source)
    else:
        same = isinstance(shape, PictureShape) and isinstance(first, PictureItem)
        return same and shape.source == (first.media_type, first.data)  # type: ignore[attr-defined,union-attr]
    return True
