"""Messages and their blocks on disk.

Invariants: a stream's flush (``save_blocks``) writes only the blocks it is given; ``save`` writes only the blocks that
differ; the search learns of a message when it is added or saved and no longer streams.
"""

from collections.abc import Callable, Mapping
from typing import Any

from deepchat_desktop.domain.blocks import Block, text_of
from deepchat_desktop.domain.errors import NotFound
from deepchat_desktop.domain.messages import Message
from deepchat_desktop.services.store.stored import StoredMessages
from deepchat_desktop.services.store.tables import BlockRows, Messages, MessageTexts
from deepchat_desktop.services.store.text import build, build_block, escape

_FIELDS = [getattr(Messages, name) for name in Message.model_fields if name != "blocks"]

_STORED_MESSAGES = "SELECT n, id, role, status, stop_reason, usage, meta FROM messages WHERE session_id = ? ORDER BY n"
_STORED_BLOCKS = """
SELECT m.n, b.kind, CAST(b.data AS BLOB) FROM messages m JOIN blocks b ON b.message_id = m.id
WHERE m.session_id = ? ORDER BY m.n, b.position
"""

_AT_ONCE = 1000  # rows of a statement: SQLite takes 32,766 parameters


class MessageRows:
    """The messages. ``erased`` is told when something was removed for good."""

    def __init__(self, db: Any, erased: Callable[[], None]) -> None:
        self._db = db
        self._erased = erased

    def add(self, message: Message) -> None:
        """Append a message to its session.

        Raises ``NotFound`` when the session is gone, ``StoreError`` (code ``conflict``) when the id is taken.
        """
        n = Messages.insert(**message.model_dump(exclude={"blocks"})).execute(self._db)
        self.save_blocks(message.id, dict(enumerate(message.blocks)))
        self._index(message, n, None)

    def save(self, message: Message) -> None:
        """Bring a message and all its blocks to the given state. Raises ``NotFound``."""
        changed = (
            Messages.update(**message.model_dump(exclude={"blocks", "id"}))
            .where(Messages.id == message.id)
            .execute(self._db)
        )
        if not changed:
            raise _missing(message.id)
        known = self._blocks(BlockRows.message_id == message.id).get(message.id, {})
        differing = {at: block for at, block in enumerate(message.blocks) if known.get(at) != block}
        self.save_blocks(message.id, differing)
        if len(known) > len(message.blocks):
            BlockRows.delete().where(
                (BlockRows.message_id == message.id) & (BlockRows.position >= len(message.blocks))
            ).execute(self._db)
        n = Messages.select(Messages.n).where(Messages.id == message.id).scalar(self._db)
        known_text = MessageTexts.select(MessageTexts.text).where(MessageTexts.n == n).scalar(self._db)
        self._index(message, n, known_text)

    def save_blocks(self, message_id: str, blocks: Mapping[int, Block]) -> None:
        """Write the given blocks, by position, and nothing else. Raises ``NotFound`` when the message is gone."""
        rows = [
            {"message_id": message_id, "position": at, "kind": block.kind, "data": block.model_dump()}
            for at, block in blocks.items()
        ]
        for start in range(0, len(rows), _AT_ONCE):
            BlockRows.insert_many(rows[start : start + _AT_ONCE]).on_conflict(
                conflict_target=[BlockRows.message_id, BlockRows.position],
                preserve=[BlockRows.kind, BlockRows.data],
            ).execute(self._db)

    def get(self, message_id: str) -> Message:
        """Return a message with its blocks. Raises ``NotFound``."""
        found = self._where(Messages.id == message_id)
        if not found:
            raise _missing(message_id)
        return found[0]

    def of_session(self, session_id: str) -> list[Message]:
        """Return a session's messages with their blocks, in the order in which they were added."""
        return self._where(Messages.session_id == session_id)

    def before(self, session_id: str, message_id: str | None, most: int) -> list[Message]:
        """Return up to ``most`` messages that were added right before one, or last (None), oldest first."""
        condition = Messages.session_id == session_id
        if message_id is not None:
            condition &= Messages.n < Messages.select(Messages.n).where(Messages.id == message_id).scalar(self._db)
        rows = Messages.select(Messages.n).where(condition).order_by(Messages.n.desc()).limit(most)
        numbers = [n for (n,) in rows.tuples().execute(self._db)]
        return self._where(Messages.n.in_(numbers)) if numbers else []

    def stored(self, session_id: str) -> StoredMessages:
        """Return a session's messages as ``of_session`` does, in two queries and with their JSON unread."""
        key = (escape(session_id),)
        rows = self._db.execute_sql(_STORED_MESSAGES, key).fetchall()
        return StoredMessages(rows, self._db.execute_sql(_STORED_BLOCKS, key).fetchall())

    def count(self, session_id: str) -> int:
        """Return how many messages a session has."""
        return int(Messages.select().where(Messages.session_id == session_id).count(self._db))

    def unfinished(self) -> list[Message]:
        """Return the messages that still say ``streaming`` or ``paused``: after a start, what a crash may have left."""
        return self._where(Messages.status.in_(("streaming", "paused")))

    def delete(self, message_id: str) -> None:
        """Remove a message, its blocks and what the search knew; the tape is purged apart. Raises ``NotFound``."""
        if not Messages.delete().where(Messages.id == message_id).execute(self._db):
            raise _missing(message_id)
        self._erased()

    def _where(self, condition: Any) -> list[Message]:
        rows = list(Messages.select(*_FIELDS).where(condition).order_by(Messages.n).dicts().execute(self._db))
        ids = Messages.select(Messages.id).where(condition)
        blocks = self._blocks(BlockRows.message_id.in_(ids)) if rows else {}
        return [build(Message, {**row, "blocks": tuple(blocks.get(row["id"], {}).values())}) for row in rows]

    def _blocks(self, condition: Any) -> dict[str, dict[int, Block]]:
        rows = (
            BlockRows.select(BlockRows.message_id, BlockRows.position, BlockRows.data)
            .where(condition)
            .order_by(BlockRows.message_id, BlockRows.position)
            .tuples()
        )
        found: dict[str, dict[int, Block]] = {}
        for message_id, position, data in rows.execute(self._db):
            found.setdefault(message_id, {})[position] = build_block(data)
        return found

    def _index(self, message: Message, n: int, known: str | None) -> None:
        text = text_of(message.blocks)
        if message.status == "streaming" or text == (known or ""):
            return
        if known is not None:
            MessageTexts.delete().where(MessageTexts.n == n).execute(self._db)
        if text:
            MessageTexts.insert(n=n, text=text).execute(self._db)


def _missing(message_id: str) -> NotFound:
    return NotFound("This message no longer exists.", params={"message": message_id})
