"""Making deletion final: no byte of what was deleted stays in the file or its log (REL-8).

Invariants: the commit that deletes also notes that the file is to be cleaned, so a death in between is made up for at
the next start; cleaning never undoes or fails a commit. ``secure_delete`` alone is not enough: pages that SQLite
rearranged keep old copies in their gaps, and the search index keeps deleted words until it is merged. Cost: one to
three seconds per 100 MB.
"""

import logging
from typing import Any

from deepchat_desktop.services.store.db import BUSY_MS, DATABASE_ERRORS

_log = logging.getLogger(__name__)


def note_erasure(db: Any) -> None:
    """Note, inside the deleting transaction, that the file is to be cleaned."""
    db.execute_sql("INSERT OR IGNORE INTO erasure_due (n) VALUES (1)")


def erasure_due(db: Any) -> bool:
    """Tell whether a cleaning was noted and not finished."""
    return db.execute_sql("SELECT 1 FROM erasure_due").fetchone() is not None


def scrub(db: Any) -> bool:
    """Clean the file and empty its log; return whether the log could not be emptied yet.

    When there is no room for it the note stays, and the next deletion or start tries again.
    """
    try:
        db.execute_sql("INSERT INTO message_search (message_search) VALUES ('optimize')")
        db.execute_sql("VACUUM")
    except DATABASE_ERRORS as error:
        _log.info("cleaning the file is put off: %s", type(error).__name__)
        return False
    return empty_log(db)


def empty_log(db: Any) -> bool:
    """Move the log into the file and cut it to nothing; return whether a reader was in the way."""
    db.execute_sql("PRAGMA busy_timeout=0")
    try:
        if db.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            return True
        db.execute_sql("DELETE FROM erasure_due")
    except DATABASE_ERRORS as error:
        _log.info("emptying the log is put off: %s", type(error).__name__)
        return True
    finally:
        db.execute_sql(f"PRAGMA busy_timeout={BUSY_MS}")
    return False
