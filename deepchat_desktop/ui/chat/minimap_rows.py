"""What the minimap knows of each message: how much it is, whose, and whether something in it needs attention.

Invariants: sizes are read when they are drawn for the first time, marks in slices while nothing else is to do; a
changed message is read again at the next drawing, not when it changes, so a token costs nothing.
"""

import time
from collections.abc import Iterable, Iterator
from typing import Literal

from PySide6.QtCore import QObject, QTimer, Signal

from deepchat_desktop.presenters.message_list_model import MessageListModel

SLICE_S = 0.003

Mark = Literal["error", "waits"]


class MapRows(QObject):
    """The messages of one model. ``marks`` holds the messages with an error or a request that waits."""

    changed = Signal()
    """Messages came, went or changed, or marks were found."""

    def __init__(self, model: MessageListModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.marks: dict[int, Mark] = {}
        self._known: dict[int, tuple[int, bool]] = {}
        self._dirty: set[int] = set()
        self.version = 0
        """Another one after every change."""
        self._todo: Iterator[int] = iter(())
        self._scan = QTimer(self, interval=0, singleShot=True)
        self._scan.timeout.connect(self._on_scan)
        model.reset.connect(self._on_reset)
        for signal in (model.message_added, model.message_changed, model.block_changed, model.block_text):
            signal.connect(self._on_changed)
        self._on_reset()

    def _tell(self) -> None:
        self.version += 1
        self.changed.emit()

    def count(self) -> int:
        """Return the number of messages."""
        return self._model.count()

    def known(self, row: int) -> tuple[int, bool]:
        """Return about how many tokens a message has, at least 1, and whether the user wrote it."""
        known = self._known.get(row)
        if known is None:
            tokens, role = self._model.weight(row)
            known = self._known[row] = (max(1, tokens), role == "user")
        return known

    def longest(self, rows: Iterable[int]) -> tuple[int, int]:
        """Return the tokens of the longest answer and of the longest question, 0 where there is none."""
        bot = user = 0
        known = self._known
        for row in rows:
            tokens, asked = known.get(row) or self.known(row)
            if asked:
                user = tokens if tokens > user else user
            else:
                bot = tokens if tokens > bot else bot
        return bot, user

    def refresh(self) -> None:
        """Read changed messages again; for the moment before drawing."""
        for row in self._dirty:
            self._known.pop(row, None)
            self._mark(row)
        self._dirty.clear()

    def _on_reset(self) -> None:
        self.marks.clear()
        self._known.clear()
        self._dirty.clear()
        self._todo = iter(self._model.marked())
        self._scan.start()
        self._tell()

    def _on_changed(self, row: int) -> None:
        if row not in self._dirty:
            self._dirty.add(row)
            self._tell()

    def _on_scan(self) -> None:
        end = time.perf_counter() + SLICE_S
        before = len(self.marks)
        for row in self._todo:
            self._mark(row)
            if time.perf_counter() >= end:
                self._scan.start()
                break
        if len(self.marks) != before:
            self._tell()

    def _mark(self, row: int) -> None:
        message = self._model.message(row)
        if message.waits:
            self.marks[row] = "waits"
        elif message.has_error:
            self.marks[row] = "error"
        else:
            self.marks.pop(row, None)
