"""Providers and their models for the settings page: set up, order, keys, headers, checks, the user's word on models.

Invariants: keys and secret headers go in and never come out; a key goes with its server's origin, so another origin
does not inherit it; a list that does not come leaves the old one in place.
"""

import re
from collections.abc import Callable, Coroutine, Mapping
from datetime import datetime
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import ValidationError
from PySide6.QtCore import QDateTime, QLocale, QObject, QTime, Signal

from deepchat_desktop.core import Core
from deepchat_desktop.domain import catalogue
from deepchat_desktop.domain.errors import DeepChatError, SecretsError
from deepchat_desktop.domain.headers import is_secret_name, usable_name, usable_value
from deepchat_desktop.domain.provider_presets import key_page_of, vertex_region
from deepchat_desktop.domain.settings import ProviderSettings
from deepchat_desktop.presenters import check_words
from deepchat_desktop.presenters.check_words import CheckShown
from deepchat_desktop.presenters.diagnostics import diagnostics_text
from deepchat_desktop.presenters.guarded import guarded
from deepchat_desktop.presenters.ollama import OllamaPresenter
from deepchat_desktop.presenters.words import words_of
from deepchat_desktop.services.clock import now_ms

SMALLEST_WINDOW = 512
"""Tokens; less holds no system prompt."""


class ProvidersPresenter(QObject):
    """Reads and changes the providers of the settings file."""

    changed = Signal()
    check_result = Signal(str, bool, str)
    notice = Signal(str, str)

    def __init__(self, core: Core, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._core = core
        self.ollama = OllamaPresenter(core, self)
        self.ollama.listed.connect(self.refresh)
        self.ollama.notice.connect(self.notice)
        self._checks: dict[str, CheckShown] = {}
        self._busy: set[str] = set()
        self._unreadable: set[str] = set()

    # What there is

    def providers(self) -> list[ProviderSettings]:
        """Return the providers that were set up, in the user's order."""
        return list(self._core.settings.providers)

    def check_of(self, provider_id: str) -> CheckShown | None:
        """Return how the last check or refresh of this run ended."""
        return self._checks.get(provider_id)

    def is_busy(self, provider_id: str) -> bool:
        """Tell whether a check or a refresh is under way."""
        return provider_id in self._busy

    def key_place(self, provider_id: str) -> Literal["keychain", "memory", "unreadable", ""]:
        """Return where a provider's key is kept, "" if there is none."""
        if self._core.secrets.only_in_memory(provider_id):
            return "memory"
        if provider_id in self._unreadable:
            return "unreadable"
        return "keychain" if self._provider(provider_id).key_backend else ""

    def header_is_in_memory(self, provider_id: str, name: str) -> bool:
        """Tell whether what a secret header says is lost when the program ends."""
        from deepchat_desktop.services.providers.directory import header_key

        return self._core.secrets.only_in_memory(header_key(provider_id, name))

    def default_model(self) -> tuple[str, str]:
        """Return provider and model of a new session as the user chose them, two empty texts before that."""
        settings = self._core.settings
        return settings.default_provider or "", settings.default_model or ""

    def diagnostics(self, provider_id: str) -> str:
        """Return the last exchange with a provider, without secrets; "" before there was one."""
        return diagnostics_text(self._core, provider_id)

    # Providers

    def remove_provider(self, provider_id: str) -> None:
        """Forget a provider and delete its secrets from the keychain."""
        self._do(self._remove(provider_id), "remove provider")

    def set_key(self, provider_id: str, key: str) -> None:
        """Replace a provider's key; the check follows."""
        self._do(self._set_key(provider_id, key.strip()), "set key")

    def change(self, provider_id: str, **changes: object) -> None:
        """Change a provider's name, whether it is on, its options or its limit."""
        self._update(provider_id, lambda provider: provider.model_copy(update=changes))

    def set_option(self, provider_id: str, name: str, value: str) -> str:
        """Set one of the API style's own settings; no value takes it away. Return what is wrong with it, or ""."""
        if name == "num_ctx" and value and not (value.isdecimal() and int(value) >= SMALLEST_WINDOW):
            words = self.tr("The context length is a whole number of tokens, at least {least}.")
            return words.format(least=SMALLEST_WINDOW)
        if name in ("region", "location") and not re.fullmatch(r"[A-Za-z0-9-]*", value):
            return self.tr("A region is letters, digits and hyphens, such as eu-central-1.")
        options = {key: each for key, each in self._provider(provider_id).options.items() if key != name}
        self.change(provider_id, options={**options, name: value} if value else options)
        return ""

    def set_base_url(self, provider_id: str, text: str) -> str:
        """Change the address; return what is wrong with it, or "". Another origin does not inherit the key (SEC-4)."""
        from deepchat_desktop.services.providers.base_url import checked_url
        from deepchat_desktop.services.secrets import mask

        url = text.strip()
        try:
            checked_url(url.removesuffix("#"))
        except DeepChatError as error:
            return words_of(error)
        if mask(url) != url:
            return self.tr("The address holds a key or a password. Enter it as the API key instead.")
        provider = self._provider(provider_id)
        if url != provider.base_url:
            self._do(self._move(provider, url), "change address")
        return ""

    def set_limit(self, provider_id: str, text: str) -> str:
        """Change how many requests a minute are sent at most; return what is wrong, or ""."""
        try:
            limit = float(text.replace(",", ".")) if text.strip() else None
        except ValueError:
            limit = -1.0
        if limit is not None and not 0 < limit <= 100_000:
            return self.tr("Enter a number of requests a minute, or nothing for no limit.")
        self.change(provider_id, requests_per_minute=limit)
        return ""

    def set_header(self, provider_id: str, name: str, value: str) -> str:
        """Set a header of the user's own; return what is wrong, or "". A secret one goes to the keychain."""
        from deepchat_desktop.services.secrets import looks_like_key

        name, value = name.strip(), value.strip()
        if not usable_name(name):
            return self.tr("A header's name has only letters, digits and hyphens.")
        if not value or not usable_value(value):
            return self.tr("A header's value is one line of plain letters and signs.")
        if is_secret_name(name) or looks_like_key(value):
            self._do(self._set_secret_header(provider_id, name, value), "set header")
        else:
            self._update(provider_id, lambda each: _with_header(_without_header(each, name), name, value))
        return ""

    def remove_header(self, provider_id: str, name: str) -> None:
        """Take a header away, also from the keychain."""
        self._do(self._remove_header(provider_id, name), "remove header")

    def move(self, provider_id: str, by: int) -> None:
        """Move a provider up (-1) or down (1) in the list, and so in the choice of models."""
        providers = self.providers()
        place = next(index for index, each in enumerate(providers) if each.id == provider_id)
        moved = providers.pop(place)
        providers.insert(max(0, min(len(providers), place + by)), moved)
        self._save(providers=tuple(providers))

    # Checks and lists

    def check(self, provider_id: str) -> None:
        """Ask a provider for its models and one of them a short question; ``check_result`` tells how it ended."""
        self._start(provider_id, self._check(provider_id), "check provider")

    def refresh(self, provider_id: str) -> None:
        """Ask a provider for its list of models anew; the old one stays if none comes."""
        self._start(provider_id, self._refresh(provider_id), "refresh models")

    # Models

    def choose(self, provider_id: str, model_id: str, changes: Mapping[str, object]) -> str:
        """Take the user's word on a model; return what is wrong with it, or ""."""
        try:
            self._update(provider_id, lambda provider: catalogue.choose(provider, model_id, changes))
        except ValidationError:
            return self.tr("The numbers must be above zero.")
        return ""

    def reset_model(self, provider_id: str, model_id: str) -> None:
        """Take a model again as its provider tells of it."""
        self._update(provider_id, lambda provider: catalogue.forget_choice(provider, model_id))

    def add_model(self, provider_id: str, model_id: str) -> str:
        """Add a model by its id; return what is wrong, or ""."""
        name = model_id.strip()
        if not name or not name.isprintable():
            return self.tr("Enter the model's id as the provider writes it.")
        if any(model.id == name for model in catalogue.catalogue(self._provider(provider_id))):
            return self.tr("This model is in the list already.")
        return self.choose(provider_id, name, {"added": True, "on": True})

    def remove_model(self, provider_id: str, model_id: str) -> None:
        """Forget a model that was added by hand, with all that was said of it."""
        self._update(
            provider_id,
            lambda provider: provider.model_copy(
                update={"choices": {key: each for key, each in provider.choices.items() if key != model_id}}
            ),
        )

    def switch_models(self, provider_id: str, model_ids: tuple[str, ...], *, on: bool) -> None:
        """Turn models on or off."""
        self._update(provider_id, lambda provider: catalogue.switch(provider, model_ids, on=on))

    def switch_all_models(self, provider_id: str, *, on: bool) -> None:
        """Turn all models on or off, also those that a later list brings."""
        self._update(provider_id, lambda provider: catalogue.switch_all(provider, on=on))

    def set_default_model(self, provider_id: str, model_id: str) -> None:
        """Choose what answers in a new session."""
        self._save(default_provider=provider_id, default_model=model_id)

    # Parts

    async def _remove(self, provider_id: str) -> None:
        settings = self._core.settings
        left = tuple(provider for provider in settings.providers if provider.id != provider_id)
        try:
            await self._forget_secrets(self._provider(provider_id))
        except SecretsError as error:
            if error.code != "key_elsewhere":
                raise
            # That keychain may never come back: it must not keep the provider here for ever.
            self.notice.emit("key_left", self.tr("The provider is removed. Its key is still in the other keychain."))
        changes: dict[str, object] = {"providers": left}
        if settings.default_provider == provider_id:
            changes |= {"default_provider": None, "default_model": None}
        self._checks.pop(provider_id, None)
        self._save(**changes)

    async def _forget_secrets(self, provider: ProviderSettings) -> None:
        from deepchat_desktop.services.providers.directory import header_key

        await self._core.secrets.delete(provider.id, provider.key_backend)
        for name in provider.secret_headers:
            await self._core.secrets.delete(header_key(provider.id, name), provider.key_backend)

    async def _set_key(self, provider_id: str, key: str) -> None:
        stored = await self._core.secrets.set(provider_id, key)
        self._unreadable.discard(provider_id)
        self.change(provider_id, key_backend=stored.backend)
        self._busy.discard(provider_id)  # a check that runs has asked with the old key
        self.check(provider_id)

    async def _move(self, provider: ProviderSettings, url: str) -> None:
        changes: dict[str, object] = {"base_url": url}
        if _origin(url) != _origin(provider.base_url):
            await self._forget_secrets(provider)
            changes |= {"key_backend": None, "secret_headers": ()}
            if provider.key_backend or provider.secret_headers:
                words = self.tr("The key belonged to {host} and was deleted: enter the key of the new server.")
                self.notice.emit("key_forgotten", words.format(host=urlsplit(provider.base_url).hostname or ""))
        self._checks.pop(provider.id, None)
        self.change(provider.id, **changes)

    async def _set_secret_header(self, provider_id: str, name: str, value: str) -> None:
        from deepchat_desktop.services.providers.directory import header_key

        await self._core.secrets.set(header_key(provider_id, name), value)
        self._update(
            provider_id,
            lambda each: (bare := _without_header(each, name)).model_copy(
                update={"secret_headers": (*bare.secret_headers, name)}
            ),
        )

    async def _remove_header(self, provider_id: str, name: str) -> None:
        from deepchat_desktop.services.providers.directory import header_key

        if name in self._provider(provider_id).secret_headers:
            await self._core.secrets.delete(header_key(provider_id, name))
        self._update(provider_id, lambda each: _without_header(each, name))

    async def _check(self, provider_id: str) -> None:
        from deepchat_desktop.services.providers import key_check

        provider = self._provider(provider_id)
        default, wanted = self.default_model()
        client = self._core.models.client(provider)
        checked = await key_check.check(client, provider, wanted if default == provider_id else None)
        if checked.models is not None:
            self._keep_list(provider_id, checked.models)
        known = catalogue.catalogue(self._provider(provider_id))
        key = check_words.KeyFacts(
            there=await self._core.secrets.get(provider_id, provider.key_backend) is not None,
            page=bool(key_page_of(provider.base_url)),
            short_lived=vertex_region(provider.base_url) is not None,
        )
        self._tell(provider_id, check_words.shown(checked, len(known), key, at=_clock()))

    async def _refresh(self, provider_id: str) -> None:
        try:
            models = await self._core.models.list_models(provider_id)
        except DeepChatError as error:
            provider = self._provider(provider_id)
            told = check_words.not_refreshed(words_of(error), len(provider.models), _day(provider.listed_at))
            self._tell(provider_id, told)
            return
        self._keep_list(provider_id, models)
        if models:
            self._tell(provider_id, check_words.refreshed_words(len(models), _clock()))
        else:
            provider = self._provider(provider_id)
            self._tell(provider_id, check_words.empty_list(len(provider.models), _day(provider.listed_at)))

    def _keep_list(self, provider_id: str, models: tuple[Any, ...]) -> None:
        day = datetime.now().astimezone().date().isoformat()
        self._update(provider_id, lambda each: catalogue.refreshed(each, models, at=now_ms(), day=day))

    def _tell(self, provider_id: str, told: CheckShown) -> None:
        self._checks[provider_id] = told
        self._busy.discard(provider_id)
        self.check_result.emit(provider_id, told.ok, f"{told.title}. {told.detail}".strip())

    def _start(self, provider_id: str, work: Coroutine[Any, Any, None], name: str) -> None:
        if provider_id in self._busy:
            work.close()
            return
        self._busy.add(provider_id)
        self._unreadable.discard(provider_id)
        self._checks.pop(provider_id, None)
        self.changed.emit()
        self._do(self._until_done(provider_id, work), name)

    async def _until_done(self, provider_id: str, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except SecretsError as error:
            self._unreadable.add(provider_id)
            self._tell(provider_id, check_words.key_elsewhere(words_of(error)))
        except DeepChatError as error:
            self._tell(provider_id, CheckShown(False, self.tr("It could not be checked"), words_of(error), "", "retry"))
        finally:
            self._busy.discard(provider_id)

    def _provider(self, provider_id: str) -> ProviderSettings:
        return self._core.models.provider_settings(provider_id)

    def _update(self, provider_id: str, change: Callable[[ProviderSettings], ProviderSettings]) -> None:
        providers = self._core.settings.providers
        self._save(providers=tuple(change(each) if each.id == provider_id else each for each in providers))

    def _save(self, **changes: object) -> None:
        self._core.keep_settings(self._core.settings.model_copy(update=changes))
        self.changed.emit()

    def _do(self, work: Coroutine[Any, Any, None], name: str) -> None:
        self._core.tasks.start(guarded(work, self.notice.emit), name)


def _with_header(provider: ProviderSettings, name: str, value: str) -> ProviderSettings:
    return provider.model_copy(update={"headers": {**provider.headers, name: value}})


def _without_header(provider: ProviderSettings, name: str) -> ProviderSettings:
    """Return the provider without a header; the case of names means nothing."""
    lower = name.lower()
    return provider.model_copy(
        update={
            "headers": {key: value for key, value in provider.headers.items() if key.lower() != lower},
            "secret_headers": tuple(key for key in provider.secret_headers if key.lower() != lower),
        }
    )


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url.removesuffix("#"))
    return parts.scheme.lower(), parts.netloc.lower()


def _clock() -> str:
    return QLocale().toString(QTime.currentTime(), QLocale.FormatType.ShortFormat)


def _day(at_ms: int | None) -> str:
    if at_ms is None:
        return ""
    return QLocale().toString(QDateTime.fromMSecsSinceEpoch(at_ms).date(), QLocale.FormatType.ShortFormat)
