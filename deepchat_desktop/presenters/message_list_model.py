"""The messages of the open session as a view reads them, fed with runtime events.

Invariants: events of other sessions change nothing. Between two flushes all changes of one block become one
change, so the work of a view follows the clock and not the number of tokens. The first change after a rest, and
the first block of a message, are applied at once. Order is kept: messages and their ends are never overtaken.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from PySide6.QtCore import QObject, QTimer, Signal

from deepchat_desktop.domain.blocks import Block, ReasoningBlock, TextBlock, ToolCallBlock
from deepchat_desktop.domain.events import (
    BlockSet,
    BlockText,
    MessageAdded,
    MessageFinished,
    RuntimeEvent,
    SessionDeleted,
)
from deepchat_desktop.domain.messages import Message, Role
from deepchat_desktop.presenters.message_view import MessageView, Reading
from deepchat_desktop.services.store import Size, StoredMessages

__all__ = ["MessageListModel", "MessageView", "Size", "pace"]

FLUSH_MS, CHEAP_MS, HIDDEN_MS = 33, 16, 100
"""The rest between two flushes: as a rule, after a cheap one, and while nobody looks."""
CHEAP_S, COSTLY_S = 0.002, 0.008
"""A flush that took longer than the second is followed by twice the rest, so that input keeps its share."""


def pace(cost_s: float, rest_ms: int, *, shown: bool) -> int:
    """Return the rest in ms after a flush of a cost. ``rest_ms`` is the rest before it."""
    if not shown:
        return HIDDEN_MS
    if cost_s > COSTLY_S:
        return min(HIDDEN_MS, 2 * max(FLUSH_MS, rest_ms))
    return CHEAP_MS if cost_s < CHEAP_S else FLUSH_MS


@dataclass
class _Change:
    """What waits for one block: a new state, and text that came after it."""

    block: Block | None = None
    texts: list[str] = field(default_factory=list)


def _grown(block: Block, text: str) -> Block:
    """Return the block with text appended; kinds that hold no text stay as they are."""
    match block:
        case TextBlock() | ReasoningBlock():
            return block.model_copy(update={"text": block.text + text})
        case ToolCallBlock():
            return block.model_copy(update={"arguments_text": block.arguments_text + text})
        case _:
            return block


class MessageListModel(QObject):
    """Rows are messages, oldest first; within a row, blocks by their index."""

    reset = Signal()
    message_added = Signal(int)
    block_text = Signal(int, int, str)
    block_changed = Signal(int, int)
    message_changed = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session_id = ""
        self.reading = Reading()
        self._stored: StoredMessages | None = None
        self._messages: list[MessageView | None] = []
        self._rows: dict[str, int] = {}
        self._pending: dict[tuple[str, int], _Change] = {}
        self._rest_ms = FLUSH_MS
        self._shown = True
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._on_timer)

    def set_shown(self, shown: bool) -> None:
        """Tell whether a view of the messages can be seen."""
        self._shown = shown

    def count(self) -> int:
        """Return the number of messages."""
        return len(self._messages)

    def message(self, row: int) -> MessageView:
        """Return a message. Raises ``IndexError`` for a row that is not there."""
        view = self._messages[row]
        if view is None:
            assert self._stored is not None
            view = MessageView(stored=self._stored[row], reading=self.reading)
            self._messages[row] = view
        return view

    def ids(self) -> list[str]:
        """Return the ids of all messages."""
        return list(self._rows)

    def weight(self, row: int) -> tuple[int, Role]:
        """Return about how many tokens a message costs to send, and who spoke; keeps nothing of a stored one."""
        view = self._messages[row]
        if view is None:
            assert self._stored is not None
            return self._stored.weight(row)
        return view.tokens, view.role

    def sizes(self) -> Iterable[Size]:
        """Yield how much there is to show of each message; reads no stored one."""
        stored = self._stored.sizes() if self._stored is not None else iter(())
        for view, size in zip_longest(self._messages, stored):
            yield size if view is None or view.clean else view.size()

    def marked(self) -> list[int]:
        """Return the messages in which there may be an error or a request that waits; reads no stored one."""
        stored = self._stored.marked() if self._stored is not None else ()
        own = (row for row, view in enumerate(self._messages) if view is not None and not view.clean)
        return sorted({*stored, *own})

    def texts(self, row: int) -> list[tuple[int, str]]:
        """Return the block and the text of all that can be found in a message; keeps nothing read."""
        view = self._messages[row]
        if view is None:
            assert self._stored is not None
            view = MessageView(stored=self._stored[row])
        return view.texts()

    def plain_texts(self, start: int, end: int) -> Iterator[tuple[Role, str] | None]:
        """Yield who spoke and the text of each message from ``start`` to before ``end``; None if it is to be read.

        Nothing is kept read: all of a long conversation costs little more than its text.
        """
        stored = self._stored.plain_texts(start, min(end, len(self._stored))) if self._stored is not None else iter(())
        for view, text in zip_longest(self._messages[start:end], stored):
            yield text if view is None or view.clean else None

    def load(
        self, messages: Sequence[Message] | StoredMessages, session_id: str = "", live: Message | None = None
    ) -> None:
        """Replace everything. Without ``session_id`` it is taken from the messages, "" if there are none.

        ``live`` is the state of one of them that is newer than the stored one.
        """
        self._pending.clear()
        self.reading = Reading()
        if isinstance(messages, StoredMessages):
            self._stored, self._messages = messages, [None] * len(messages)
            ids = messages.ids()
        else:
            session_id = session_id or (messages[0].session_id if messages else "")
            self._stored, self._messages = None, [MessageView(message) for message in messages]
            ids = [message.id for message in messages]
        self.session_id = session_id
        self._rows = {key: row for row, key in enumerate(ids)}
        if live is not None and live.id in self._rows:
            self._messages[self._rows[live.id]] = MessageView(live)
        self.reset.emit()

    def apply(self, event: RuntimeEvent) -> None:
        """Take one event; other kinds and other sessions are ignored."""
        if not self.session_id or getattr(event, "session_id", None) != self.session_id:
            return
        match event:
            case BlockText():
                self._queue(event.message_id, event.index).texts.append(event.text)
                self._maybe_flush(event.message_id)
            case BlockSet():
                change = self._queue(event.message_id, event.index)
                change.block = event.block
                change.texts.clear()
                self._maybe_flush(event.message_id)
            case MessageAdded() | MessageFinished():
                self.flush()
                self._put(event.message)
            case SessionDeleted():
                self.load(())
            case _:
                pass

    def flush(self) -> None:
        """Apply what waits, now."""
        pending, self._pending = self._pending, {}
        for (message_id, index), change in pending.items():
            row = self._rows.get(message_id)
            if row is not None:
                self._apply_change(row, index, change)

    def _queue(self, message_id: str, index: int) -> _Change:
        return self._pending.setdefault((message_id, index), _Change())

    def _maybe_flush(self, message_id: str) -> None:
        row = self._rows.get(message_id)
        first = row is not None and not self.message(row).blocks
        if first or not self._timer.isActive():
            self._flush_and_rest()

    def _on_timer(self) -> None:
        if self._pending:
            self._flush_and_rest()

    def _flush_and_rest(self) -> None:
        began = time.perf_counter()
        self.flush()
        self._rest_ms = pace(time.perf_counter() - began, self._rest_ms, shown=self._shown)
        self._timer.start(self._rest_ms)

    def _apply_change(self, row: int, index: int, change: _Change) -> None:
        blocks = self.message(row).own()
        added = "".join(change.texts)
        if change.block is not None and index <= len(blocks):
            blocks[index : index + 1] = [_grown(change.block, added)]
            self.block_changed.emit(row, index)
        elif change.block is None and added and index < len(blocks):
            blocks[index] = _grown(blocks[index], added)
            self.block_text.emit(row, index, added)

    def _put(self, message: Message) -> None:
        row = self._rows.get(message.id)
        if row is None:
            self._rows[message.id] = len(self._messages)
            self._messages.append(MessageView(message))
            self.message_added.emit(len(self._messages) - 1)
            return
        old = self.message(row)
        changed = list(_differences(old.blocks, message.blocks))
        self._messages[row] = MessageView(message)
        for index in changed:
            self.block_changed.emit(row, index)
        self.message_changed.emit(row)


def _differences(old: Sequence[Block], new: Sequence[Block]) -> Iterable[int]:
    """Yield the indexes of new blocks that differ from the old ones."""
    for index, block in enumerate(new):
        if index >= len(old) or old[index] != block:
            yield index
