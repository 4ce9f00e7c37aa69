"""From a session's connection to a model that can be asked.

Knows the user's settings, the keychain and the local model; everything above only sees ``ConnectedModel``.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from deepchat_desktop.domain.catalogue import model_of, offered
from deepchat_desktop.domain.errors import ConfigError
from deepchat_desktop.domain.messages import Connection
from deepchat_desktop.domain.prompt import ModelCapabilities
from deepchat_desktop.domain.settings import LOCAL_PROVIDER, AppSettings, ModelSettings, Price, ProviderSettings
from deepchat_desktop.services.local_model.service import LocalModel
from deepchat_desktop.services.providers.base import Endpoint, Provider, Timeouts
from deepchat_desktop.services.providers.exchange import ExchangeLog, report
from deepchat_desktop.services.providers.registry import make_provider
from deepchat_desktop.services.proxy import PROXY_KEY, ProxyResolver
from deepchat_desktop.services.secrets import Secrets, mask

if TYPE_CHECKING:
    from deepchat_desktop.services.providers.ollama_store import OllamaStore


@dataclass(frozen=True)
class ConnectedModel:
    """A model with the way to reach it. ``system`` replaces the agent prompt where a model needs its own."""

    provider: Provider
    connection: Connection
    capabilities: ModelCapabilities
    label: str
    system: str | None = None
    temperature: float | None = None
    max_output: int | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    price: Price | None = None


class ModelDirectory:
    """Finds providers by name and keeps one client for each."""

    def __init__(self, settings: Callable[[], AppSettings], secrets: Secrets, local: LocalModel) -> None:
        self._settings = settings
        self._secrets = secrets
        self._local = local
        self._clients: dict[tuple[str, ...], Provider] = {}
        self._logs: dict[str, ExchangeLog] = {}
        self.proxies = ProxyResolver(lambda: settings().proxy, lambda: secrets.get(PROXY_KEY))

    def default_connection(self) -> Connection:
        """Return the model a new session gets: the user's choice, else the local one when it is there.

        Raises ``ConfigError`` (code ``no_model``) when there is none.
        """
        settings = self._settings()
        if settings.default_provider and settings.default_model:
            return Connection(provider=settings.default_provider, model=settings.default_model)
        if models := self._local.available():
            return Connection(provider=LOCAL_PROVIDER, model=models[0].id)
        for provider in settings.providers:
            if models_on := offered(provider):
                return Connection(provider=provider.id, model=models_on[0].id)
        raise ConfigError(
            "There is no model yet. Fetch the small local one with `deepchat models pull`, add a provider with "
            "`deepchat providers add`, or name a server with --api, --base-url and --model-id.",
            code="no_model",
        )

    async def connect(self, connection: Connection) -> ConnectedModel:
        """Return the model of a connection. Raises ``ConfigError`` when it is not set up."""
        if connection.ad_hoc:
            return self._connect_ad_hoc(connection)
        if connection.provider == LOCAL_PROVIDER:
            return self._connect_local(connection)
        provider = self.provider_settings(connection.provider)
        known = model_of(provider, connection.model)
        client = self.client(provider)
        if known.capabilities.tools_as_text:
            from deepchat_desktop.services.providers.text_tools import TextTools

            client = TextTools(client)
        return ConnectedModel(
            provider=client,
            connection=connection,
            capabilities=known.capabilities,
            label=known.name,
            price=known.price,
        )

    def provider_settings(self, provider_id: str) -> ProviderSettings:
        """Return a configured provider. Raises ``ConfigError`` (code ``unknown_provider``)."""
        for provider in self._settings().providers:
            if provider.id == provider_id:
                return provider
        raise ConfigError(
            f"There is no provider called {provider_id!r}. `deepchat providers list` shows what is set up.",
            code="unknown_provider",
            params={"provider": provider_id},
        )

    def client(self, provider: ProviderSettings) -> Provider:
        """Return the one client of a configured provider; a changed address or header makes a new one."""
        more = (
            sorted(provider.headers.items()),
            sorted(provider.options.items()),
            provider.requests_per_minute,
            provider.secret_headers,
            provider.key_backend,
        )
        key = (provider.id, provider.api, provider.base_url, repr(more))
        if key not in self._clients:
            self._clients[key] = make_provider(provider.api, self._endpoint(provider))
        return self._clients[key]

    def ollama_store(self, provider_id: str) -> "OllamaStore":
        """Return what fetches and deletes models on an Ollama server. Raises ``ConfigError``."""
        from deepchat_desktop.services.providers.ollama_store import OllamaStore

        return OllamaStore(self._endpoint(self.provider_settings(provider_id)))

    def _endpoint(self, provider: ProviderSettings) -> Endpoint:
        return Endpoint(
            base_url=provider.base_url,
            family=provider.id,
            headers=dict(provider.headers),
            options=dict(provider.options),
            key=lambda: self._secrets.get(provider.id, provider.key_backend),
            timeouts=timeouts(),
            mask=mask,
            route=self.proxies.route,
            requests_per_minute=provider.requests_per_minute,
            secret_headers=lambda: self._secret_headers(provider),
            log=self._log(provider.id),
        )

    def local_client(self, model: str) -> Provider:
        """Return the client of the embedded model."""
        from deepchat_desktop.services.providers.local import LocalProvider

        key = (LOCAL_PROVIDER, model)
        if key not in self._clients:
            self._clients[key] = LocalProvider(self._local, model, self._log(LOCAL_PROVIDER))
        return self._clients[key]

    async def list_models(self, provider_id: str) -> tuple[ModelSettings, ...]:
        """Ask a configured provider for its models. Raises ``ProviderError``."""
        return await self.client(self.provider_settings(provider_id)).list_models()

    def diagnostics(self, provider_id: str) -> str:
        """Return the last exchange with a provider as text without secrets, "" where there was none."""
        log = self._logs.get(provider_id)
        return report(log.last, mask) if log is not None and log.last is not None else ""

    def _log(self, provider_id: str) -> ExchangeLog:
        return self._logs.setdefault(provider_id, ExchangeLog())

    async def _secret_headers(self, provider: ProviderSettings) -> dict[str, str]:
        found: dict[str, str] = {}
        for name in provider.secret_headers:
            if value := await self._secrets.get(header_key(provider.id, name), provider.key_backend):
                found[name] = value
        return found

    async def aclose(self) -> None:
        """Close every client's connections."""
        clients, self._clients = list(self._clients.values()), {}
        for client in clients:
            await client.aclose()

    def _connect_ad_hoc(self, connection: Connection) -> ConnectedModel:
        assert connection.base_url is not None
        variable = connection.key_env
        key = os.environ.get(variable) if variable else None
        if variable and not key:
            raise ConfigError(
                f"The variable {variable} that should hold the key is not set. Set it and try again.",
                code="key_variable_missing",
                params={"variable": variable},
            )
        if key:
            self._secrets.know(key)

        async def get_key() -> str | None:
            return key

        cache = ("ad hoc", connection.api or "", connection.base_url, variable or "")
        if cache not in self._clients:
            endpoint = Endpoint(
                base_url=connection.base_url,
                family=connection.base_url,
                headers={},
                key=get_key,
                timeouts=timeouts(),
                mask=mask,
                route=self.proxies.route,
                log=self._log(connection.provider),
            )
            self._clients[cache] = make_provider(connection.api or "openai_chat", endpoint)
        return ConnectedModel(
            provider=self._clients[cache],
            connection=connection,
            capabilities=ModelCapabilities(),
            label=connection.model,
        )

    def _connect_local(self, connection: Connection) -> ConnectedModel:
        profile = self._local.profile(connection.model)
        return ConnectedModel(
            provider=self.local_client(connection.model),
            connection=connection,
            capabilities=profile.capabilities,
            label=profile.label,
            system=profile.system,
            temperature=profile.temperature,
            max_output=profile.max_output,
            extra=profile.extra,
        )


def header_key(provider_id: str, header: str) -> str:
    """Return the name under which the keychain has what a header says. No provider's id has a blank in it."""
    return f"{provider_id} {header.lower()}"


def timeouts() -> Timeouts:
    """Return the limits in seconds: connect, first byte, idle.

    ``DEEPCHAT_TIMEOUTS`` ("connect,first_byte,idle") overrides them, for slow networks and for tests.
    """
    text = os.environ.get("DEEPCHAT_TIMEOUTS")
    if not text:
        return Timeouts()
    try:
        connect, first_byte, idle = (float(part) for part in text.split(","))
    except ValueError:
        raise ConfigError(
            "DEEPCHAT_TIMEOUTS takes three numbers of seconds: connect,first_byte,idle.", code="bad_timeouts"
        ) from None
    return Timeouts(connect=connect, first_byte=first_byte, idle=idle)
