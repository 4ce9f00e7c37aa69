"""Work that can wait: colours for code, visible blocks first, then a reading of short texts as a whole.

Invariants: a slice ends at its deadline, also within one block; while the view moves, colours wait for the time that
its frames leave, and readings until it rests; a slice reads one text; memory is given back in a pause.
"""

import time
from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, QTimer

from deepchat_desktop.ui.blocks.code_lines import CodeLines
from deepchat_desktop.ui.blocks.code_shape import CodeShape
from deepchat_desktop.ui.blocks.column_shape import ColumnShape
from deepchat_desktop.ui.blocks.diff_shape import DiffShape
from deepchat_desktop.ui.blocks.shape import Shape
from deepchat_desktop.ui.blocks.stack_shape import StackShape
from deepchat_desktop.ui.message_list.heap import give_back
from deepchat_desktop.ui.message_list.layout import Layout

SLICE_S = 0.004
MOVING_S, BREATH_MS = 0.05, 8
"""A view moves while its last change is less than the first ago; then work begins the second after the last one."""
SHOWN_EVERY_S = 0.033
"""Colours of a view that takes several slices are painted at this pace: a painting costs as much as a slice."""

DROPPED, REST_MS = 300, 400
"""After so many dropped blocks, and once the view has rested for so long, free memory is given back to the system."""


class IdleWork(QObject):
    """Works in slices while there is something. ``coloured`` is called when all in sight is coloured, or at a pace."""

    def __init__(
        self, layout: Layout, coloured: Callable[[], None], check: Callable[[], bool], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._layout, self._coloured, self._check = layout, coloured, check
        self.slices = 0
        self._woken = 0.0
        self._unshown = False
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
        """Tell whether blocks in sight still wait for colours."""
        return any(not lines.coloured for lines in self._lines())

    def _lines(self) -> Iterator[CodeLines]:
        for placed in self._layout.placed:
            if placed.cell.shape is not None:
                yield from lines_of(placed.cell.shape)

    def _work(self) -> None:
        self.slices += 1
        end = time.perf_counter() + SLICE_S
        worked = more = False
        for lines in self._lines():
            if not lines.coloured:
                worked = True
                more = lines.colour(end) or more
                if time.perf_counter() >= end:
                    break
        pending = worked and self.pending()
        self._show(worked, pending=pending)
        left = MOVING_S - (time.perf_counter() - self._woken)
        if pending or more:
            self._timer.start(0)
        elif left > 0:
            self._timer.start(int(left * 1000) + 1)
        elif self._check():
            self._timer.start(0)
        elif self._layout.dropped - self._given_back >= DROPPED:
            self._resting.start()

    def _give_back(self) -> None:
        self._given_back = self._layout.dropped
        give_back()

    def _show(self, worked: bool, *, pending: bool) -> None:
        now = time.perf_counter()
        if worked and not self._unshown:
            self._unshown, self._shown_at = True, now
        if self._unshown and (not pending or now - self._shown_at >= SHOWN_EVERY_S):
            self._unshown = False
            self._coloured()


def lines_of(shape: Shape) -> Iterator[CodeLines]:
    """Yield all that takes colours in a shape."""
    match shape:
        case CodeShape() | DiffShape():
            yield shape.lines
        case ColumnShape():
            for inner in shape.shapes:
                yield from lines_of(inner)


def codes_of(shape: Shape) -> Iterator[CodeShape]:
    """Yield the code blocks in a shape."""
    if isinstance(shape, CodeShape):
        yield shape
    elif isinstance(shape, StackShape):
        yield from (inner for inner in shape.shapes if isinstance(inner, CodeShape))
