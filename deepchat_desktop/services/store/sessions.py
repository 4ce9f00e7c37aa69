"""Sessions on disk. Deleting one removes everything that was said in it (REL-8)."""

from collections.abc import Callable
from typing import Any

from peewee import fn

from deepchat_desktop.domain.errors import NotFound
from deepchat_desktop.domain.messages import Session
from deepchat_desktop.services.store.attachments import AttachmentRows
from deepchat_desktop.services.store.purge import purge_session
from deepchat_desktop.services.store.search import SearchHit, search
from deepchat_desktop.services.store.tables import Drafts, Messages, Sessions
from deepchat_desktop.services.store.text import build

_FIELDS = [getattr(Sessions, name) for name in Session.model_fields if name != "messages"]
Hits = list[SearchHit]  # named here, because the class has a method called list


class SessionRows:
    """The sessions. ``erased`` is told when something was removed for good."""

    def __init__(self, db: Any, attachments: AttachmentRows, erased: Callable[[], None]) -> None:
        self._db = db
        self._attachments = attachments
        self._erased = erased

    def add(self, session: Session) -> None:
        """Keep a new session. Raises ``StoreError`` (code ``conflict``) when the id is taken."""
        Sessions.insert(**session.model_dump(exclude={"messages"})).execute(self._db)

    def get(self, session_id: str) -> Session:
        """Return a session; ``messages`` is not filled in. Raises ``NotFound``."""
        row = Sessions.select(*_FIELDS).where(Sessions.id == session_id).dicts().first(self._db)
        if row is None:
            raise _missing(session_id)
        return build(Session, row)

    def list(self, limit: int = 500) -> list[Session]:
        """Return the sessions, pinned ones first, then by their last change; ``messages`` is filled in."""
        count = Messages.select(fn.count(Messages.n)).where(Messages.session_id == Sessions.id)
        rows = (
            Sessions.select(*_FIELDS, count.alias("messages"))
            .order_by(Sessions.pinned.desc(), Sessions.updated_at.desc(), Sessions.id.desc())
            .limit(limit)
            .dicts()
        )
        return [build(Session, row) for row in rows.execute(self._db)]

    def save(self, session: Session) -> None:
        """Bring a session to the given state. Raises ``NotFound``."""
        fields = session.model_dump(exclude={"id", "messages"})
        if not Sessions.update(**fields).where(Sessions.id == session.id).execute(self._db):
            raise _missing(session.id)

    def delete(self, session_id: str) -> None:
        """Remove a session with all that belongs to it, attachments included. Raises ``NotFound``."""
        purge_session(self._db, session_id)
        Drafts.delete().where(Drafts.session_id == session_id).execute(self._db)
        self._attachments.remove_session(session_id)
        if not Sessions.delete().where(Sessions.id == session_id).execute(self._db):
            raise _missing(session_id)
        self._erased()

    def search(self, query: str, limit: int = 50) -> Hits:
        """Return where the words are found: titles first, then messages, newest first."""
        return search(self._db, query, limit)


def _missing(session_id: str) -> NotFound:
    return NotFound("This session no longer exists.", params={"session": session_id})
