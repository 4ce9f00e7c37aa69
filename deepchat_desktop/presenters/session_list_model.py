"""The session list as Qt's views read it: group heads and sessions as rows, changed row by row.

Order: pinned first, then by last change, newest first. A change moves, inserts or removes rows and never
resets the model, so that selection, scroll position and an open editor stay. While ``show_hits`` is on, the
rows are the hits of a search; the sessions go on being kept underneath.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from html import escape
from typing import Any

from PySide6.QtCore import (
    QT_TRANSLATE_NOOP,
    QAbstractListModel,
    QCoreApplication,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTime,
)

from deepchat_desktop.domain.messages import Session
from deepchat_desktop.domain.visible_text import visible_exact

Index = QModelIndex | QPersistentModelIndex
_PINNED = str(QT_TRANSLATE_NOOP("SessionList", "Pinned"))
_TODAY = str(QT_TRANSLATE_NOOP("SessionList", "Today"))
_YESTERDAY = str(QT_TRANSLATE_NOOP("SessionList", "Yesterday"))
_WEEK = str(QT_TRANSLATE_NOOP("SessionList", "Previous 7 days"))
_OLDER = str(QT_TRANSLATE_NOOP("SessionList", "Older"))
_FOUND = str(QT_TRANSLATE_NOOP("SessionList", "Found"))
_NOTHING = str(QT_TRANSLATE_NOOP("SessionList", "Nothing found"))
_HEAD = "head:"
LONGEST_TITLE = 200
"""Characters of a title that a list shows at most."""


_Role = Qt.ItemDataRole


class SessionRole(IntEnum):
    """What a row can be asked for."""

    KIND = Qt.ItemDataRole.UserRole + 1
    """``head`` or ``session``."""
    ID = Qt.ItemDataRole.UserRole + 2
    TITLE = Qt.ItemDataRole.UserRole + 3
    MARK = Qt.ItemDataRole.UserRole + 4
    """``waiting``, ``running``, ``unread`` or empty: one only, in this order."""
    TIME = Qt.ItemDataRole.UserRole + 5
    """When it last changed, as short as the row allows; empty before today."""
    GROUP = Qt.ItemDataRole.UserRole + 6
    PINNED = Qt.ItemDataRole.UserRole + 7
    SNIPPET = Qt.ItemDataRole.UserRole + 8
    """Where a search found the words; empty outside a search."""


@dataclass(frozen=True)
class SearchRow:
    """One hit of a search over sessions and messages."""

    session_id: str
    snippet: str = ""
    title: str = ""
    """Needed only for a session that is older than the list reaches."""


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _words(group: str) -> str:
    return QCoreApplication.translate("SessionList", group)


class SessionListModel(QAbstractListModel):
    """Sessions grouped by Pinned, Today, Yesterday, Previous 7 days and Older."""

    def __init__(self, parent: QObject | None = None, now: Callable[[], int] = _now_ms) -> None:
        """``now`` gives ms since 1970; groups follow its local day."""
        super().__init__(parent)
        self._now = now
        self._sessions: dict[str, Session] = {}
        self._hits: dict[str, SearchRow] | None = None
        self._keys: list[str] = []

    # -- what the presenter says

    def set_sessions(self, sessions: Iterable[Session]) -> None:
        """Take the whole list."""
        self._sessions = {session.id: session for session in sessions}
        self._sync()
        self._touch_all()

    def apply(self, session: Session) -> None:
        """Add a session, or take its new state."""
        self._sessions[session.id] = session
        self._sync()
        if session.id in self._keys:
            at = self.index(self._keys.index(session.id))
            self.dataChanged.emit(at, at)

    def remove(self, session_id: str) -> None:
        """Forget a session."""
        self._sessions.pop(session_id, None)
        if self._hits is not None:
            self._hits.pop(session_id, None)
        self._sync()

    def show_hits(self, hits: Sequence[SearchRow] | None) -> None:
        """Show the hits of a search, best first, one row a session; None goes back to all sessions."""
        if hits is None:
            self._hits = None
        else:
            self._hits = {}
            for hit in hits:
                self._hits.setdefault(hit.session_id, hit)
        self._sync()
        self._touch_all()

    def refresh_days(self) -> None:
        """Group anew; call it after midnight or a long sleep."""
        self._sync()
        self._touch_all()

    # -- what views ask

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._keys)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        if self._keys[index.row()].startswith(_HEAD):
            return Qt.ItemFlag.ItemIsEnabled
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        key = self._keys[index.row()]
        if key.startswith(_HEAD):
            return self._head_data(key.removeprefix(_HEAD), role)
        return self._session_data(key, role)

    def id_at(self, row: int) -> str | None:
        """Return the session of a row, or None for a head or no row."""
        if not 0 <= row < len(self._keys) or self._keys[row].startswith(_HEAD):
            return None
        return self._keys[row]

    def row_of(self, session_id: str) -> int:
        """Return a session's row, or -1."""
        return self._keys.index(session_id) if session_id in self._keys else -1

    def session(self, session_id: str) -> Session | None:
        """Return a session by its id."""
        return self._sessions.get(session_id)

    def shown_title(self, session_id: str) -> str:
        """Return the title as lists show it: what has no ink, and piles of marks, are written out."""
        return visible_exact(self.title(session_id)[:LONGEST_TITLE], multiline=False)

    def title(self, session_id: str) -> str:
        """Return the title a session is shown with."""
        session = self._sessions.get(session_id)
        if session is not None and session.title:
            return session.title
        hit = (self._hits or {}).get(session_id)
        return hit.title if hit is not None and hit.title else self.tr("New session")

    def sessions(self) -> list[Session]:
        """Return all sessions, the one that changed last first."""
        return sorted(self._sessions.values(), key=lambda session: session.updated_at, reverse=True)

    def session_count(self) -> int:
        """Return how many sessions there are, shown or not."""
        return len(self._sessions)

    def any_running(self) -> bool:
        """Tell whether a row shows the running mark."""
        return any(session.status == "generating" for session in self._sessions.values())

    # -- inside

    def _head_data(self, group: str, role: int) -> Any:
        match role:
            case SessionRole.KIND:
                return "head"
            case SessionRole.TITLE | SessionRole.GROUP | _Role.DisplayRole | _Role.AccessibleTextRole:
                return _words(group)
            case _:
                return None

    def _session_data(self, key: str, role: int) -> Any:
        session = self._sessions.get(key)
        match role:
            case SessionRole.KIND:
                return "session"
            case SessionRole.ID:
                return key
            case SessionRole.TITLE | _Role.DisplayRole:
                return self.shown_title(key)
            case _Role.EditRole:
                return self.title(key)
            case _Role.ToolTipRole:
                return f"<span>{escape(self.shown_title(key))}</span>"  # a tool tip would read tags in a title
            case SessionRole.SNIPPET:
                return self._hits[key].snippet if self._hits and key in self._hits else ""
            case _Role.AccessibleTextRole:
                return self._spoken(key, session)
            case _:
                return self._state_data(session, role) if session else None

    def _state_data(self, session: Session, role: int) -> Any:
        match role:
            case SessionRole.MARK:
                return _mark(session)
            case SessionRole.TIME:
                return self._time_text(session)
            case SessionRole.GROUP:
                return _words(self._group(session))
            case SessionRole.PINNED:
                return session.pinned
            case _:
                return None

    def _spoken(self, key: str, session: Session | None) -> str:
        mark = _mark(session) if session else ""
        words = {"waiting": self.tr("waiting for you"), "running": self.tr("running"), "unread": self.tr("unread")}
        parts = [self.shown_title(key), words.get(mark, ""), self._time_text(session) if session else ""]
        return ", ".join(part for part in parts if part)

    def _time_text(self, session: Session) -> str:
        if self._day_distance(session) != 0:
            return ""
        when = datetime.fromtimestamp(session.updated_at / 1000)
        shape = QLocale().timeFormat(QLocale.FormatType.ShortFormat).replace(":ss", "")
        return QLocale().toString(QTime(when.hour, when.minute), shape)

    def _day_distance(self, session: Session) -> int:
        today = datetime.fromtimestamp(self._now() / 1000).date()
        return (today - datetime.fromtimestamp(session.updated_at / 1000).date()).days

    def _group(self, session: Session) -> str:
        if session.pinned:
            return _PINNED
        days = self._day_distance(session)
        if days <= 0:
            return _TODAY
        if days == 1:
            return _YESTERDAY
        return _WEEK if days <= 7 else _OLDER

    def _wanted(self) -> list[str]:
        """Return the rows as they should be now."""
        if self._hits is not None:
            return [_HEAD + (_FOUND if self._hits else _NOTHING), *self._hits]
        order = sorted(self._sessions.values(), key=lambda s: (not s.pinned, -s.updated_at, s.id))
        rows: list[str] = []
        group = ""
        for session in order:
            if (its := self._group(session)) != group:
                group = its
                rows.append(_HEAD + group)
            rows.append(session.id)
        return rows

    def _sync(self) -> None:
        """Bring the rows to what is wanted by single removals, moves and insertions."""
        wanted = self._wanted()
        keep = set(wanted)
        for row in range(len(self._keys) - 1, -1, -1):
            if self._keys[row] not in keep:
                self.beginRemoveRows(QModelIndex(), row, row)
                del self._keys[row]
                self.endRemoveRows()
        present = set(self._keys)
        for row, key in enumerate(wanted):
            if row < len(self._keys) and self._keys[row] == key:
                continue
            if key in present:
                self._move(self._keys.index(key, row), row)
            else:
                self.beginInsertRows(QModelIndex(), row, row)
                self._keys.insert(row, key)
                self.endInsertRows()

    def _move(self, source: int, target: int) -> None:
        """Move a row up; ``source`` is always below ``target``."""
        self.beginMoveRows(QModelIndex(), source, source, QModelIndex(), target)
        self._keys.insert(target, self._keys.pop(source))
        self.endMoveRows()

    def _touch_all(self) -> None:
        if self._keys:
            self.dataChanged.emit(self.index(0), self.index(len(self._keys) - 1))


def _mark(session: Session) -> str:
    if session.status == "waiting":
        return "waiting"
    if session.status == "generating":
        return "running"
    return "unread" if session.unread else ""
