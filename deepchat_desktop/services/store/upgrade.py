"""Bringing a database to the newest schema, one transaction per step (REL-4).

Invariants: a database that holds something is copied and the copy checked before the first step; a step that dies
leaves the version before it.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from deepchat_desktop.services.store.backup import back_up
from deepchat_desktop.services.store.failpoints import reach
from deepchat_desktop.services.store.migrations import Migration


def version_of(db: Any) -> int:
    """Return the number of the last migration that was applied; 0 for an empty database."""
    return int(db.execute_sql("PRAGMA user_version").fetchone()[0])


def migrate(db: Any, migrations: Sequence[Migration], *, backups: Path | None) -> None:
    """Apply what is pending. ``backups`` is where the copy goes; None for a database that holds nothing yet."""
    version = version_of(db)
    pending = [step for step in migrations if step.number > version]
    if pending and backups is not None:
        back_up(db, backups, version=version)
    for step in pending:
        _apply(db, step)


def _apply(db: Any, step: Migration) -> None:
    # A rebuilt table must not cascade; the pragma does nothing inside a transaction.
    db.execute_sql("PRAGMA foreign_keys=OFF")
    db.begin("IMMEDIATE")
    try:
        step.up(db)
        _check_parents(db, step)
        db.execute_sql(f"PRAGMA user_version={step.number:d}")
        reach("commit", "before")
        db.commit()
    except BaseException:
        db.rollback()
        raise
    reach("commit", "after")
    db.execute_sql("PRAGMA foreign_keys=ON")


def _check_parents(db: Any, step: Migration) -> None:
    if db.execute_sql("PRAGMA foreign_key_check").fetchone() is not None:
        raise RuntimeError(f"migration {step.number} ({step.name}) leaves rows without their parents")
