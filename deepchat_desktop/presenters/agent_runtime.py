"""The open session's runs for the window: send, stop, continue, retry, and what they run with."""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal

from deepchat_desktop.core import Core
from deepchat_desktop.domain.attachments import Attached
from deepchat_desktop.domain.budget import DEFAULT_WINDOW, Budget, plan_budget
from deepchat_desktop.domain.catalogue import model_of, offered
from deepchat_desktop.domain.errors import DeepChatError
from deepchat_desktop.domain.events import (
    MessageFinished,
    Notice,
    RetryWaiting,
    RuntimeEvent,
    SessionChanged,
    StatusChanged,
    TurnWaiting,
)
from deepchat_desktop.domain.messages import Connection, SessionSettings
from deepchat_desktop.domain.prompt import ModelCapabilities
from deepchat_desktop.domain.settings import LOCAL_PROVIDER
from deepchat_desktop.presenters.completion import CompletionPresenter, Sessions, WorkspaceFiles
from deepchat_desktop.presenters.diagnostics import diagnostics_text
from deepchat_desktop.presenters.guarded import guarded
from deepchat_desktop.presenters.session import SessionPresenter
from deepchat_desktop.presenters.words import error_words


class AgentRuntimePresenter(QObject):
    """Bridges the composer to the runtime. All signals speak of the open session."""

    running_changed = Signal(bool)
    retrying = Signal(int, float)
    turn_waiting = Signal(float)
    context_changed = Signal(int, int)
    notice = Signal(str, str)
    settings_changed = Signal()
    send_refused = Signal(str, object)
    """The text and what was attached (a tuple of ``Attached``), for the composer to get back."""

    def __init__(self, core: Core, session: SessionPresenter, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._core = core
        self._session = session
        self._running = False
        self._creating = asyncio.Lock()
        self._created = ""
        """The session that the open draft became."""
        self._draft_settings = SessionSettings(workspace=core.settings.workspace)
        sources = (WorkspaceFiles(self.workspace, core.data_dir), Sessions(session.model, session.current_id))
        self.completion = CompletionPresenter(core.tasks, sources, self)
        session.current_changed.connect(self._on_current)

    # Runs

    def send(self, text: str, attached: Sequence[Attached] = ()) -> None:
        """Send a message; the session is created with its first one."""
        session_id = self._session.current_id()
        self._session.hold_draft(session_id)
        self._do(self._send(session_id, text, tuple(attached)), "send")

    def stop(self) -> None:
        """Stop what runs in the open session."""
        if session_id := self._session.current_id():
            self._do(self._core.runtime.cancel(session_id), "stop")

    def continue_run(self) -> None:
        """Go on after an interrupted answer."""
        if session_id := self._session.current_id():
            self._do(self._core.runtime.continue_run(session_id), "continue")

    def retry_last(self) -> None:
        """Answer the last message again."""
        if session_id := self._session.current_id():
            self._do(self._core.runtime.retry(session_id), "retry")

    def is_running(self) -> bool:
        """Tell whether the open session is being answered."""
        return self._running

    # What they run with

    def settings(self) -> SessionSettings:
        """Return the open session's settings, or the new session's."""
        current = self._session.current()
        return current.settings if current else self._draft_settings

    def models(self) -> list[tuple[str, str, str]]:
        """Return (provider, model, label) of every model there is."""
        found = [(LOCAL_PROVIDER, file.id, self._core.local_model.profile(file.id).label)
                 for file in self._core.local_model.available()]
        for provider in self._core.settings.providers:
            found += [(provider.id, model.id, f"{model.name} · {provider.name}") for model in offered(provider)]
        return found

    def model_text(self) -> str:
        """Return the label of the open session's model, "" without one."""
        connection = self._connection()
        if connection is None:
            return ""
        for provider, model, label in self.models():
            if (provider, model) == (connection.provider, connection.model):
                return label
        return connection.model

    def choose_model(self, provider: str, model: str) -> None:
        """Answer with another model from now on; it is also the next session's."""
        self._core.keep_settings(
            self._core.settings.model_copy(update={"default_provider": provider, "default_model": model})
        )
        self._draft_settings = self._draft_settings.model_copy(update={"connection": None})
        self._change(connection=Connection(provider=provider, model=model))

    def mode(self) -> str:
        """Return the permission mode."""
        return self.settings().mode

    def set_mode(self, mode: str) -> None:
        """Change the permission mode."""
        self._change(mode=mode)

    def workspace(self) -> str | None:
        """Return the workspace folder."""
        return self.settings().workspace

    def set_workspace(self, path: str | None) -> None:
        """Change the workspace folder; it is also the next session's."""
        self._core.keep_settings(self._core.settings.model_copy(update={"workspace": path}))
        self._draft_settings = self._draft_settings.model_copy(update={"workspace": path})
        self._change(workspace=path)

    def budget(self) -> Budget | None:
        """Return how the model's window is shared out, tools left aside; None while the window is not known."""
        window = self._window()
        if not window:
            return None
        output = self.settings().max_output or self._capabilities().max_output
        return plan_budget(window=window, output=output, tools=())

    def diagnostics(self) -> str:
        """Return the last exchange with the open session's provider, without keys; "" before there was one."""
        connection = self._connection()
        return diagnostics_text(self._core, connection.provider) if connection is not None else ""

    def looks_like_key(self, text: str) -> bool:
        """Tell whether a text seems to hold an API key, to warn before it is sent."""
        from deepchat_desktop.services.secrets import looks_like_key

        return looks_like_key(text)

    def on_event(self, event: RuntimeEvent) -> None:
        """Follow the runtime."""
        if isinstance(event, Notice) and event.session_id is None:
            self.notice.emit(event.code, error_words(event.code, event.text))
        if getattr(event, "session_id", None) != self._session.current_id() and not isinstance(event, SessionChanged):
            return
        match event:
            case StatusChanged():
                self._set_running(event.status == "generating")
            case RetryWaiting():
                self.retrying.emit(event.attempt, event.wait_s)
            case TurnWaiting():
                self.turn_waiting.emit(event.wait_s)
            case Notice():
                self.notice.emit(event.code, error_words(event.code, event.text))
            case MessageFinished() if event.message.meta.context_tokens:
                self.context_changed.emit(event.message.meta.context_tokens, self._window())
            case SessionChanged() if event.session.id == self._session.current_id():
                self.settings_changed.emit()
            case _:
                pass

    # Parts

    async def _send(self, draft_of: str, text: str, attached: tuple[Attached, ...]) -> None:
        """Send to the session that was open when the user pressed Enter, "" being the draft of a new one."""
        try:
            async with self._creating:  # a second text sent meanwhile belongs to the same session
                session_id = draft_of or self._created or await self._create()
            await self._session.attachments.store_rest()
            blocks, keys = [one.block for one in attached], [one.id for one in attached]
            await self._core.runtime.process_message(session_id, text, blocks, draft_of=draft_of, drafted=keys)
        except Exception:
            self.send_refused.emit(text, attached)
            raise
        finally:
            self._session.release_draft(draft_of)

    async def _create(self) -> str:
        """Make the open draft a session. What was chosen for it, such as a mode, is not the next one's."""
        connection = self._draft_choice() or self._core.models.default_connection()
        settings = self._draft_settings.model_copy(update={"connection": connection})
        session = await self._core.runtime.create_session(settings)
        self._draft_settings = SessionSettings(workspace=self._core.settings.workspace)
        self._created = session.id
        self._session.adopt(session)
        return session.id

    def _connection(self) -> Connection | None:
        current = self._session.current()
        if chosen := current.settings.connection if current else self._draft_choice():
            return chosen
        try:
            return self._core.models.default_connection()
        except DeepChatError:
            return None

    def _draft_choice(self) -> Connection | None:
        """Return what was chosen for the next session, unless its provider was removed since."""
        chosen = self._draft_settings.connection
        known = {LOCAL_PROVIDER, *(provider.id for provider in self._core.settings.providers)}
        return chosen if chosen is not None and chosen.provider in known else None

    def _window(self) -> int:
        return self.settings().context or self._capabilities().context or 0

    def _capabilities(self) -> ModelCapabilities:
        """Return what is known of the model."""
        connection = self._connection()
        if connection is None:
            return ModelCapabilities()
        if connection.provider == LOCAL_PROVIDER:
            known = self._core.local_model.profile(connection.model).capabilities
            return known if known.context else known.model_copy(update={"context": DEFAULT_WINDOW})
        for provider in self._core.settings.providers:
            if provider.id == connection.provider:
                return model_of(provider, connection.model).capabilities
        return ModelCapabilities()

    def _change(self, **changes: object) -> None:
        current = self._session.current()
        if current is None:
            self._draft_settings = self._draft_settings.model_copy(update=changes)
            self.settings_changed.emit()
        else:
            self._do(self._core.runtime.change_settings(current.id, **changes), "change session")

    def _on_current(self, session_id: str) -> None:
        if not session_id:
            self._created = ""
        self._set_running(bool(session_id) and self._core.runtime.is_running(session_id))
        self.context_changed.emit(0, 0)
        self.settings_changed.emit()

    def _set_running(self, running: bool) -> None:
        if running != self._running:
            self._running = running
            self.running_changed.emit(running)

    def _do(self, work: Coroutine[Any, Any, object], name: str) -> None:
        self._core.tasks.start(guarded(work, self.notice.emit), name)
