"""What the user typed and did not send yet. The empty session id stands for the new conversation."""

from typing import Any

from deepchat_desktop.services.store.tables import Drafts


class DraftRows:
    """The drafts."""

    def __init__(self, db: Any) -> None:
        self._db = db

    def get(self, session_id: str) -> str:
        """Return a session's draft, empty when there is none."""
        text = Drafts.select(Drafts.text).where(Drafts.session_id == session_id).scalar(self._db)
        return "" if text is None else str(text)

    def set(self, session_id: str, text: str, at: int) -> None:
        """Keep a session's draft; an empty text removes it. ``at`` is ms since 1970."""
        if text:
            Drafts.insert(session_id=session_id, text=text, updated_at=at).on_conflict_replace().execute(self._db)
        else:
            Drafts.delete().where(Drafts.session_id == session_id).execute(self._db)
