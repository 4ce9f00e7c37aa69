"""Finding in all messages of the open session: counts, the current hit, next and previous.

Invariants: it reads the model and never a view; the work is done in slices of ``SLICE_S``, so a window stays alive;
texts with their case folded are kept only while a search is open; a growing message is read again at a pace.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from PySide6.QtCore import QObject, QTimer, Signal

from deepchat_desktop.domain.find import Needle, Range
from deepchat_desktop.presenters.message_list_model import MessageListModel

SLICE_S = 0.006
PACE_MS = 100
"""The rest before changed messages are read again."""
CHUNK = 200_000
"""Characters that are folded between two looks at the clock."""

Texts = list[tuple[int, str, str]]
"""The texts of one message: the block, the text as it is, and folded."""


@dataclass(frozen=True)
class Hit:
    """A hit: ``text`` is what it was found in, the ``part``-th text of a block, and ``place`` where in it."""

    row: int
    block: int
    part: int
    text: str
    place: Range


@dataclass
class _Walk:
    """The places in one text as far as somebody went: steps in a very long text go on where the last one ended."""

    row: int
    block: int
    text: str
    ahead: Iterator[Range]
    known: list[Range] = field(default_factory=list)

    def place(self, index: int) -> Range | None:
        """Return one place; None where there are fewer, and then all of them are known."""
        self.known += islice(self.ahead, max(0, index + 1 - len(self.known)))
        return self.known[index] if index < len(self.known) else None


class FindInSession(QObject):
    """One search. ``read`` counts the messages whose texts were folded."""

    changed = Signal()
    """Counts, the current hit or the words changed."""
    moved = Signal()
    """The current hit is another one and is to be shown."""

    def __init__(self, model: MessageListModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.needle = Needle("")
        self.counts: list[int] = []
        """Hits of each message."""
        self.read = 0
        self._open = False
        self._texts: list[Texts | None] = []
        self._total = 0
        self._origin = 0
        self._current: tuple[int, int] | None = None
        self._hit: Hit | None = None
        """The current one, once somebody asked for it."""
        self._walk = _Walk(-1, 0, "", iter(()))
        self._wanted = False
        self._dirty: set[int] = set()
        self._work: Iterator[None] = iter(())
        self._done = True
        self._slices = self._timer(0, self._slice)
        self._pace = self._timer(PACE_MS, self._read_changed)
        model.reset.connect(self._on_reset)
        for signal in (model.message_added, model.message_changed, model.block_changed, model.block_text):
            signal.connect(self._on_changed)

    def _timer(self, ms: int, act: object) -> QTimer:
        timer = QTimer(self, interval=ms, singleShot=True)
        timer.timeout.connect(act)
        return timer

    # What others ask

    def open(self) -> None:
        """Begin: the texts are read while the user types."""
        if not self._open:
            self._open = True
            self._on_reset()

    def close(self) -> None:
        """End: nothing is kept."""
        self._open = False
        self.needle = Needle("")
        self._on_reset()

    def search(self, words: str, origin: int = 0) -> None:
        """Look for words; the first hit in or after the message ``origin`` becomes the current one."""
        self.needle = Needle(words)
        self._origin = origin
        self._start()

    def finish(self) -> int:
        """Read to the end at once; return the number of hits."""
        for _ in self._work:
            pass
        self._end()
        self._read_changed()
        self._choose()
        self.changed.emit()
        return self._total

    def searching(self) -> bool:
        """Tell whether there is more to read."""
        return not self._done

    def total(self) -> int:
        """Return the number of hits so far."""
        return self._total

    def number(self) -> int:
        """Return which hit is the current one, from 1; 0 without one."""
        return sum(self.counts[: self._current[0]]) + self._current[1] + 1 if self._current else 0

    def current(self) -> Hit | None:
        """Return the current hit."""
        if self._hit is None and self._current is not None:
            self._hit = self._find(*self._current)
        return self._hit

    def step(self, by: int) -> None:
        """Go to the next (1) or the previous (-1) hit, around the ends."""
        if not self._total:
            return
        if self._current is None:
            self._current = self._first_from(self._origin)
        else:
            row, index = self._current[0], self._current[1] + by
            if not 0 <= index < self.counts[row]:
                row = self._next_row(row, by)
                index = 0 if by > 0 else self.counts[row] - 1
            self._current = (row, index)
        self._hit = None
        self.changed.emit()
        self.moved.emit()

    # Reading

    def _start(self) -> None:
        self.counts = [0] * self._model.count()
        self._total, self._current, self._hit = 0, None, None
        self._walk = _Walk(-1, 0, "", iter(()))
        self._wanted = bool(self.needle)
        self._dirty.clear()
        self._work, self._done = self._read_all(), False
        self._slice()

    def _slice(self) -> None:
        end = time.perf_counter() + SLICE_S
        for _ in self._work:
            if time.perf_counter() >= end:
                self._slices.start()
                break
        else:
            self._end()
        self._choose()
        if self.needle or self._done:
            self.changed.emit()

    def _end(self) -> None:
        self._slices.stop()
        self._done = True
        self._work = iter(())

    def _read_all(self) -> Iterator[None]:
        """Count the hits of all messages, from the origin on, so that the first one is known soon."""
        count = self._model.count()
        for row in (*range(self._origin, count), *range(min(self._origin, count))):
            if self._texts[row] is None:
                yield from self._fold(row)
            self._count(row)
            yield

    def _fold(self, row: int) -> Iterator[None]:
        """Read a message's texts; a long one in pieces, since folding looks at each character alone."""
        self.read += 1
        texts: Texts = []
        for block, text in self._model.texts(row):
            pieces = []
            for at in range(0, len(text), CHUNK):
                pieces.append(text[at : at + CHUNK].casefold())
                if len(text) > CHUNK:
                    yield
            texts.append((block, text, "".join(pieces)))
        self._texts[row] = texts

    def _count(self, row: int) -> None:
        texts = self._texts[row] or []
        count = sum(self.needle.count(text, folded) for _, text, folded in texts) if self.needle else 0
        self._total += count - self.counts[row]
        self.counts[row] = count

    def _choose(self) -> None:
        """Take the first hit as soon as it is known."""
        if self._wanted and self._total:
            self._wanted = False
            self._current, self._hit = self._first_from(self._origin), None
            self.moved.emit()

    def _first_from(self, row: int) -> tuple[int, int]:
        return (row if row < len(self.counts) and self.counts[row] else self._next_row(row, 1)), 0

    def _next_row(self, row: int, by: int) -> int:
        """Return the next message with a hit, around the ends; itself if it is the only one."""
        count = len(self.counts)
        return next(at % count for at in range(row + by, row + by * (count + 1), by) if self.counts[at % count])

    def _find(self, row: int, index: int) -> Hit:
        parts: dict[int, int] = {}
        for block, text, folded in self._texts[row] or []:
            part = parts[block] = parts.get(block, -1) + 1
            same = (self._walk.row, self._walk.block, self._walk.text) == (row, block, text)
            walk = self._walk if same else _Walk(row, block, text, self.needle.walk(text, folded))
            place = walk.place(index)
            if place is not None:
                self._walk = walk
                return Hit(row, block, part, text, place)
            index -= len(walk.known)
        raise IndexError("a hit is counted that is not there")

    # Changes of the model

    def _on_reset(self) -> None:
        self._pace.stop()
        self._texts = [None] * self._model.count()
        if self._open:
            self._origin = 0
            self._start()
            return
        self._end()
        self.counts, self._total, self._current, self._hit = [], 0, None, None
        self._dirty.clear()
        self.changed.emit()

    def _on_changed(self, row: int) -> None:
        if self._open:
            self._dirty.add(row)
            if not self._pace.isActive():
                self._pace.start()

    def _read_changed(self) -> None:
        dirty, self._dirty = self._dirty, set()
        while len(self.counts) < self._model.count():
            self.counts.append(0)
            self._texts.append(None)
        for row in sorted(dirty):
            for _ in self._fold(row):
                pass
            self._count(row)
        if self._current is not None and self._current[0] in dirty:
            self._hit = None
        if self._current is not None and self._current[1] >= self.counts[self._current[0]]:
            left = self.counts[self._current[0]]
            self._current = (self._current[0], left - 1) if left else None
        if dirty:
            self._choose()
            self.changed.emit()
