"""What a job gets: the repositories, all on one transaction.

Invariant: a ``Tx`` is used only inside the job it was handed to; outside there is no transaction.
"""

from pathlib import Path
from typing import Any

from deepchat_desktop.services.store.attachments import AttachmentRows
from deepchat_desktop.services.store.drafts import DraftRows
from deepchat_desktop.services.store.grants import GrantRows
from deepchat_desktop.services.store.interactions import InteractionRows
from deepchat_desktop.services.store.journal import JournalRows
from deepchat_desktop.services.store.messages import MessageRows
from deepchat_desktop.services.store.sessions import SessionRows
from deepchat_desktop.services.store.tape_log import TapeRows


class Tx:
    """One transaction's view of the database."""

    def __init__(self, db: Any, attachments: Path) -> None:
        self.attachments = AttachmentRows(db, attachments, self._note_gone)
        self.sessions = SessionRows(db, self.attachments, self._note_erased)
        self.messages = MessageRows(db, self._note_erased)
        self.tape = TapeRows(db, self._note_erased)
        self.journal = JournalRows(db)
        self.interactions = InteractionRows(db)
        self.drafts = DraftRows(db)
        self.grants = GrantRows(db)
        self.erased = False
        """Whether the job removed something that must not stay in the write-ahead log."""

        self.files_gone = False
        """Whether an attached file lost its row."""

    def _note_gone(self) -> None:
        self.files_gone = True

    def _note_erased(self) -> None:
        self.erased = True
