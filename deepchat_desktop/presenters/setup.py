"""The first choice: who answers. The local model, what runs on this computer already, or a provider's key."""

import asyncio
import re
import sys
from collections.abc import Coroutine
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from typing import TYPE_CHECKING, Any, Literal

from PySide6.QtCore import QObject, Signal

from deepchat_desktop.core import Core
from deepchat_desktop.domain.catalogue import offered, refreshed
from deepchat_desktop.domain.errors import ConfigError, DeepChatError, ProviderError
from deepchat_desktop.domain.settings import LOCAL_PROVIDER, ModelSettings, ProviderSettings
from deepchat_desktop.presenters.agent_runtime import AgentRuntimePresenter
from deepchat_desktop.presenters.words import words_of
from deepchat_desktop.services.clock import now_ms
from deepchat_desktop.services.local_model.catalog import STARTER_BYTES, STARTER_ID, STARTER_NOTE, STARTER_TITLE

if TYPE_CHECKING:
    from deepchat_desktop.services.discovery import FoundServer
    from deepchat_desktop.services.local_model.receive import PullProgress

LocalState = Literal["missing", "fetching", "ready", "error", "unavailable"]


@dataclass(frozen=True)
class LocalChoice:
    """The local model as the first page shows it. ``percent`` is 0 to 100."""

    state: LocalState
    title: str
    detail: str
    percent: float = 0.0
    note: str = ""


class SetupPresenter(QObject):
    """Looks for what can answer and sets up what the user picks."""

    changed = Signal()
    provider_added = Signal(bool, str)

    def __init__(self, core: Core, agent: AgentRuntimePresenter, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._core = core
        self._agent = agent
        self._servers: tuple[FoundServer, ...] = ()
        self._fetch: asyncio.Task[None] | None = None
        self._percent = 0.0
        self._failure = ""
        self._keychain = ""

    async def look_around(self) -> None:
        """Probe the keychain and the loopback servers; once, after the first paint."""
        from deepchat_desktop.services.discovery import find_servers

        self._keychain = (await self._core.secrets.status()).text
        self._servers = tuple(await find_servers())
        self.changed.emit()

    def local(self) -> LocalChoice:
        """Return the state of the local model."""
        files = self._core.local_model.available()
        if files:
            return LocalChoice("ready", files[0].title, self.tr("On this computer"), 100.0, files[0].note)
        if self._fetch is not None:
            size = f"{STARTER_BYTES / 1e6:.0f} MB"
            return LocalChoice("fetching", STARTER_TITLE, size, self._percent, STARTER_NOTE)
        if self._failure:
            return LocalChoice("error", STARTER_TITLE, self._failure, 0.0, STARTER_NOTE)
        if getattr(sys, "frozen", False):
            detail = self.tr("Take a GGUF file with: deepchat models pull --from FILE")
            return LocalChoice("unavailable", STARTER_TITLE, detail, 0.0, STARTER_NOTE)
        detail = self.tr("{0} MB, fetched once").format(round(STARTER_BYTES / 1e6))
        return LocalChoice("missing", STARTER_TITLE, detail, 0.0, STARTER_NOTE)

    def servers(self) -> "list[FoundServer]":
        """Return the model servers found on this computer."""
        return list(self._servers)

    def keychain_text(self) -> str:
        """Say where keys are kept."""
        return self._keychain

    def fetch_local(self) -> None:
        """Fetch the starter model; ``changed`` tells the progress."""
        if self._fetch is None:
            self._failure, self._percent = "", 0.0
            self._fetch = self._core.tasks.start(self._fetch_starter(), "fetch starter model")
            self.changed.emit()

    def cancel_fetch(self) -> None:
        """Stop fetching."""
        if self._fetch is not None:
            self._fetch.cancel()

    def use_local(self) -> None:
        """Answer with the local model."""
        files = self._core.local_model.available()
        if files:
            self._agent.choose_model(LOCAL_PROVIDER, files[0].id)
            self.changed.emit()

    def use_server(self, kind: str, address: str) -> None:
        """Answer with a server found on this computer, and its first model."""
        for server in self._servers:
            if (server.kind, server.address) == (kind, address):
                models = tuple(ModelSettings(id=name) for name in server.models)
                known = (each for each in self._core.settings.providers if each.id == server.kind)
                fresh = ProviderSettings(
                    id=server.kind, name=server.title, api=server.api, base_url=server.base_url
                )
                same = next((each for each in known if each.base_url == server.base_url), fresh)
                day = datetime.now().astimezone().date().isoformat()
                self._keep(refreshed(same, models, at=now_ms(), day=day))
                if models:
                    self._agent.choose_model(server.kind, models[0].id)
                self.changed.emit()

    def add_provider(
        self, name: str, base_url: str, key: str, api: str = "openai_chat", *, unasked: bool = False
    ) -> None:
        """Set up a provider: its models are asked for first, so that a wrong key or address is told at once.

        ``unasked`` takes it as it is: without a network, or for a server that gives no list.
        """
        self._start(self._add(name.strip(), base_url.strip(), key.strip(), api, unasked=unasked), "add provider")

    async def _add(self, name: str, base_url: str, key: str, api: str, *, unasked: bool) -> None:
        try:
            await self._try_provider(name, base_url, key, api, unasked=unasked)
        except DeepChatError as error:
            self.provider_added.emit(False, words_of(error))

    async def _try_provider(self, name: str, base_url: str, key: str, api: str, *, unasked: bool) -> None:
        from deepchat_desktop.services.providers.base_url import checked_url

        checked_url(base_url.removesuffix("#"))
        provider_id, shown = self._free_name(name)
        provider = ProviderSettings(id=provider_id, name=shown, api=api, base_url=base_url, others_on=api != "azure")
        text = self.tr("Ready.")
        if key:
            stored = await self._core.secrets.set(provider_id, key)
            provider = provider.model_copy(update={"key_backend": stored.backend})
            if stored.where == "session":
                text = (await self._core.secrets.status()).text
        try:
            models = () if unasked else await self._listed(provider)
        except DeepChatError:
            await self._core.secrets.delete(provider_id)
            raise
        day = datetime.now().astimezone().date().isoformat()
        provider = refreshed(provider, models, at=now_ms(), day=day)
        self._keep(provider)
        if on := offered(provider):
            self._agent.choose_model(provider_id, on[0].id)
        self.provider_added.emit(True, text)
        self.changed.emit()

    async def _listed(self, provider: ProviderSettings) -> tuple[ModelSettings, ...]:
        """Return the models; none of a server that has no list of them. Raises ``ProviderError``."""
        try:
            return await self._core.models.client(provider).list_models()
        except ProviderError as error:
            if error.code == "model_not_found":
                return ()
            raise

    def _free_name(self, name: str) -> tuple[str, str]:
        """Return an id and a name that no provider has yet: one may be set up several times."""
        base = re.sub(r"[\W_]+", "-", name.lower()).strip("-")
        if not base or base == LOCAL_PROVIDER:
            raise ConfigError(self.tr("Give the provider a name."), code="bad_name")
        taken = {provider.id for provider in self._core.settings.providers}
        number = next(n for n in count(1) if (base if n == 1 else f"{base}-{n}") not in taken)
        return (base, name) if number == 1 else (f"{base}-{number}", f"{name} {number}")

    def _keep(self, provider: ProviderSettings) -> None:
        settings = self._core.settings
        others = tuple(known for known in settings.providers if known.id != provider.id)
        self._core.keep_settings(settings.model_copy(update={"providers": (*others, provider)}))

    async def _fetch_starter(self) -> None:
        try:
            await self._core.local_model.pull(self._on_progress)
        except DeepChatError as error:
            self._failure = words_of(error)
        finally:
            self._fetch = None
            self.changed.emit()
        if any(file.id == STARTER_ID for file in self._core.local_model.available()):
            self._agent.settings_changed.emit()

    def _on_progress(self, progress: "PullProgress") -> None:
        percent = 100.0 * progress.done / progress.total if progress.total else 0.0
        if int(percent) != int(self._percent):
            self._percent = percent
            self.changed.emit()

    def _start(self, work: Coroutine[Any, Any, None], name: str) -> None:
        self._core.tasks.start(work, name)
