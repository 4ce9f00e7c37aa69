"""The settings page over the real presenters, a real core and scripted model servers, on the Qt loop."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from deepchat_desktop.core import Core, open_core
from deepchat_desktop.domain.settings import ModelSettings, ProviderSettings
from deepchat_desktop.presenters.bridge import EventBridge
from deepchat_desktop.presenters.window_shell import WindowShell
from deepchat_desktop.ui.settings.page import SettingsPage
from deepchat_desktop.ui.settings.providers import ProvidersPage
from tests.fakes.wire_server import WireServer


@dataclass
class Desk:
    """A page that is shown, and what lies under it."""

    core: Core
    shell: WindowShell
    page: SettingsPage
    notices: list[tuple[str, str]] = field(default_factory=list)

    @property
    def providers(self) -> ProvidersPage:
        found = self.page.pages.widget(1)
        assert isinstance(found, ProvidersPage)
        return found

    def provider(self, key: str = "p") -> ProviderSettings:
        return self.core.models.provider_settings(key)

    def set_up(self, base_url: str, *models: str, key: str = "p", **changes: Any) -> None:
        """Add a provider to the settings."""
        made = ProviderSettings(
            id=key,
            name=key.upper(),
            api=changes.pop("api", "openai_chat"),
            base_url=base_url,
            models=tuple(ModelSettings(id=each) for each in models),
            **changes,
        )
        settings = self.core.settings
        self.core.keep_settings(settings.model_copy(update={"providers": (*settings.providers, made)}))
        self.shell.settings.changed.emit()
        self.providers.choose(key)

    async def until(self, condition: Callable[[], object], seconds: float = 10.0) -> None:
        async with asyncio.timeout(seconds):
            while not condition():
                await asyncio.sleep(0.005)

    async def settled(self, key: str = "p") -> None:
        await self.until(lambda: not self.shell.settings.is_busy(key))

    async def on_disk(self) -> str:
        """Return the settings file once everything is written."""
        await self.until(lambda: self.core._keeping is None)
        return self.core.settings_file.path.read_text(encoding="utf-8")


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer() as running:
        yield running


@pytest.fixture
async def desk(qt_loop: Any, data_dir: Path) -> AsyncIterator[Desk]:
    bridge = EventBridge()
    core = open_core(data_dir, bridge.post)
    await core.start()
    shell = WindowShell(core, bridge)
    shell.load()
    page = SettingsPage(shell.settings, shell.setup)
    made = Desk(core, shell, page)
    shell.settings.notice.connect(lambda code, words: made.notices.append((code, words)))
    page.resize(1100, 900)
    page.show_page(1)
    page.show()
    yield made
    page.hide()
    page.deleteLater()
    await core.close()
    await asyncio.sleep(0)
