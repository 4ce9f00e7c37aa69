"""The one place that opens the guard under which tape and journal rows may be deleted (REL-7).

Invariant: the guard row never outlives the block that opened it, nor the transaction.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from deepchat_desktop.services.store.tables import Journal, TapeEntries, TapePayloads, TapePurgeGuard


@contextmanager
def guard(db: Any, session_id: str, what: Literal["payload", "session"]) -> Iterator[None]:
    """Allow deletions for one session: all its rows, or only the payloads of its retracted messages."""
    TapePurgeGuard.insert(session_id=session_id, what=what).execute(db)
    yield
    TapePurgeGuard.delete().where(TapePurgeGuard.session_id == session_id).execute(db)


def purge_session(db: Any, session_id: str) -> None:
    """Delete a session's tape and journal, whole."""
    with guard(db, session_id, "session"):
        for table in (TapePayloads, TapeEntries, Journal):
            table.delete().where(table.session_id == session_id).execute(db)


def purge_message(db: Any, session_id: str, message_id: str) -> int:
    """Delete the payloads that name a message and came before its retraction; return how many there were.

    The entries stay, so the chain still verifies. Without a retraction nothing is deleted.
    """
    of_entry = (TapeEntries.session_id == TapePayloads.session_id) & (TapeEntries.seq == TapePayloads.seq)
    retractions = (
        TapePayloads.select(TapePayloads.seq)
        .join(TapeEntries, on=of_entry)
        .where(
            (TapePayloads.session_id == session_id)
            & (TapePayloads.message_id == message_id)
            & (TapeEntries.kind == "message")
            & (TapeEntries.name == "retracted")
        )
        .order_by(TapePayloads.seq.desc())
    )
    last = retractions.scalar(db)
    if last is None:
        return 0
    with guard(db, session_id, "payload"):
        doomed = TapePayloads.delete().where(
            (TapePayloads.session_id == session_id)
            & (TapePayloads.message_id == message_id)
            & (TapePayloads.seq < last)
        )
        return int(doomed.execute(db))
