"""The window that the lists stand in, and the clock of its frames.

Invariants: nothing of a list is touched but its scroll bar, its viewport and its public calls; a frame's time is read
when the window's paint has returned; time spent on looking (taking pictures) is taken off the clock. The loop is
Qt's own, turned by hand, so a frame can be followed to the end of its work.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QAbstractEventDispatcher, QCoreApplication, QEvent, QEventLoop, QRect, QTimer
from PySide6.QtWidgets import QAbstractScrollArea, QVBoxLayout, QWidget

WIDTH, HEIGHT = 900, 1000
QUIET_S = 0.1
"""So long nothing may change before a screen counts as final."""


class Stage(QWidget):
    """A top-level window that notes when each of its paints ended and how long it took."""

    def __init__(self, list_widget: QWidget) -> None:
        super().__init__()
        self.paints = 0
        self.last_paint_s = 0.0
        self.painting_s = 0.0
        self.after_paint: Callable[[], None] | None = None
        room = QVBoxLayout(self)
        room.setContentsMargins(0, 0, 0, 0)
        room.addWidget(list_widget)
        self.resize(WIDTH, HEIGHT)

    def event(self, event: QEvent) -> bool:
        if event.type() != QEvent.Type.UpdateRequest:
            return super().event(event)
        began = time.perf_counter()
        done = super().event(event)
        self.paints += 1
        self.last_paint_s = time.perf_counter()
        self.painting_s += self.last_paint_s - began
        if self.after_paint is not None:
            self.after_paint()
        return done


@dataclass(frozen=True)
class Frame:
    """Milliseconds from the call: to the end of its first paint, and of the last that changed the picture.

    `moved` is how many px the content moved between the two.
    """

    first_ms: float
    final_ms: float
    moved: int
    painted: bool = True


class Clock:
    """Follows frames of a stage. ``area`` gives the part of the window where content is shown."""

    def __init__(self, stage: Stage, viewport: Callable[[], QWidget]) -> None:
        self._stage = stage
        self._viewport = viewport
        dispatcher = QAbstractEventDispatcher.instance()
        assert dispatcher is not None
        self._dispatcher = dispatcher

    def turn(self) -> bool:
        """Let the loop do what is ready, once; False if there was nothing."""
        return bool(self._dispatcher.processEvents(QEventLoop.ProcessEventsFlag.AllEvents))

    def frame(self, act: Callable[[], None]) -> float:
        """Return the ms from a call to the end of the paint and of the work that it left for the loop.

        That is all posted events, the paint among them, and one turn of the loop with the timers that are due.
        """
        paints, began = self._stage.paints, time.perf_counter()
        act()
        QCoreApplication.sendPostedEvents()
        self.turn()
        while self._stage.paints == paints and time.perf_counter() - began < QUIET_S:
            self.turn()
        return (time.perf_counter() - began) * 1000

    def settle(self, limit_s: float = 5.0) -> None:
        """Turn the loop until nothing was painted for a while, or the limit is over."""
        end = time.perf_counter() + limit_s
        seen, since = self._stage.paints, time.perf_counter()
        while time.perf_counter() < end:
            if not self.turn():
                time.sleep(0.001)
            if self._stage.paints != seen:
                seen, since = self._stage.paints, time.perf_counter()
            elif time.perf_counter() - since > QUIET_S:
                return

    def rest(self, seconds: float) -> None:
        """Let Qt's own loop run for so long: to look after it would take time, and what waits for a pause see none."""
        loop = QEventLoop()  # an end of the application's own would close the window
        QTimer.singleShot(int(seconds * 1000), loop.quit)
        loop.exec()

    def lines(self) -> list[int]:
        """Return a check sum of each line of what is shown, from the top."""
        view = self._viewport()
        place = QRect(view.mapTo(self._stage, view.rect().topLeft()), view.size())
        image = self._stage.screen().grabWindow(
            self._stage.winId(), place.x(), place.y(), place.width(), place.height()
        ).toImage()  # fmt: skip
        data, step = memoryview(image.constBits()), image.bytesPerLine()
        return [zlib.crc32(data[at * step : (at + 1) * step]) for at in range(image.height())]

    def watch(self, act: Callable[[], None], limit_s: float = 3.0) -> Frame:
        """Return the frame that a call brings about, followed until its picture is final."""
        watch = Watch(self, self._stage)
        act()
        QCoreApplication.sendPostedEvents()
        self.settle(limit_s)
        return watch.end()


class Watch:
    """Takes a picture after each paint from now on, until `end` says which of them was the final one."""

    def __init__(self, clock: Clock, stage: Stage) -> None:
        self._clock, self._stage = clock, stage
        self._shown: list[tuple[float, list[int]]] = []
        self._looking = 0.0
        stage.after_paint = self._look
        self._began = time.perf_counter()

    def _look(self) -> None:
        began = time.perf_counter()
        self._shown.append((self._stage.last_paint_s - self._looking, self._clock.lines()))
        self._looking += time.perf_counter() - began

    def end(self) -> Frame:
        """Stop looking; a call that painted nothing took no time."""
        self._stage.after_paint = None
        if not self._shown:
            return Frame(0.0, 0.0, 0, painted=False)
        final = self._shown[-1][1]
        done = next(at for at in range(len(self._shown)) if all(lines == final for _, lines in self._shown[at:]))
        first_s, first = self._shown[0]
        return Frame((first_s - self._began) * 1000, (self._shown[done][0] - self._began) * 1000, shift(first, final))


def shift(before: list[int], after: list[int], most: int = 200) -> int:
    """Return by how many px down content moved, by the lines that both pictures have; 0 if they share too little.

    Empty lines, which fit anywhere, do not count.
    """
    often = {line for line in set(before) if before.count(line) > 3}
    places: dict[int, list[int]] = {}
    for at, line in enumerate(after):
        places.setdefault(line, []).append(at)
    votes: dict[int, int] = {}
    for at, line in enumerate(before):
        for place in () if line in often else places.get(line, ()):
            votes[place - at] = votes.get(place - at, 0) + 1
    best = max(votes, key=lambda by: (votes[by], -abs(by)), default=0)
    return best if abs(best) <= most and votes.get(best, 0) >= 10 else 0


def bar_range(area: QAbstractScrollArea) -> int:
    """Return how far the list's bar reaches, in px."""
    return area.verticalScrollBar().maximum()
