"""Shows in the list what a search of the session found: marks on all hits in view, and the way to the current one.

Invariants: what hides the current hit (a group, a fold, a collapsed block, a scrolled text) opens; a hit that is in
view already does not move what is read. A hit is known by its message's text; which of the shown words it is follows
from its number in the block, or from the words around it where the text is not shown letter by letter.
"""

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, QRectF
from PySide6.QtGui import QPainter

from deepchat_desktop.domain.blocks import ReasoningBlock
from deepchat_desktop.domain.find import Range
from deepchat_desktop.presenters.find_in_session import FindInSession, Hit
from deepchat_desktop.presenters.message_list_model import MessageListModel
from deepchat_desktop.ui.blocks import find_paint
from deepchat_desktop.ui.blocks.cell import Cell
from deepchat_desktop.ui.blocks.code_shape import CodeShape
from deepchat_desktop.ui.blocks.find_places import boxes, hits, leaves, text_around
from deepchat_desktop.ui.blocks.plain_parts import PlainCell
from deepchat_desktop.ui.blocks.shape import Shape
from deepchat_desktop.ui.blocks.text_block import TextCell
from deepchat_desktop.ui.blocks.tool_block import ToolCell, ToolShape
from deepchat_desktop.ui.message_list.groups import GroupCell
from deepchat_desktop.ui.message_list.layout import Anchor, Placed

if TYPE_CHECKING:
    from deepchat_desktop.ui.message_list.message_list import MessageList

COVERED = 64
"""Px at the top of the view that may lie under the find bar."""
FOOT = 40
LARGE = 200_000
"""Beyond this many characters a shape's hits are counted and not compared with those of the source."""

Spot = tuple[int, Range]
"""A leaf of a shape and a place in it."""


class _Shown(NamedTuple):
    """Where the current hit was found to be; good for as long as the shape is the same."""

    hit: Hit
    shape: Shape
    length: int
    spot: Spot | None


class Finding(QObject):
    """The search of one list. ``drawn`` counts the marks of the last painting."""

    def __init__(self, view: "MessageList", model: MessageListModel) -> None:
        super().__init__(view)
        self._view, self._model = view, model
        self.session = FindInSession(model, self)
        self.drawn = 0
        self._shown: _Shown | None = None
        self._stands: tuple[Sequence[Cell], Hit | None, int] = ((), None, 0)
        self.session.moved.connect(self.show_current)
        self.session.changed.connect(lambda: view.viewport().update())

    def count(self, words: str) -> int:
        """Find words in all messages at once; return the number of hits."""
        self.session.open()
        self.session.search(words, self._view.layout_.anchor.row)
        return self.session.finish()

    def show_current(self) -> None:
        """Open what hides the current hit and put it in view."""
        hit = self.session.current()
        if hit is None or self._view.held():
            return
        layout = self._view.layout_
        message = self._model.message(hit.row)
        entry = layout.entry(hit.row)
        if entry.reveal(message, hit.block, layout.width):
            layout.measured(hit.row)
        index = self._cell_of(entry.cells, hit)
        cell = layout.cell(hit.row, index)
        spot = self._spot(cell, hit)
        if spot is not None and _uncover(cell, spot):
            cell = layout.cell(hit.row, index)
        self._bring(hit.row, index, cell, spot)

    def _bring(self, row: int, index: int, cell: Cell, spot: Spot | None) -> None:
        layout, high = self._view.layout_, self._view.layout_.high
        inner = _box(cell, spot)
        placed = next((p for p in layout.placed if (p.row, p.index) == (row, index) and p.cell is cell), None)
        if placed is None or not COVERED <= placed.y + inner.top() <= placed.y + inner.bottom() <= high - FOOT:
            self._view.stand(Anchor(row, index, cell.gap + round(inner.top()) - high // 3))
        else:
            self._view.unfolded()

    def _cell_of(self, cells: Sequence[Cell], hit: Hit) -> int:
        if self._stands[0] is not cells or self._stands[1] is not hit:
            self._stands = (cells, hit, self._look_for_cell(cells, hit))
        return self._stands[2]

    def _look_for_cell(self, cells: Sequence[Cell], hit: Hit) -> int:
        start = hit.place[0] - self._lead(hit)
        own = [index for index, cell in enumerate(cells) if cell.block == hit.block and not isinstance(cell, GroupCell)]
        spans = ((index, _span(cells[index])) for index in own)
        exact = (index for index, span in spans if span is not None and span[0] <= start < span[1])
        return next(exact, own[-1] if own else 0)

    def _lead(self, hit: Hit) -> int:
        """Return how many characters at the text's start are not shown: reasoning loses its blank lines."""
        block = self._model.message(hit.row).blocks[hit.block]
        return len(hit.text) - len(hit.text.lstrip("\n")) if isinstance(block, ReasoningBlock) else 0

    def _spot(self, cell: Cell, hit: Hit) -> Spot | None:
        shape = cell.shape
        assert shape is not None
        known = self._shown
        if known is None or known.hit is not hit or known[1:3] != (shape, shape.length()):
            known = _Shown(hit, shape, shape.length(), self._matching(cell, shape, hit))
            self._shown = known
        return known.spot

    def _matching(self, cell: Cell, shape: Shape, hit: Hit) -> Spot | None:
        """Return which of the shown words the hit is."""
        needle = self.session.needle
        all_found = ((at, place) for at, leaf in enumerate(leaves(shape)) for place in hits(leaf.shape, needle))
        if shape.length() > LARGE and not isinstance(cell, ToolCell):
            start = (_span(cell) or (0, 0))[0]
            before = hit.text[start : hit.place[0]]
            return next(islice(all_found, needle.count(before, before.casefold()), None), None)
        found = list(all_found)
        if isinstance(cell, ToolCell):  # name, arguments, result: its texts are its leaves
            return _in_card(shape, needle.ranges(hit.text), hit, found)
        lead, span = self._lead(hit), _span(cell)
        low, high = (span[0] + lead, span[1] + lead) if span is not None else (0, len(hit.text))
        here = needle.ranges(hit.text[low:high])
        wanted = (hit.place[0] - low, hit.place[1] - low)
        if span is not None and len(found) == len(here) and wanted in here:
            return found[here.index(wanted)]
        shapes = [leaf.shape for leaf in leaves(shape)]
        start, end = hit.place
        around = hit.text[max(0, start - 60) : start], hit.text[end : end + 60]
        likeness = [_likeness(*around, *text_around(shapes[at], place)) for at, place in found]
        best = max(likeness, default=0)
        return found[likeness.index(best)] if best or len(found) == 1 else None

    def paint(self, p: QPainter, placed: Placed, area: QRectF) -> None:
        """Draw the marks of a block; the painter stands at its corner."""
        shape, hit = placed.cell.shape, self.session.current()
        if shape is None or isinstance(placed.cell, GroupCell) or placed.cell.block < 0:
            return
        here = hit is not None and hit.row == placed.row and self._is_in(placed, hit)
        spot = self._spot(placed.cell, hit) if here and hit is not None else None
        self.drawn += find_paint.marks(p, shape, area, self.session.needle, spot)
        if here and spot is None:
            find_paint.bar(p, shape)

    def _is_in(self, placed: Placed, hit: Hit) -> bool:
        return self._cell_of(self._view.layout_.entry(placed.row).cells, hit) == placed.index


def _in_card(shape: Shape, ranges: Sequence[Range], hit: Hit, found: Sequence[Spot]) -> Spot | None:
    """Return a hit in a card; in a diff only where it shows every hit of the arguments that it stands for."""
    if not isinstance(shape, ToolShape):
        return None
    leaf, exact = shape.leaf_of(hit.part)
    own = [spot for spot in found if spot[0] == leaf]
    nth = ranges.index(hit.place)
    return own[nth] if nth < len(own) and (exact or len(own) == len(ranges)) else None


def _span(cell: Cell) -> Range | None:
    """Return which characters of its block's text a cell shows, None where that is not told."""
    match cell:
        case TextCell():
            return cell.part.start, cell.part.end
        case PlainCell():
            return cell.cut
    return None


def _uncover(cell: Cell, spot: Spot) -> bool:
    """Scroll or open the shape so that a place in it can be seen; True if its height changed."""
    assert cell.shape is not None
    leaf = list(leaves(cell.shape))[spot[0]].shape
    collapsed = isinstance(leaf, CodeShape) and leaf.choices.collapsed
    if isinstance(leaf, CodeShape) and collapsed:
        leaf.choices.collapsed = False
        cell.stale()
    leaf.reveal(spot[1][1])
    leaf.reveal(spot[1][0])
    return collapsed


def _box(cell: Cell, spot: Spot | None) -> QRectF:
    """Return where the current hit stands in a cell's shape; its head where it is not shown as text."""
    assert cell.shape is not None
    if spot is not None:
        leaf = list(leaves(cell.shape))[spot[0]]
        found = boxes(leaf.shape, spot[1])
        if found:
            return found[0].translated(leaf.corner)
    return QRectF(0, 0, cell.shape.width, min(cell.shape.height, 60))


def _likeness(before: str, after: str, shown_before: str, shown_after: str) -> int:
    """Count the letters and digits around two places that agree; marks and blanks are written in other ways."""
    left = zip(reversed(_letters(before)), reversed(_letters(shown_before)), strict=False)
    right = zip(_letters(after), _letters(shown_after), strict=False)
    return _agreeing(list(left)) + _agreeing(list(right))


def _letters(words: str) -> list[str]:
    return [char for char in words if char.isalnum()]


def _agreeing(pairs: Sequence[tuple[str, str]]) -> int:
    return next((at for at, (a, b) in enumerate(pairs) if a != b), len(pairs))
