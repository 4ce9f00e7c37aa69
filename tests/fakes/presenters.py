"""Stand-ins for the presenters with the same calls and signals, holding their data in memory.

They do at once what the real ones do over the store and the network, and note each call in ``calls``.
Feed them with domain values, or with ``RuntimeEvent`` values through ``FakePresenters.feed``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QObject, Signal

from deepchat_desktop.domain.attachments import Attached
from deepchat_desktop.domain.blocks import Blocks
from deepchat_desktop.domain.budget import Budget, plan_budget
from deepchat_desktop.domain.events import RuntimeEvent
from deepchat_desktop.domain.ids import new_id
from deepchat_desktop.domain.messages import Message, Session, SessionSettings
from deepchat_desktop.domain.settings import ModelSettings, ProviderSettings, ProxySettings, WindowState
from deepchat_desktop.presenters.check_words import CheckShown
from deepchat_desktop.presenters.message_list_model import MessageListModel
from deepchat_desktop.presenters.session_list_model import SearchRow, SessionListModel
from deepchat_desktop.services.attached_files import AttachmentRefused, read_file, read_picture, read_text

NOW = 1_764_500_000_000
"""A fixed moment, ms since 1970."""


class FakeAttachments(QObject):
    """Reads at once and keeps in memory; ``slow`` leaves what is added unread."""

    changed = Signal(str)
    refused = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Any, ...]] = []
        self.drafts: dict[str, list[Attached]] = {}
        self.slow = False
        self.reading: set[str] = set()

    def of(self, session_id: str) -> list[Attached]:
        return list(self.drafts.get(session_id, ()))

    def is_reading(self, session_id: str) -> bool:
        return session_id in self.reading

    def is_complete(self, session_id: str) -> bool:
        return session_id not in self.reading

    def add_files(self, session_id: str, paths: Sequence[str]) -> None:
        for path in paths:
            self._add(session_id, lambda path=path: read_file(path))

    def add_picture(self, session_id: str, make: Callable[[], bytes], name: str) -> None:
        self._add(session_id, lambda: read_picture(make(), name))

    def add_text(self, session_id: str, text: str, name: str) -> None:
        self._add(session_id, lambda: read_text(text, name))

    def add_session(self, session_id: str, other: str, title: str) -> None:
        self.calls.append(("add_session", session_id, other, title))

    def remove(self, session_id: str, key: str) -> None:
        self.drafts[session_id] = [one for one in self.of(session_id) if one.id != key]
        self.changed.emit(session_id)

    def take(self, session_id: str) -> list[Attached]:
        taken = self.of(session_id)
        self.drafts[session_id] = []
        self.changed.emit(session_id)
        return taken

    def give_back(self, session_id: str, attached: Sequence[Attached]) -> None:
        self.drafts[session_id] = [*attached, *self.of(session_id)]
        self.changed.emit(session_id)

    def move(self, session_id: str, to: str) -> None:
        self.drafts[to] = [*self.of(to), *self.take(session_id)]
        self.changed.emit(to)

    def _add(self, session_id: str, read: Callable[[], tuple[Attached, bytes]]) -> None:
        if self.slow:
            self.reading.add(session_id)
        else:
            try:
                self.drafts[session_id] = [*self.of(session_id), read()[0]]
            except AttachmentRefused as error:
                self.refused.emit(session_id, error.user_message)
        self.changed.emit(session_id)


class FakeCompletion(QObject):
    """Answers when the test says so."""

    found = Signal(str, object)

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Any, ...]] = []

    def ask(self, query: str) -> None:
        self.calls.append(("ask", query))

    def forget(self) -> None:
        self.calls.append(("forget",))


class FakeSession(QObject):
    current_changed = Signal(str)
    notice = Signal(str, str)

    def __init__(self, now: int = NOW) -> None:
        super().__init__()
        self.calls: list[tuple[Any, ...]] = []
        self.now = now
        self.model = SessionListModel(self, now=lambda: self.now)
        self.current = ""
        self.drafts: dict[str, str] = {}
        self.attachments = FakeAttachments()
        self.sent: Blocks = ()

    def last_sent(self) -> Blocks:
        return self.sent

    def new_session(self) -> None:
        self.calls.append(("new_session",))
        self.open("")

    def add(self, title: str, age_ms: int = 0, **changes: Any) -> Session:
        session = Session(
            id=new_id(), title=title, created_at=self.now - age_ms, updated_at=self.now - age_ms, **changes
        )
        self.model.apply(session)
        return session

    def open(self, session_id: str) -> None:
        self.calls.append(("open", session_id))
        self.current = session_id
        self.current_changed.emit(session_id)

    def current_id(self) -> str:
        return self.current

    def rename(self, session_id: str, title: str) -> None:
        self.calls.append(("rename", session_id, title))
        self._change(session_id, title=title, title_by_user=True)

    def delete(self, session_id: str) -> None:
        self.calls.append(("delete", session_id))
        self.model.remove(session_id)
        if self.current == session_id:
            self.open("")

    def set_pinned(self, session_id: str, pinned: bool) -> None:
        self.calls.append(("set_pinned", session_id, pinned))
        self._change(session_id, pinned=pinned)

    def search(self, text: str) -> None:
        self.calls.append(("search", text))
        if not text:
            self.model.show_hits(None)
            return
        self.model.show_hits(None)
        rows = [self.model.data(self.model.index(row), 0) for row in range(self.model.rowCount())]
        ids = [self.model.id_at(row) for row in range(self.model.rowCount())]
        found = zip(ids, rows, strict=True)
        hits = [SearchRow(key, snippet=f"…{title}…") for key, title in found if key and text.lower() in title.lower()]
        self.model.show_hits(hits)

    def draft(self, session_id: str) -> str:
        return self.drafts.get(session_id, "")

    def save_draft(self, session_id: str, text: str) -> None:
        self.drafts[session_id] = text

    def _change(self, session_id: str, **changes: Any) -> None:
        session = self.model.session(session_id)
        assert session is not None
        self.model.apply(session.model_copy(update=changes))


class FakeAgent(QObject):
    running_changed = Signal(bool)
    retrying = Signal(int, float)
    turn_waiting = Signal(float)
    context_changed = Signal(int, int)
    notice = Signal(str, str)
    settings_changed = Signal()
    send_refused = Signal(str, object)

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Any, ...]] = []
        self.available: list[tuple[str, str, str]] = []
        self.model_label = ""
        self._mode = "ask"
        self._workspace: str | None = None
        self.running = False
        self.window = 0
        self.completion = FakeCompletion()

    def send(self, text: str, attached: Sequence[Attached] = ()) -> None:
        self.calls.append(("send", text, tuple(attached)))

    def stop(self) -> None:
        self.calls.append(("stop",))

    def continue_run(self) -> None:
        self.calls.append(("continue_run",))

    def retry_last(self) -> None:
        self.calls.append(("retry_last",))

    def is_running(self) -> bool:
        return self.running

    def set_running(self, running: bool) -> None:
        self.running = running
        self.running_changed.emit(running)

    def model_text(self) -> str:
        return self.model_label

    def models(self) -> list[tuple[str, str, str]]:
        return list(self.available)

    def diagnostics(self) -> str:
        return "POST https://models.test/v1"

    def looks_like_key(self, text: str) -> bool:
        return "sk-" in text

    def choose_model(self, provider: str, model: str) -> None:
        self.calls.append(("choose_model", provider, model))
        self.model_label = next((label for p, m, label in self.available if (p, m) == (provider, model)), model)
        self.settings_changed.emit()

    def mode(self) -> str:
        return self._mode

    def set_mode(self, mode: str) -> None:
        self.calls.append(("set_mode", mode))
        self._mode = mode
        self.settings_changed.emit()

    def budget(self) -> Budget | None:
        return plan_budget(window=self.window, output=None, tools=()) if self.window else None

    def workspace(self) -> str | None:
        return self._workspace

    def set_workspace(self, path: str | None) -> None:
        self.calls.append(("set_workspace", path))
        self._workspace = path
        self.settings_changed.emit()


@dataclass(frozen=True)
class FakeCard:
    id: str
    title: str = "Write notes.md in project"
    consequence: str = "It changes a file in the workspace. Nothing has run yet."
    detail: str = "notes.md\n+ hello"
    folder: str = "project"
    model_says: str = ""
    remember_text: str = "For this session it remembers writing in this folder, until the session is deleted."
    tool: str = "write"
    kind: str = "permission"


class FakePermission(QObject):
    changed = Signal()
    notice = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Any, ...]] = []
        self.waiting: list[Any] = []

    def cards(self) -> list[Any]:
        return list(self.waiting)

    def ask(self, card: Any) -> None:
        self.waiting.append(card)
        self.changed.emit()

    def answer(self, card_id: str, allow: bool, scope: str = "once", why: str = "") -> None:
        self.calls.append(("answer", card_id, allow, scope, why))
        self.waiting = [card for card in self.waiting if card.id != card_id]
        self.changed.emit()

    def stop(self) -> None:
        self.calls.append(("stop",))
        self.waiting = []
        self.changed.emit()


@dataclass(frozen=True)
class FakeLocal:
    state: str = "missing"
    title: str = "SmolLM2 135M"
    detail: str = "100 MB, once"
    percent: float = 0
    note: str = "A tiny model, for trying out: it works offline, and it is often wrong."


@dataclass(frozen=True)
class FakeServer:
    kind: str
    title: str
    address: str
    models: tuple[str, ...] = ()


class FakeSetup(QObject):
    changed = Signal()
    provider_added = Signal(bool, str)

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Any, ...]] = []
        self.choice: Any = FakeLocal()
        self.found: list[Any] = []
        self.keychain = "Keys are kept in the system's keychain (Secret Service)."

    def set_local(self, choice: Any) -> None:
        self.choice = choice
        self.changed.emit()

    def set_servers(self, servers: Sequence[Any]) -> None:
        self.found = list(servers)
        self.changed.emit()

    def local(self) -> Any:
        return self.choice

    def servers(self) -> list[Any]:
        return list(self.found)

    def fetch_local(self) -> None:
        self.calls.append(("fetch_local",))

    def cancel_fetch(self) -> None:
        self.calls.append(("cancel_fetch",))

    def use_local(self) -> None:
        self.calls.append(("use_local",))

    def use_server(self, kind: str, address: str) -> None:
        self.calls.append(("use_server", kind, address))

    def add_provider(
        self, name: str, base_url: str, key: str, api: str = "openai_chat", *, unasked: bool = False
    ) -> None:
        self.calls.append(("add_unasked" if unasked else "add_provider", name, base_url, key, api))

    def keychain_text(self) -> str:
        return self.keychain


class FakeOllama(QObject):
    changed = Signal(str)

    def pull_of(self, provider_id: str) -> None:
        return None


class FakeSettings(QObject):
    changed = Signal()
    check_result = Signal(str, bool, str)
    connection_tested = Signal(bool, str)
    notice = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Any, ...]] = []
        self._theme = "light"
        self._text_size = 14
        self.listed: list[ProviderSettings] = []
        self.ollama = FakeOllama()
        self.told: dict[str, CheckShown] = {}
        self.busy: set[str] = set()
        self.default = ("", "")
        self.network = ProxySettings()
        self._window = WindowState()

    def window(self) -> WindowState:
        return self._window

    def save_window(self, window: WindowState) -> None:
        self._window = window

    def theme(self) -> str:
        return self._theme

    def set_theme(self, choice: str) -> None:
        self.calls.append(("set_theme", choice))
        self._theme = choice
        self.changed.emit()

    def text_size(self) -> int:
        return self._text_size

    def set_text_size(self, px: int) -> None:
        self.calls.append(("set_text_size", px))
        self._text_size = px
        self.changed.emit()

    def providers(self) -> list[ProviderSettings]:
        return list(self.listed)

    def add(self, name: str, base_url: str, models: Sequence[str] = (), **changes: Any) -> ProviderSettings:
        made = ProviderSettings(
            id=name.lower(),
            name=name,
            api="openai_chat",
            base_url=base_url,
            models=tuple(ModelSettings(id=model) for model in models),
            **changes,
        )
        self.listed.append(made)
        self.changed.emit()
        return made

    def remove_provider(self, provider_id: str) -> None:
        self.calls.append(("remove_provider", provider_id))
        self.listed = [provider for provider in self.listed if provider.id != provider_id]
        self.changed.emit()

    def set_key(self, provider_id: str, key: str) -> None:
        self.calls.append(("set_key", provider_id, key))
        self.changed.emit()

    def check(self, provider_id: str) -> None:
        self.calls.append(("check", provider_id))

    def check_of(self, provider_id: str) -> CheckShown | None:
        return self.told.get(provider_id)

    def tell(self, provider_id: str, told: CheckShown) -> None:
        self.told[provider_id] = told
        self.check_result.emit(provider_id, told.ok, told.detail)

    def key_place(self, provider_id: str) -> str:
        return "keychain" if any(each.id == provider_id and each.key_backend for each in self.listed) else ""

    def is_busy(self, provider_id: str) -> bool:
        return provider_id in self.busy

    def default_model(self) -> tuple[str, str]:
        return self.default

    def proxy(self) -> ProxySettings:
        return self.network


@dataclass
class FakePresenters:
    """All of them, wired as the app wires the real ones."""

    session: FakeSession = field(default_factory=FakeSession)
    agent: FakeAgent = field(default_factory=FakeAgent)
    permission: FakePermission = field(default_factory=FakePermission)
    setup: FakeSetup = field(default_factory=FakeSetup)
    settings: FakeSettings = field(default_factory=FakeSettings)
    messages: MessageListModel = field(default_factory=MessageListModel)

    def feed(self, event: RuntimeEvent) -> None:
        """Apply an event where the real bridge would."""
        match event.kind:
            case "session_changed":
                self.session.model.apply(event.session)
            case "session_deleted":
                self.session.model.remove(event.session_id)
            case _:
                self.messages.apply(event)

    def show(self, messages: Sequence[Message]) -> None:
        """Load a conversation."""
        self.messages.load(messages)

    def start(self, title: str, settings: SessionSettings | None = None) -> Session:
        """Add a session and make it the current one."""
        session = self.session.add(title, settings=settings or SessionSettings())
        self.session.open(session.id)
        return session
