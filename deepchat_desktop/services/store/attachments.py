"""Attached files on disk: a row here, the bytes in ``attachments/<id>``, readable by their owner alone.

Invariants: bytes are on the disk before their row is; a row that goes takes its file along, after the commit or, when
that was cut short, at the next start (``sweep``). All of it runs on the store's thread, so no sweep meets a file that
waits for its row. The empty session id stands for the new conversation.
"""

import base64
import logging
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from deepchat_desktop.domain.attachments import Attached, AttachedBlock, file_block
from deepchat_desktop.domain.blocks import ImageBlock
from deepchat_desktop.services.store.errors import explain
from deepchat_desktop.services.store.files import FILE_MODE, private_folder, settle_folder
from deepchat_desktop.services.store.tables import Attachments

FOLDER = "attachments"
_log = logging.getLogger(__name__)


class AttachmentRows:
    """The attachments. ``gone`` is told when a file lost its row."""

    def __init__(self, db: Any, folder: Path, gone: Callable[[], None]) -> None:
        self._db = db
        self._folder = folder
        self._gone = gone

    def add(self, session_id: str, attached: Attached, data: bytes, at: int) -> None:
        """Keep an attachment of a session's draft. Raises ``StoreError`` when there is no room for it."""
        media_type = attached.block.media_type if isinstance(attached.block, ImageBlock) else "text/plain"
        try:
            private_folder(self._folder)
            _write(self._folder / attached.id, data)
            settle_folder(self._folder)
        except OSError as error:
            self._gone()
            raise explain(error, self._folder) from error
        Attachments.insert(
            id=attached.id,
            session_id=session_id,
            draft=True,
            name=attached.block.name,
            media_type=media_type,
            created_at=at,
        ).execute(self._db)

    def drafted(self, session_id: str) -> list[Attached]:
        """Return what is attached to a session's draft, oldest first; what cannot be read is left out."""
        rows = (
            Attachments.select()
            .where((Attachments.session_id == session_id) & Attachments.draft)
            .order_by(Attachments.n)
            .dicts()
        )
        found = [self._read(row) for row in rows.execute(self._db)]
        return [attached for attached in found if attached is not None]

    def keep(self, ids: Sequence[str], session_id: str, *, draft: bool) -> None:
        """Give attachments to a session, as its draft's or as a message's."""
        Attachments.update(session_id=session_id, draft=draft).where(Attachments.id.in_(ids)).execute(self._db)

    def remove(self, ids: Sequence[str]) -> None:
        """Remove attachments; their files go after the commit."""
        if Attachments.delete().where(Attachments.id.in_(ids)).execute(self._db):
            self._gone()

    def remove_session(self, session_id: str) -> None:
        """Remove all that was attached in a session."""
        if Attachments.delete().where(Attachments.session_id == session_id).execute(self._db):
            self._gone()

    def _read(self, row: dict[str, Any]) -> Attached | None:
        try:
            data = (self._folder / row["id"]).read_bytes()
        except OSError as error:
            _log.info("an attachment of a draft cannot be read: %s", type(error).__name__)
            return None
        block: AttachedBlock
        if row["media_type"] == "text/plain":
            block = file_block(row["name"], data.decode("utf-8", "surrogatepass"), len(data), row["id"])
        else:
            encoded = base64.b64encode(data).decode("ascii")
            block = ImageBlock(media_type=row["media_type"], data=encoded, name=row["name"])
        return Attached(id=row["id"], block=block)


def sweep(db: Any, folder: Path) -> None:
    """Delete the files that no row names. What cannot be deleted now is tried again at the next start."""
    if not folder.is_dir():
        return
    known = {row[0] for row in Attachments.select(Attachments.id).tuples().execute(db)}
    for path in folder.iterdir():
        if path.name not in known:
            try:
                path.unlink()
            except OSError as error:
                _log.info("a removed attachment is still there: %s", type(error).__name__)


def _write(path: Path, data: bytes) -> None:
    # An attempt that failed, or was rolled back, may have left a part of it.
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), FILE_MODE)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
