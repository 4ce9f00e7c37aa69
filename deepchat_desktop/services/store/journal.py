"""The execution journal on disk: written before and after every side effect, read after a crash.

Invariant: one fact per (run, request, call, name); the same again is a no-op, another payload is corruption.
"""

from typing import Any

from deepchat_desktop.domain.errors import TapeCorrupt
from deepchat_desktop.domain.journal import JournalFact
from deepchat_desktop.domain.tape import payload_hash
from deepchat_desktop.services.store.tables import Journal
from deepchat_desktop.services.store.text import build

_FIELDS = [getattr(Journal, name) for name in JournalFact.model_fields]


class JournalRows:
    """The journal."""

    def __init__(self, db: Any) -> None:
        self._db = db

    def record(self, fact: JournalFact) -> bool:
        """Write a fact; return True when it is new, False when the same is there already.

        Raises ``TapeCorrupt`` when the same operation stands there with another payload or session, ``NotFound``
        when the session is gone.
        """
        digest = payload_hash(fact.payload)
        known = (
            Journal.select(Journal.payload_sha256, Journal.session_id)
            .where(
                (Journal.run_id == fact.run_id)
                & (Journal.request_id == fact.request_id)
                & (Journal.call_id == fact.call_id)
                & (Journal.name == fact.name)
            )
            .tuples()
            .first(self._db)
        )
        if known is None:
            Journal.insert(**fact.model_dump(), payload_sha256=digest).execute(self._db)
            return True
        if tuple(known) == (digest, fact.session_id):
            return False
        raise TapeCorrupt(
            f"The journal already holds another {fact.name} for this operation. Nothing was run; start a new turn.",
            params={"run": fact.run_id, "request": fact.request_id, "call": fact.call_id, "name": fact.name},
        )

    def of_run(self, run_id: str) -> list[JournalFact]:
        """Return a run's facts in the order in which they were written."""
        return self._facts(Journal.run_id == run_id)

    def of_call(self, run_id: str, request_id: str, call_id: str) -> list[JournalFact]:
        """Return one operation's facts in the order in which they were written."""
        same = (Journal.run_id == run_id) & (Journal.request_id == request_id) & (Journal.call_id == call_id)
        return self._facts(same)

    def open_runs(self) -> list[JournalFact]:
        """Return the ``run_started`` facts of runs that never ended: what a crash left behind."""
        ended = Journal.select(Journal.run_id).where(Journal.name == "run_terminal")
        return self._facts((Journal.name == "run_started") & Journal.run_id.not_in(ended))

    def _facts(self, condition: Any) -> list[JournalFact]:
        rows = Journal.select(*_FIELDS).where(condition).order_by(Journal.n).dicts()
        return [build(JournalFact, row) for row in rows.execute(self._db)]
