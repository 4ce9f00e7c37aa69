"""Work that can wait: colours for code, lines in sight first, then a reading of short texts as a whole.

Invariants: a slice ends at its deadline, also within one block; while the view moves, colours wait for the time that
its frames leave, and readings until it rests; a slice reads one text; only what got colours is painted again; memory
is given back in a pause.
"""

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer

from deepchat_desktop.ui.blocks.cell import Cell
from deepchat_desktop.ui.blocks.code_lines import CodeLines
from deepchat_desktop.ui.blocks.code_shape import CodeShape
from deepchat_desktop.ui.blocks.column_shape import ColumnShape
from deepchat_desktop.ui.blocks.diff_shape import DiffShape
from deepchat_desktop.ui.blocks.shape import Shape
from deepchat_desktop.ui.blocks.stack_shape import StackShape
from deepchat_desktop.ui.message_list.heap import give_back
from deepchat_desktop.ui.message_list.layout import Layout, Placed

SLICE_S = 0.004
MOVING_S, BREATH_MS = 0.05, 8
"""A view moves while its last change is less than the first ago; then work begins the second after the last one."""
SHOWN_EVERY_S = 0.033
"""Colours of a view that takes several slices are painted at this pace: a painting costs as much as a slice."""

DROPPED, REST_MS = 300, 400
"""After so many dropped blocks, and once the view has rested for so long, free memory is given back to the system."""


class InSight(NamedTuple):
    """Lines of a block in the view that take colours, and the last one that can be seen."""

    cell: Cell
    lines: CodeLines
    last: int


class IdleWork(QObject):
    """Works in slices while there is something.

    ``coloured`` gets the blocks with new colours, once all in sight has its own, or at a pace.
    """

    def __init__(
        self, layout: Layout, coloured: Callable[[list[Placed]], None], check: Callable[[], bool], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._layout, self._coloured, self._check = layout, coloured, check
        self.slices = 0
        self._woken = 0.0
        self._unshown: set[Cell] = set()
        self._shown_at = 0.0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._work)
        self._given_back = 0
        self._resting = QTimer(self)
        self._resting.setSingleShot(True)
        self._resting.setInterval(REST_MS)
        self._resting.timeout.connect(self._give_back)

    def wake(self) -> None:
        """The view changed: something may have to be done."""
        now = time.perf_counter()
        self._resting.stop()
        self._timer.start(BREATH_MS if now - self._woken < MOVING_S else 0)
        self._woken = now

    def pending(self) -> bool:
        """Tell whether lines in sight still wait for colours."""
        return any(lines.waits(last) for _, lines, last in self._in_sight())

    def _in_sight(self) -> Iterator[InSight]:
        for placed in self._layout.placed:
            if placed.cell.shape is not None:
                seen = self._layout.high - placed.y
                yield from (InSight(placed.cell, *each) for each in lines_of(placed.cell.shape, seen))

    def _work(self) -> None:
        self.slices += 1
        end = time.perf_counter() + SLICE_S
        pending = self._colour_in_sight(end)
        self._show(pending=pending)
        left = MOVING_S - (time.perf_counter() - self._woken)
        if pending or self._colour_rest(end):
            self._timer.start(0)
        elif left > 0:
            self._timer.start(int(left * 1000) + 1)
        elif self._check():
            self._timer.start(0)
        elif self._layout.dropped - self._given_back >= DROPPED:
            self._resting.start()

    def _colour_in_sight(self, end: float) -> bool:
        """Colour the lines that can be seen; True while some wait."""
        for cell, lines, last in self._in_sight():
            if lines.waits(last):
                self._shown_at = self._shown_at if self._unshown else time.perf_counter()
                self._unshown.add(cell)
                lines.colour(end, last)
                if time.perf_counter() >= end:
                    return self.pending()
        return False

    def _colour_rest(self, end: float) -> bool:
        """Colour lines below what can be seen, before somebody scrolls there; True while some are left."""
        return any(lines.colour(end) for _, lines, _ in self._in_sight() if not lines.coloured)

    def _give_back(self) -> None:
        self._given_back = self._layout.dropped
        give_back()

    def _show(self, *, pending: bool) -> None:
        if self._unshown and (not pending or time.perf_counter() - self._shown_at >= SHOWN_EVERY_S):
            done, self._unshown = self._unshown, set()
            self._coloured([placed for placed in self._layout.placed if placed.cell in done])


def lines_of(shape: Shape, bottom: float) -> Iterator[tuple[CodeLines, int]]:
    """Yield all that takes colours in a shape, with the last line above a height of the shape, or a later one."""
    match shape:
        case CodeShape() | DiffShape():
            yield shape.lines, shape.block.last_line(bottom)
        case ColumnShape():
            for inner in shape.shapes:
                yield from lines_of(inner, bottom)


def codes_of(shape: Shape) -> Iterator[CodeShape]:
    """Yield the code blocks in a shape."""
    if isinstance(shape, CodeShape):
        yield shape
    elif isinstance(shape, StackShape):
        yield from (inner for inner in shape.shapes if isinstance(inner, CodeShape))
