"""What the user attached: one row for each file in the folder ``attachments``, of a draft or of a sent message."""

from typing import Any

ATTACHMENTS = """
CREATE TABLE attachments (
  n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, session_id TEXT NOT NULL, draft INTEGER NOT NULL,
  name TEXT NOT NULL, media_type TEXT NOT NULL, created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX attachments_of_session ON attachments (session_id, draft);
"""


def up(db: Any) -> None:
    """Add the table."""
    db.execute_sql(ATTACHMENTS)
