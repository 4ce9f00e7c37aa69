"""Which blocks stand where: an anchor, and the blocks that are built around it to fill the view.

Invariants: all places follow from the anchor (message, block, px), so a corrected height never moves the top visible
block; only blocks that meet the view are built; at most ``KEPT`` shapes are alive and about ``KEPT_ENTRIES`` messages
are cut into cells, the ones seen last. Of a message that is let go of, the heights are kept; one in which the reader
chose something is not let go of. Blocks are built for ``BUILD_S`` in one go; what is not built then has the height that
is known or guessed, and no picture, until the next go (``unfinished``).
"""

import time
from array import array
from collections import OrderedDict
from dataclasses import dataclass

from deepchat_desktop.presenters.message_list_model import MessageListModel
from deepchat_desktop.ui.blocks.cell import Cell
from deepchat_desktop.ui.message_list import entry as entries
from deepchat_desktop.ui.message_list.entry import Entry
from deepchat_desktop.ui.message_list.heights import Heights

KEPT = 400
KEPT_ENTRIES = 160
BUILD_S = 0.016
"""Of what a screen can be full of, some takes longer: emoji, chains of joiners, wide tables."""
BOTTOM = 28
"""Room under the last message."""


@dataclass(frozen=True)
class Anchor:
    """The block at the top of the view, and how far the view's edge is below the block's own top."""

    row: int = 0
    cell: int = 0
    px: int = 0


@dataclass(frozen=True)
class Placed:
    """A block in the view. ``y`` is the top of its shape, below the gap."""

    row: int
    index: int
    y: int
    cell: Cell

    @property
    def bottom(self) -> int:
        """Where the shape ends."""
        return self.y + self.cell.height - self.cell.gap


class Layout:
    """The blocks of a model at a width. ``built`` counts shapes made, ``dropped`` those that were let go of."""

    def __init__(self, model: MessageListModel) -> None:
        self._model = model
        self.heights = Heights()
        self.entries: list[Entry | None] = []
        self.width = 1
        self.high = 0
        self.anchor = Anchor()
        self.placed: list[Placed] = []
        self.built = 0
        self.dropped = 0
        self.unfinished = False
        self._until = 0.0
        self._some_built = False
        self._alive: OrderedDict[int, Cell] = OrderedDict()
        self._cut: OrderedDict[int, None] = OrderedDict()
        self._known: dict[int, array[int]] = {}

    def reset(self) -> None:
        """Take all messages of the model; none is cut or built."""
        count = self._model.count()
        self.heights.reset(entries.guess(size, self.width) for size in self._model.sizes())
        self.entries = [None] * count
        self.placed = []
        self._alive.clear()
        self._cut.clear()
        self._known.clear()
        self.anchor = Anchor()

    def append(self) -> None:
        """Take one more message."""
        row = len(self.entries)
        self.heights.append(entries.guess(self._model.message(row).size(), self.width))
        self.entries.append(None)

    def entry(self, row: int) -> Entry:
        """Return a message's cells, cutting its text if that was not done yet."""
        known = self.entries[row]
        if known is None:
            known = Entry(self._model.message(row), self.width, last=row == len(self.entries) - 1)
            known.set_heights(self._known.pop(row, ()))
            self.entries[row] = known
            self._cut[row] = None
            self.heights.set(row, known.height)
        return known

    def measured(self, row: int) -> None:
        """A message's cells changed."""
        entry = self.entries[row]
        if entry is not None:
            entry.measure()
            self.heights.set(row, entry.height)

    def cell(self, row: int, index: int) -> Cell:
        """Return a block, built and fitted."""
        entry = self.entry(row)
        cell = entry.cells[index]
        before = cell.height
        self.built += cell.ensure(self.width)
        if cell.height != before:
            entry.height += cell.height - before
            self.heights.set(row, entry.height)
        self._alive[id(cell)] = cell
        self._alive.move_to_end(id(cell))
        return cell

    def _cell_in_time(self, row: int, index: int) -> Cell:
        """Return a block, as it is when the time for building is over; at least one is built in each go."""
        cell = self.entry(row).cells[index]
        if cell.shape is None or cell.shape.width != self.width:
            if self._some_built and time.perf_counter() >= self._until:
                self.unfinished = True
                return cell
            self._some_built = True
        return self.cell(row, index)

    def _begin(self) -> None:
        """Give the building that follows its time."""
        self.placed = []
        self.unfinished = self._some_built = False
        self._until = time.perf_counter() + BUILD_S

    def drop_shapes(self) -> None:
        """Let all shapes go: colours or sizes changed."""
        for cell in self._alive.values():
            cell.drop()
        self._alive.clear()

    def total(self) -> int:
        """Return the height of everything."""
        return self.heights.total() + BOTTOM if self.entries else 0

    def most(self) -> int:
        """Return the lowest place of the view's top."""
        return max(0, self.total() - self.high)

    def top(self) -> int:
        """Return where the view's top is."""
        if not self.entries:
            return 0
        above = self.entry(self.anchor.row).cells[: self.anchor.cell]
        return self.heights.prefix(self.anchor.row) + sum(cell.height for cell in above) + self.anchor.px

    def jump(self, y: int, lead: int = 0) -> None:
        """Put a height of the tree ``lead`` px below the view's top."""
        if not self.entries:
            return
        row, rest = self.heights.find(y)
        guessed = max(1, self.heights.get(row))
        entry = self.entry(row)
        rest = rest * entry.height // guessed
        for index, cell in enumerate(entry.cells):
            if rest < cell.height or index == len(entry.cells) - 1:
                before, built = cell.height, self.cell(row, index)
                self.anchor = Anchor(row, index, rest * built.height // max(1, before) - lead)
                break
            rest -= cell.height
        self.place()

    def scroll(self, dy: int) -> None:
        """Move the view by px."""
        self.anchor = Anchor(self.anchor.row, self.anchor.cell, self.anchor.px + dy)
        self.place()

    def place(self) -> None:
        """Build what meets the view below the anchor; the end never stands above the view's foot."""
        self._begin()
        if not self.entries or self.high <= 0:
            return
        self._normalise()
        end = self._fill()
        if end < self.high - BOTTOM and self.anchor != Anchor() and not self.unfinished:
            self.to_end()
        self._forget()

    def to_end(self) -> None:
        """Stand at the end."""
        self._begin()
        if not self.entries or self.high <= 0:
            return
        row = len(self.entries) - 1
        index = len(self.entry(row).cells) - 1
        y = self.high - BOTTOM
        while True:
            y -= self._cell_in_time(row, index).height
            if y <= 0 or (row, index) == (0, 0):
                break
            row, index = self._before(row, index)
        self.anchor = Anchor(row, index, max(0, -y))
        self._fill()
        self._forget()

    def _before(self, row: int, index: int) -> tuple[int, int]:
        return (row, index - 1) if index else (row - 1, len(self.entry(row - 1).cells) - 1)

    def _normalise(self) -> None:
        """Move the anchor to the block that the view's top cuts."""
        row = min(self.anchor.row, len(self.entries) - 1)
        index = min(self.anchor.cell, len(self.entry(row).cells) - 1)
        px = self.anchor.px
        while px < 0 and (row, index) != (0, 0):
            row, index = self._before(row, index)
            px += self._cell_in_time(row, index).height
        px = max(0, px)
        while px >= (high := self._cell_in_time(row, index).height):
            if index + 1 < len(self.entry(row).cells):
                index += 1
            elif row + 1 < len(self.entries):
                row, index = row + 1, 0
            else:
                px = high
                break
            px -= high
        self.anchor = Anchor(row, index, px)

    def _fill(self) -> int:
        """Place blocks from the anchor down; return where the last one ends."""
        self.placed = []
        row, index, y = self.anchor.row, self.anchor.cell, -self.anchor.px
        while y < self.high and row < len(self.entries):
            cell = self._cell_in_time(row, index)
            self.placed.append(Placed(row, index, y + cell.gap, cell))
            y += cell.height
            index += 1
            if index == len(self.entry(row).cells):
                row, index = row + 1, 0
        return y

    def _forget(self) -> None:
        while len(self._alive) > KEPT:
            _, cell = self._alive.popitem(last=False)
            cell.drop()
            self.dropped += 1
        if len(self._cut) <= KEPT_ENTRIES:
            return
        for row in {placed.row for placed in self.placed}:
            self._cut[row] = self._cut.pop(row, None)
        for row in list(self._cut)[: len(self._cut) - KEPT_ENTRIES]:
            del self._cut[row]
            self._let_go(row)

    def _let_go(self, row: int) -> None:
        """Forget a message's cells. A message that changes, or in which something was chosen, keeps them."""
        entry = self.entries[row]
        if entry is None or entry.chosen() or not self._model.message(row).clean:
            return
        for cell in entry.cells:
            self._alive.pop(id(cell), None)
        self._known[row] = array("i", [cell.height for cell in entry.cells])
        self.entries[row] = None

    def at(self, y: int) -> Placed | None:
        """Return the block at a height of the view, else the nearest one above, else the first."""
        found = None
        for placed in self.placed:
            if placed.y - placed.cell.gap > y:
                break
            found = placed
        return found if found is not None else self.placed[0] if self.placed else None
