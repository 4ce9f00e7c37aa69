"""A verified copy of the database, made before a migration touches it (REL-4).

Invariants: what stands in ``backups/`` under its final name is whole and was checked; it is one file, without a log.
"""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw

from deepchat_desktop.services.store.errors import corrupt
from deepchat_desktop.services.store.files import private_file, private_folder, settle_folder


def back_up(db: Any, folder: Path, *, version: int) -> Path:
    """Copy the open database into ``folder`` and return the file. Raises ``StoreCorrupt`` when the copy is unsound."""
    private_folder(folder)
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    final = folder / f"deepchat-v{version}-{stamp}.db"
    part = final.with_suffix(".part")
    private_file(part)
    try:
        _copy(db.connection(), part)
        part.replace(final)
    finally:
        part.unlink(missing_ok=True)
    settle_folder(folder)
    return final


def _copy(source: apsw.Connection, part: Path) -> None:
    target = apsw.Connection(os.fspath(part))
    try:
        with target.backup("main", source, "main") as copying:
            copying.step(-1)
        target.execute("PRAGMA journal_mode=DELETE").fetchall()
        verdict = target.execute("PRAGMA integrity_check(1)").fetchall()
    finally:
        target.close()
    if verdict != [("ok",)]:
        raise corrupt(Path(source.filename), "its copy does not pass the integrity check")
