"""The settings page: appearance, the window, the network, and the providers."""

from PySide6.QtCore import Signal

from deepchat_desktop.domain.errors import DeepChatError
from deepchat_desktop.domain.settings import ProxySettings, ThemeChoice, WindowState
from deepchat_desktop.presenters.providers import ProvidersPresenter
from deepchat_desktop.presenters.words import words_of


class SettingsPresenter(ProvidersPresenter):
    """Reads and changes the settings file."""

    connection_tested = Signal(bool, str)

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

    def proxy(self) -> ProxySettings:
        """Return how the network is reached."""
        return self._core.settings.proxy

    def set_proxy(self, proxy: ProxySettings) -> str:
        """Change how the network is reached, from the next request on; return what is wrong with it, or ""."""
        from deepchat_desktop.services.proxy import checked_proxy

        if proxy.mode == "custom":
            try:
                proxy = proxy.model_copy(update={"address": checked_proxy(proxy.address)})
            except DeepChatError as error:
                return words_of(error)
        if proxy != self._core.settings.proxy:
            self._save(proxy=proxy)
        return ""

    def set_proxy_password(self, password: str) -> None:
        """Keep the proxy's password in the keychain; none deletes it."""
        self._do(self._keep_password(password), "set proxy password")

    def test_connection(self) -> None:
        """Reach for the default provider, or the first on the network; ``connection_tested`` tells how it went."""
        self._do(self._test_connection(), "test connection")

    async def _keep_password(self, password: str) -> None:
        from deepchat_desktop.services.proxy import PROXY_KEY

        if password:
            await self._core.secrets.set(PROXY_KEY, password)
        else:
            await self._core.secrets.delete(PROXY_KEY)

    async def _test_connection(self) -> None:
        from deepchat_desktop.services.http import is_loopback
        from deepchat_desktop.services.reach import reach

        default, _model = self.default_model()
        far = [each for each in self.providers() if not is_loopback(each.base_url)]
        far.sort(key=lambda each: each.id != default)
        if not far:
            words = self.tr("Add a provider on the network first: servers on this computer need no proxy.")
            self.connection_tested.emit(False, words)
            return
        reached = await reach(far[0].base_url, self._core.models.proxies.route)
        through = self.tr("through the proxy {proxy}").format(proxy=reached.proxy) if reached.proxy else ""
        way = through or self.tr("directly, without a proxy")
        if reached.ok:
            self.connection_tested.emit(True, self.tr("{host} answers, {way}.").format(host=reached.host, way=way))
        else:
            tried = self.tr("Tried {way}.").format(way=way)
            self.connection_tested.emit(False, f"{reached.words} {tried}")
