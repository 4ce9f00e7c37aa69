"""What is attached to the drafts: read off the event loop, kept in the store, given to the message that takes it.

Invariants: what was attached is shown only once it can be sent; nothing is dropped because the disk failed: it stays
here, is told of, and is written with the next attempt. The empty session id stands for the new conversation.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal

from deepchat_desktop.core import Core
from deepchat_desktop.domain.attachments import Attached
from deepchat_desktop.domain.blocks import text_of
from deepchat_desktop.domain.errors import DeepChatError, StoreError
from deepchat_desktop.domain.messages import Message
from deepchat_desktop.presenters.guarded import guarded
from deepchat_desktop.presenters.words import words_of
from deepchat_desktop.services.attached_files import AttachmentRefused, Read, read_file, read_picture, read_text
from deepchat_desktop.services.clock import now_ms
from deepchat_desktop.services.store import Tx

MOST = 20
"""Attachments of one message."""


class AttachmentPresenter(QObject):
    """The attachments of every draft."""

    changed = Signal(str)
    """The session whose draft has others now, or is done reading."""
    refused = Signal(str, str)
    """The session and why something was not attached, in the user's words."""

    def __init__(self, core: Core, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._core = core
        self._drafts: dict[str, list[Attached]] = {}
        self._reading: dict[str, int] = {}
        self._loaded: set[str] = set()
        self._loading: set[str] = set()
        self._unstored: dict[str, tuple[str, Attached, bytes]] = {}

    def of(self, session_id: str) -> list[Attached]:
        """Return what is attached to a draft; ``changed`` tells when the store has brought more."""
        if session_id not in self._loaded:
            self._loaded.add(session_id)
            self._loading.add(session_id)
            self._do(self._load(session_id), "load attachments")
        return list(self._drafts.get(session_id, ()))

    def is_reading(self, session_id: str) -> bool:
        """Tell whether something that the user attached is still on its way into a draft."""
        return self._reading.get(session_id, 0) > 0

    def is_complete(self, session_id: str) -> bool:
        """Tell whether all that belongs to a draft is there, so that it can be sent."""
        return session_id not in self._loading and not self.is_reading(session_id)

    def add_files(self, session_id: str, paths: Sequence[str]) -> None:
        """Attach files, in their order."""
        self._start(session_id, [lambda path=path: read_file(path) for path in paths])  # type: ignore[misc]

    def add_picture(self, session_id: str, make: Callable[[], bytes], name: str) -> None:
        """Attach a picture; ``make`` gives its bytes on another thread."""
        self._start(session_id, [lambda: read_picture(make(), name)])

    def add_text(self, session_id: str, text: str, name: str) -> None:
        """Attach a text as a file."""
        self._start(session_id, [lambda: read_text(text, name)])

    def add_session(self, session_id: str, other: str, title: str) -> None:
        """Attach what was said in another session, as a text."""
        self._do(self._add_session(session_id, other, title), "attach session")

    def remove(self, session_id: str, key: str) -> None:
        """Take something out of a draft, for good."""
        self._drafts[session_id] = [attached for attached in self.of(session_id) if attached.id != key]
        self._unstored.pop(key, None)
        self.changed.emit(session_id)
        self._do(self._core.store.write(lambda tx: tx.attachments.remove([key])), "remove attachment")

    def take(self, session_id: str) -> list[Attached]:
        """Give what is attached to the message that is being sent."""
        taken = self.of(session_id)
        self._drafts[session_id] = []
        self.changed.emit(session_id)
        return taken

    def give_back(self, session_id: str, attached: Sequence[Attached]) -> None:
        """Take back what could not be sent; the store still has it in the draft it was taken from."""
        known = {one.id for one in self.of(session_id)}
        self._drafts[session_id] = [*(one for one in attached if one.id not in known), *self.of(session_id)]
        self.changed.emit(session_id)
        self._keep([one.id for one in attached], session_id)

    def move(self, session_id: str, to: str) -> None:
        """Bring a draft's attachments to another session's."""
        moved = self.of(session_id)
        self._drafts[session_id] = []
        self._drafts[to] = [*self.of(to), *moved]
        self._unstored = {
            key: (to if owner == session_id else owner, one, data)
            for key, (owner, one, data) in self._unstored.items()
        }
        self._keep([one.id for one in moved], to)
        self.changed.emit(to)

    def forget(self, session_id: str) -> None:
        """Let go of a session that was deleted."""
        self._drafts.pop(session_id, None)
        self._unstored = {key: entry for key, entry in self._unstored.items() if entry[0] != session_id}

    async def store_rest(self) -> None:
        """Write what the disk did not take before. Raises ``StoreError``: it still does not."""
        for key in list(self._unstored):
            # Taken out first: another attempt may begin while this one waits.
            if (entry := self._unstored.pop(key, None)) is not None:
                try:
                    await self._core.store.write(_adding(*entry))
                except StoreError:
                    self._unstored[key] = entry
                    raise

    def _keep(self, ids: list[str], session_id: str) -> None:
        if ids:
            self._do(
                self._core.store.write(lambda tx: tx.attachments.keep(ids, session_id, draft=True)), "keep attachments"
            )

    def _start(self, session_id: str, reads: list[Callable[[], Read]]) -> None:
        self._reading[session_id] = self._reading.get(session_id, 0) + 1
        self._core.tasks.start(self._add(session_id, reads), "attach")
        self.changed.emit(session_id)

    async def _add(self, session_id: str, reads: list[Callable[[], Read]]) -> None:
        try:
            for read in reads:
                try:
                    made = await asyncio.to_thread(read)
                    if len(self.of(session_id)) >= MOST:
                        words = self.tr("At most {count} attachments go with one message.").format(count=MOST)
                        self.refused.emit(session_id, words)
                        break
                    await self._add_one(session_id, made)
                except AttachmentRefused as error:
                    self.refused.emit(session_id, self._why(error))
                except StoreError as error:
                    self.refused.emit(session_id, words_of(error))
        finally:
            self._reading[session_id] -= 1
            self.changed.emit(session_id)

    async def _add_session(self, session_id: str, other: str, title: str) -> None:
        messages = await self._core.store.read(lambda tx: tx.messages.of_session(other))
        self._start(session_id, [lambda: read_text(transcript(title, messages), f"{title}.md")])

    async def _add_one(self, session_id: str, read: Read) -> None:
        attached, data = read
        self._unstored[attached.id] = (session_id, attached, data)
        self._drafts[session_id] = [*self.of(session_id), attached]
        self.changed.emit(session_id)
        await self.store_rest()

    def _why(self, error: DeepChatError) -> str:
        name, limit = error.params.get("name"), error.params.get("limit")
        match error.code:
            case "attachment_large":
                megabytes = int(str(limit)) // 1_000_000
                return self.tr("“{name}” is larger than {limit} MB.").format(name=name, limit=megabytes)
            case "attachment_binary":
                words = self.tr("“{name}” is neither text nor a PNG, JPEG, GIF or WebP picture: it is not attached.")
                return words.format(name=name)
            case _:
                return self.tr("“{name}” cannot be read.").format(name=name)

    async def _load(self, session_id: str) -> None:
        try:
            stored = await self._core.store.read(lambda tx: tx.attachments.drafted(session_id))
        finally:
            self._loading.discard(session_id)
        if stored:
            since = self._drafts.get(session_id, [])
            known = {one.id for one in since}
            self._drafts[session_id] = [*(one for one in stored if one.id not in known), *since]
            self.changed.emit(session_id)

    def _do(self, work: Coroutine[Any, Any, object], name: str) -> None:
        def tell(_code: str, words: str) -> None:
            self.refused.emit("", words)

        self._core.tasks.start(guarded(work, tell), name)


def transcript(title: str, messages: Sequence[Message]) -> str:
    """Return what was said in a session as Markdown: texts only, without reasoning and tools."""
    said = [(message.role, text_of(message.blocks).strip()) for message in messages]
    parts = [f"## {'User' if role == 'user' else 'Assistant'}\n\n{text}" for role, text in said if text]
    return "\n\n".join([f"# {title}", *parts]) + "\n"


def _adding(session_id: str, attached: Attached, data: bytes) -> Callable[[Tx], None]:
    def add(tx: Tx) -> None:
        if session_id:
            tx.sessions.get(session_id)  # it may have been deleted meanwhile
        tx.attachments.add(session_id, attached, data, now_ms())

    return add
