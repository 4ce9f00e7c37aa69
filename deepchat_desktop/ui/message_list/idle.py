"""Work that can wait: colours for code, visible blocks first, then a reading of short texts as a whole.

Invariant: a slice ends at its deadline, also within one block.
"""

import time
from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, QTimer

from deepchat_desktop.ui.blocks.code_shape import CodeShape
from deepchat_desktop.ui.blocks.shape import Shape
from deepchat_desktop.ui.blocks.stack_shape import StackShape
from deepchat_desktop.ui.message_list.layout import Layout

SLICE_S = 0.004


class IdleWork(QObject):
    """Works in slices while there is something. ``coloured`` is called after a slice that changed the view."""

    def __init__(
        self, layout: Layout, coloured: Callable[[], None], check: Callable[[], bool], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._layout, self._coloured, self._check = layout, coloured, check
        self.slices = 0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._work)

    def wake(self) -> None:
        """Something may have to be done."""
        if not self._timer.isActive():
            self._timer.start(0)

    def pending(self) -> bool:
        """Tell whether blocks in sight still wait for colours."""
        return any(not code.lines.coloured for code in self._codes())

    def _codes(self) -> Iterator[CodeShape]:
        for placed in self._layout.placed:
            if placed.cell.shape is not None:
                yield from codes_of(placed.cell.shape)

    def _work(self) -> None:
        self.slices += 1
        end = time.perf_counter() + SLICE_S
        worked = more = False
        for code in self._codes():
            if not code.lines.coloured:
                worked = True
                more = code.lines.colour(end) or more
                if time.perf_counter() >= end:
                    break
        if worked:
            self._coloured()
        if (worked and self.pending()) or more or self._check():
            self._timer.start(0)


def codes_of(shape: Shape) -> Iterator[CodeShape]:
    """Yield the code blocks in a shape."""
    if isinstance(shape, CodeShape):
        yield shape
    elif isinstance(shape, StackShape):
        yield from (inner for inner in shape.shapes if isinstance(inner, CodeShape))
