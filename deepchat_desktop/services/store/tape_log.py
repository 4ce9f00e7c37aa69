"""The tape on disk: appended without gaps, never changed, purged only under a guard (REL-7)."""

from collections.abc import Callable
from typing import Any

from deepchat_desktop.domain.tape import TapeEntry, TapeFact, seal
from deepchat_desktop.services.store.purge import purge_message
from deepchat_desktop.services.store.tables import TapeEntries, TapePayloads
from deepchat_desktop.services.store.text import build

_ENTRY = [getattr(TapeEntries, name) for name in TapeEntry.model_fields if name != "payload"]


class TapeRows:
    """The tapes of all sessions. ``erased`` is told when something was removed for good."""

    def __init__(self, db: Any, erased: Callable[[], None]) -> None:
        self._db = db
        self._erased = erased

    def append(self, session_id: str, fact: TapeFact, at: int) -> TapeEntry:
        """Append a fact and return its entry; a provenance that stands there already returns the entry it has.

        ``at`` is ms since 1970. Raises ``NotFound`` when the session is gone.
        """
        known = self._rows((TapeEntries.session_id == session_id) & (TapeEntries.provenance == fact.provenance))
        if known:
            return known[0]
        newest = (
            TapeEntries.select(*_ENTRY)
            .where(TapeEntries.session_id == session_id)
            .order_by(TapeEntries.seq.desc())
            .dicts()
            .first(self._db)
        )
        entry = seal(session_id, fact, last=build(TapeEntry, newest) if newest else None, at=at)
        TapeEntries.insert(**entry.model_dump(exclude={"payload"})).execute(self._db)
        message_id = fact.payload.get("message_id")
        TapePayloads.insert(
            session_id=session_id,
            seq=entry.seq,
            message_id=message_id if isinstance(message_id, str) else None,
            payload=fact.payload,
        ).execute(self._db)
        return entry

    def entries(self, session_id: str) -> list[TapeEntry]:
        """Return a session's whole tape in order; ``payload`` is None where it was purged. Nothing is verified."""
        return self._rows(TapeEntries.session_id == session_id)

    def purge(self, session_id: str, message_id: str) -> int:
        """Remove what the tape says of a message that a ``retracted`` entry names; return how many payloads went.

        Payloads are found by their ``message_id``. Those after the last retraction, and its own, stay.
        """
        count = purge_message(self._db, session_id, message_id)
        if count:
            self._erased()
        return count

    def _rows(self, condition: Any) -> list[TapeEntry]:
        beside = (TapePayloads.session_id == TapeEntries.session_id) & (TapePayloads.seq == TapeEntries.seq)
        rows = (
            TapeEntries.select(*_ENTRY, TapePayloads.payload)
            .left_outer_join(TapePayloads, on=beside)
            .where(condition)
            .order_by(TapeEntries.seq)
            .dicts()
        )
        return [build(TapeEntry, row) for row in rows.execute(self._db)]
