"""Finding messages by what they say: any substring, Chinese and English alike.

Three characters and more go through the trigram index, fewer scan the texts: SQLite's trigram index never matches a
shorter query and LIKE on it finds nothing. Case is folded (ASCII only for the scan). Newest first.
"""

import re
from typing import Any

from pydantic import Field

from deepchat_desktop.domain.base import Value
from deepchat_desktop.services.store.tables import Sessions
from deepchat_desktop.services.store.text import escape, unescape

_TRIGRAM = 3
_BEFORE, _LENGTH = 40, 160
_FOUND = """
SELECT m.session_id, s.title, m.id, t.text
FROM {source} JOIN messages m ON m.n = t.n JOIN sessions s ON s.id = m.session_id
WHERE {condition} ORDER BY t.n DESC LIMIT ?
"""
_BY_INDEX = _FOUND.format(
    source="message_search f JOIN message_texts t ON t.n = f.rowid", condition="f.message_search MATCH ?"
).replace("t.n DESC", "f.rowid DESC")
_BY_SCAN = _FOUND.format(source="message_texts t", condition="t.text LIKE ? ESCAPE '\\'")


class SearchHit(Value):
    """A place where the words were found. ``message_id`` is None when they stand in the session's title."""

    session_id: str
    title: str
    message_id: str | None = None
    snippet: str = Field(default="")


def search(db: Any, query: str, limit: int) -> list[SearchHit]:
    """Return at most ``limit`` hits: sessions by title first, then messages; newest first in both."""
    query = query.strip()
    if not query or limit <= 0:
        return []
    hits = _titles(db, query)[:limit]
    wanted = escape(query)
    if len(wanted) >= _TRIGRAM:
        sql, pattern = _BY_INDEX, '"' + wanted.replace('"', '""') + '"'
    else:
        sql, pattern = _BY_SCAN, "%" + re.sub(r"([\\%_])", r"\\\1", wanted) + "%"
    for session_id, title, message_id, text in db.execute_sql(sql, (pattern, limit - len(hits))):
        hits.append(
            SearchHit(
                session_id=unescape(session_id),
                title=unescape(title),
                message_id=unescape(message_id),
                snippet=snippet(unescape(text), query),
            )
        )
    return hits


def snippet(text: str, query: str) -> str:
    """Return one line of at most about 160 characters around the first place of ``query`` in ``text``."""
    found = re.search(re.escape(query), text, re.IGNORECASE)
    start = max(0, (found.start() if found else 0) - _BEFORE)
    part = " ".join(text[start : start + _LENGTH].split())
    return ("…" if start else "") + part + ("…" if start + _LENGTH < len(text) else "")


def _titles(db: Any, query: str) -> list[SearchHit]:
    folded = query.casefold()
    rows = Sessions.select(Sessions.id, Sessions.title).order_by(Sessions.updated_at.desc()).tuples().execute(db)
    return [
        SearchHit(session_id=session_id, title=title, snippet=title)
        for session_id, title in rows
        if folded in title.casefold()
    ]
