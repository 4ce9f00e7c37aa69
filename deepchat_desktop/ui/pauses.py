"""Collects garbage while nobody waits: a collection of all that lives holds the window for up to 90 ms.

Invariants: what a pause found alive is frozen, so Python's own collections look only at what was made since; nothing
is frozen that was not collected first, so no garbage is kept but what dies later, and that goes in a long pause. A
pause is told by the processor's time alone: streaming, typing, scrolling and work on threads all take some.
"""

import gc
import time

from PySide6.QtCore import QObject, QTimer

from deepchat_desktop.ui.message_list.heap import give_back

LOOK_MS, QUIET_S = 2_000, 0.04
"""A pause: the process took no more than the second in the first."""
LONG, AT_LATEST = 15, 300
"""After so many quiet looks, or in the first pause after so many looks, the frozen is looked at too."""


class Pauses(QObject):
    """``recent`` and ``whole`` count the collections of what is new, and of everything."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.recent = self.whole = 0
        self._quiet = self._looks = 0
        self._new = True
        self._seen = _collections()
        self._used_s = time.process_time()
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self._look)

    def start(self) -> None:
        """Begin after the first paint: what was made while starting stays, and is no garbage."""
        gc.freeze()
        gc.enable()
        self._timer.start()

    def _look(self) -> None:
        self.passed(time.process_time() - self._used_s)
        self._used_s = time.process_time()

    def passed(self, used_s: float) -> None:
        """Take note that the process used so much time in the last ``LOOK_MS``, and collect in a pause."""
        self._looks += 1
        self._quiet = self._quiet + 1 if used_s <= QUIET_S else 0
        if not self._quiet:
            return
        if _collections() != self._seen:
            self._new = True
            self._collect()
            self.recent += 1
        if self._new and (self._quiet >= LONG or self._looks >= AT_LATEST):
            gc.unfreeze()
            self._collect()
            self.whole += 1
            self._new, self._looks = False, 0

    def _collect(self) -> None:
        gc.collect()
        gc.freeze()
        give_back()
        self._seen = _collections()


def _collections() -> int:
    """Return how often more than the youngest was collected: without that there is little new."""
    return sum(int(of["collections"]) for of in gc.get_stats()[1:])
