"""What the user allowed for the rest of a session."""

from typing import Any

from deepchat_desktop.domain.permission import Grant
from deepchat_desktop.services.store.tables import Grants
from deepchat_desktop.services.store.text import build


class GrantRows:
    """The grants. The same grant given twice is one row."""

    def __init__(self, db: Any) -> None:
        self._db = db

    def add(self, grant: Grant) -> None:
        """Keep a grant. Raises ``NotFound`` when its session is gone."""
        Grants.insert(**grant.model_dump()).on_conflict(
            conflict_target=[Grants.session_id, Grants.server, Grants.root, Grants.level], action="nothing"
        ).execute(self._db)

    def of_session(self, session_id: str) -> list[Grant]:
        """Return a session's grants in the order in which they were given."""
        fields = [getattr(Grants, name) for name in Grant.model_fields]
        rows = Grants.select(*fields).where(Grants.session_id == session_id).order_by(Grants.n).dicts()
        return [build(Grant, row) for row in rows.execute(self._db)]
