"""Sessions for the window: the list, the open one, drafts, search."""

import contextlib
from collections.abc import Coroutine
from typing import Any

from PySide6.QtCore import QObject, Signal

from deepchat_desktop.core import Core
from deepchat_desktop.domain.blocks import Blocks
from deepchat_desktop.domain.errors import NotFound
from deepchat_desktop.domain.events import (
    MessageAdded,
    MessageFinished,
    RuntimeEvent,
    SessionChanged,
    SessionDeleted,
)
from deepchat_desktop.domain.messages import Message, Session
from deepchat_desktop.presenters.attachments import AttachmentPresenter
from deepchat_desktop.presenters.bridge import EventBridge
from deepchat_desktop.presenters.guarded import guarded
from deepchat_desktop.presenters.message_list_model import MessageListModel
from deepchat_desktop.presenters.session_list_model import SearchRow, SessionListModel
from deepchat_desktop.services.clock import now_ms
from deepchat_desktop.services.store import StoredMessages, Tx


class SessionPresenter(QObject):
    """Knows which session is open. The empty id is a new session that has no message yet."""

    current_changed = Signal(str)
    notice = Signal(str, str)

    def __init__(
        self, core: Core, messages: MessageListModel, bridge: EventBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._core = core
        self._messages = messages
        self._bridge = bridge
        self._current = ""
        self._wanted = ""
        self._drafts: dict[str, str] = {}
        self._sending: set[str] = set()
        self._query = ""
        self.model = SessionListModel(self)
        self.attachments = AttachmentPresenter(core, self)
        self.attachments.refused.connect(self._tell_elsewhere)

    def load(self, sessions: list[Session], drafts: dict[str, str]) -> None:
        """Take what the store holds at start-up."""
        self.model.set_sessions(sessions)
        self._drafts = dict(drafts)

    def current_id(self) -> str:
        """Return the open session's id, "" for a new one."""
        return self._current

    def current(self) -> Session | None:
        """Return the open session."""
        return self.model.session(self._current) if self._current else None

    def new_session(self) -> None:
        """Show an empty session; it is created with its first message."""
        self.show("", [])

    def open(self, session_id: str) -> None:
        """Open a session by its id."""
        if not session_id:
            self.new_session()
        else:
            self._wanted = session_id
            self._do(self._open(session_id), f"open {session_id}")

    def expect(self, session_id: str) -> None:
        """Take a session as the open one before its messages are read, so that the window begins with it."""
        self._current = self._wanted = session_id
        self._messages.load([], session_id)

    def show(
        self, session_id: str, messages: list[Message] | StoredMessages, live: Message | None = None
    ) -> None:
        """Make a session the open one with its messages at hand; of the one that is being written, ``live`` is it."""
        self._current = self._wanted = session_id
        self._messages.load(messages, session_id, live)
        self.current_changed.emit(session_id)

    def adopt(self, session: Session) -> None:
        """Make a session that was just created for the open draft the open one."""
        self.model.apply(session)
        self.show(session.id, [])

    def rename(self, session_id: str, title: str) -> None:
        """Name a session; the user's title stays."""
        if title.strip():
            changes = {"title": title.strip(), "title_by_user": True}
            self._do(self._core.runtime.change_session(session_id, **changes), "rename session")

    def set_pinned(self, session_id: str, pinned: bool) -> None:
        """Pin a session to the top of the list, or let it go."""
        self._do(self._core.runtime.change_session(session_id, pinned=pinned), "pin session")

    def delete(self, session_id: str) -> None:
        """Stop and delete a session with everything it holds."""
        self._do(self._core.runtime.delete_session(session_id), "delete session")

    def search(self, text: str) -> None:
        """Show sessions whose title or text has ``text``; all when it is empty."""
        self._query = text.strip()
        if not self._query:
            self.model.show_hits(None)
        else:
            self._do(self._search(self._query), "search")

    def draft(self, session_id: str) -> str:
        """Return what was typed and not sent."""
        return self._drafts.get(session_id, "")

    def last_sent(self) -> Blocks:
        """Return what the user sent last in the open session, nothing without one."""
        for row in reversed(range(self._messages.count())):
            if (message := self._messages.message(row)).role == "user":
                return tuple(message.blocks)
        return ()

    def save_draft(self, session_id: str, text: str) -> None:
        """Keep what is typed, over a restart too."""
        if self._drafts.get(session_id, "") == text:
            return
        self._drafts[session_id] = text
        if text or session_id not in self._sending:
            self._do(self._core.store.write(lambda tx: tx.drafts.set(session_id, text, now_ms())), "save draft")

    def hold_draft(self, session_id: str) -> None:
        """Keep the stored draft while its text is being sent: it goes in the commit that stores the message."""
        self._sending.add(session_id)

    def release_draft(self, session_id: str) -> None:
        """The text was stored as a message, or was refused."""
        self._sending.discard(session_id)

    def drafts_to_save(self) -> dict[str, str]:
        """Return every draft, for the last write before the window closes."""
        return dict(self._drafts)

    def on_event(self, event: RuntimeEvent) -> None:
        """Follow the runtime."""
        match event:
            case SessionChanged():
                self.model.apply(event.session)
            case SessionDeleted():
                self._drafts.pop(event.session_id, None)
                self.attachments.forget(event.session_id)
                self.model.remove(event.session_id)
                if event.session_id == self._current:
                    self.new_session()
            case MessageAdded() if event.message.role == "user":
                # Stored: what is typed from now on is another draft, and so is emptying it.
                self._sending -= {event.session_id, ""}
            case MessageFinished() if event.session_id != self._current:
                self._do(self._mark_unread(event.session_id), "mark unread")
            case _:
                pass

    def _tell_elsewhere(self, session_id: str, words: str) -> None:
        """Tell in the window what was not attached to a draft that is not open; the composer tells of its own."""
        if session_id != self._current:
            self.notice.emit("attachment", words)

    async def _open(self, session_id: str) -> None:
        def load(tx: Tx) -> tuple[StoredMessages, Session]:
            return tx.messages.stored(session_id), tx.sessions.get(session_id)

        messages, session = await self._core.store.read(load)
        # The store lacks the last words of an answer that is being written. They were told already, and some of them
        # may still wait in the bridge: so the messages are shown in their place among the events.
        live = self._core.runtime.live_message(session_id)
        self._bridge.in_order(lambda: self._show_loaded(session_id, messages, live))
        if session.unread:
            await self._core.runtime.change_session(session_id, unread=False)

    def _show_loaded(self, session_id: str, messages: StoredMessages, live: Message | None) -> None:
        """Show what was asked for, unless something else was asked for since."""
        if self._wanted == session_id:
            self.show(session_id, messages, live)

    async def _mark_unread(self, session_id: str) -> None:
        with contextlib.suppress(NotFound):  # its run ended because it was deleted
            await self._core.runtime.change_session(session_id, unread=True)

    async def _search(self, query: str) -> None:
        hits = await self._core.store.read(lambda tx: tx.sessions.search(query))
        if query == self._query:
            self.model.show_hits([SearchRow(hit.session_id, hit.snippet) for hit in hits])

    def _do(self, work: Coroutine[Any, Any, object], name: str) -> None:
        self._core.tasks.start(guarded(work, self.notice.emit), name)
