"""The settings page: appearance, providers and their keys. Keys go in and never come out."""

from collections.abc import Coroutine
from typing import Any

from PySide6.QtCore import QObject, Signal

from deepchat_desktop.core import Core
from deepchat_desktop.domain.errors import DeepChatError
from deepchat_desktop.domain.settings import ProviderSettings, ThemeChoice, WindowState
from deepchat_desktop.presenters.guarded import guarded
from deepchat_desktop.presenters.words import words_of


class SettingsPresenter(QObject):
    """Reads and changes the settings file."""

    changed = Signal()
    check_result = Signal(str, bool, str)
    notice = Signal(str, str)

    def __init__(self, core: Core, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._core = core

    def theme(self) -> str:
        """Return ``system``, ``light`` or ``dark``."""
        return self._core.settings.theme

    def set_theme(self, choice: ThemeChoice) -> None:
        """Choose the theme."""
        self._save(theme=choice)

    def text_size(self) -> int:
        """Return the body size in px."""
        return self._core.settings.text_size

    def set_text_size(self, px: int) -> None:
        """Choose the body size in px."""
        self._save(text_size=px)

    def window(self) -> WindowState:
        """Return where the window was."""
        return self._core.settings.window

    def save_window(self, window: WindowState) -> None:
        """Remember where the window is."""
        if window != self._core.settings.window:
            self._save(window=window)

    def providers(self) -> list[ProviderSettings]:
        """Return the providers that were set up."""
        return list(self._core.settings.providers)

    def remove_provider(self, provider_id: str) -> None:
        """Forget a provider and delete its key from the keychain."""
        self._do(self._remove(provider_id), "remove provider")

    def set_key(self, provider_id: str, key: str) -> None:
        """Replace a provider's key; the check follows."""
        self._do(self._set_key(provider_id, key.strip()), "set key")

    def check(self, provider_id: str) -> None:
        """Ask a provider for its models; ``check_result`` tells what came of it."""
        self._do(self._check(provider_id), "check provider")

    async def _remove(self, provider_id: str) -> None:
        settings = self._core.settings
        left = tuple(provider for provider in settings.providers if provider.id != provider_id)
        for provider in settings.providers:
            if provider.id == provider_id:
                await self._core.secrets.delete(provider_id, provider.key_backend)
        changes: dict[str, object] = {"providers": left}
        if settings.default_provider == provider_id:
            changes |= {"default_provider": None, "default_model": None}
        self._save(**changes)

    async def _set_key(self, provider_id: str, key: str) -> None:
        stored = await self._core.secrets.set(provider_id, key)
        self._replace(provider_id, key_backend=stored.backend)
        await self._check(provider_id)

    async def _check(self, provider_id: str) -> None:
        try:
            models = await self._core.models.list_models(provider_id)
        except DeepChatError as error:
            self.check_result.emit(provider_id, False, words_of(error))
            return
        self._replace(provider_id, models=models)
        self.check_result.emit(provider_id, True, self.tr("It answers, with {0} models.").format(len(models)))

    def _replace(self, provider_id: str, **changes: object) -> None:
        providers = tuple(
            provider.model_copy(update=changes) if provider.id == provider_id else provider
            for provider in self._core.settings.providers
        )
        self._save(providers=providers)

    def _save(self, **changes: object) -> None:
        self._core.keep_settings(self._core.settings.model_copy(update=changes))
        self.changed.emit()

    def _do(self, work: Coroutine[Any, Any, None], name: str) -> None:
        self._core.tasks.start(guarded(work, self.notice.emit), name)
