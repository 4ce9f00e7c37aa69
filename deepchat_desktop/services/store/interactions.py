"""What waits for the user, what was answered, and who may go on with it.

Invariants: an answer is given once (compare-and-set from ``pending``), used once (``consume``), and a message is
resumed by one owner at a time. A call has at most one pending interaction.
"""

from typing import Any

from deepchat_desktop.domain.errors import NotFound
from deepchat_desktop.domain.permission import Interaction, Scope
from deepchat_desktop.services.store.tables import Interactions, ResumeLocks
from deepchat_desktop.services.store.text import build

_FIELDS = [getattr(Interactions, name) for name in Interaction.model_fields]


class InteractionRows:
    """The interactions and the resume locks."""

    def __init__(self, db: Any) -> None:
        self._db = db

    def add(self, interaction: Interaction) -> None:
        """Keep a new interaction.

        Raises ``NotFound`` when its session is gone, ``StoreError`` (code ``conflict``) when its id is taken or
        its call already waits.
        """
        Interactions.insert(**interaction.model_dump()).execute(self._db)

    def get(self, interaction_id: str) -> Interaction:
        """Return an interaction. Raises ``NotFound``."""
        found = self._where(Interactions.id == interaction_id)
        if not found:
            raise NotFound("This request no longer exists.", params={"interaction": interaction_id})
        return found[0]

    def pending(self, session_id: str | None = None) -> list[Interaction]:
        """Return what waits for the user, in order, in one session or (None) in all."""
        waits = Interactions.status == "pending"
        return self._where(waits if session_id is None else waits & (Interactions.session_id == session_id))

    def of_call(self, call_id: str) -> Interaction | None:
        """Return the newest interaction about a call, or None."""
        found = self._where(Interactions.call_id == call_id, Interactions.n)
        return found[-1] if found else None

    def settle(self, interaction_id: str, status: str, scope: Scope | None, why: str, at: int) -> Interaction | None:
        """Answer a pending interaction; None means that it was not pending any more, and nothing changed.

        ``status`` is ``allowed``, ``denied`` or ``void``; ``at`` is ms since 1970. Raises ``NotFound``.
        """
        changed = (
            Interactions.update(status=status, scope=scope, why=why, answered_at=at)
            .where((Interactions.id == interaction_id) & (Interactions.status == "pending"))
            .execute(self._db)
        )
        settled = self.get(interaction_id)
        return settled if changed else None

    def void_message(self, message_id: str, at: int) -> int:
        """Void what still waits in a message; return how many that were. ``at`` is ms since 1970."""
        return int(
            Interactions.update(status="void", answered_at=at)
            .where((Interactions.message_id == message_id) & (Interactions.status == "pending"))
            .execute(self._db)
        )

    def consume(self, interaction_id: str, at: int) -> bool:
        """Use an answer up: True the first time it is asked of an allowed or denied one, False ever after."""
        return bool(
            Interactions.update(consumed_at=at)
            .where(
                (Interactions.id == interaction_id)
                & Interactions.status.in_(("allowed", "denied"))
                & Interactions.consumed_at.is_null()
            )
            .execute(self._db)
        )

    def lock(self, session_id: str, message_id: str, owner: str) -> bool:
        """Take the right to resume a message; False when anybody, the same owner included, holds it."""
        mine = (ResumeLocks.session_id == session_id) & (ResumeLocks.message_id == message_id)
        if ResumeLocks.select().where(mine).exists(self._db):
            return False
        ResumeLocks.insert(session_id=session_id, message_id=message_id, owner=owner).execute(self._db)
        return True

    def unlock(self, session_id: str, message_id: str, owner: str) -> None:
        """Give the right to resume back; a lock of another owner stays."""
        ResumeLocks.delete().where(
            (ResumeLocks.session_id == session_id)
            & (ResumeLocks.message_id == message_id)
            & (ResumeLocks.owner == owner)
        ).execute(self._db)

    def forget_locks(self) -> None:
        """Drop all resume locks: at start, whoever held them is dead."""
        if ResumeLocks.select().exists(self._db):
            ResumeLocks.delete().execute(self._db)

    def _where(self, condition: Any, *order: Any) -> list[Interaction]:
        order = order or (Interactions.order, Interactions.n)
        rows = Interactions.select(*_FIELDS).where(condition).order_by(*order).dicts()
        return [build(Interaction, row) for row in rows.execute(self._db)]
