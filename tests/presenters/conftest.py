"""The real presenters over a real core on the Qt loop, with a scripted model server."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from deepchat_desktop.core import Core, open_core
from deepchat_desktop.domain.messages import Connection
from deepchat_desktop.domain.settings import ModelSettings, ProviderSettings
from deepchat_desktop.presenters.bridge import EventBridge
from deepchat_desktop.presenters.window_shell import WindowShell
from tests.fakes.wire_server import WireServer


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer() as running:
        yield running


@dataclass
class Stage:
    """What a presenter test holds."""

    core: Core
    shell: WindowShell
    server: WireServer
    workspace: Path

    async def until(self, condition: Callable[[], object], seconds: float = 10.0) -> None:
        """Let the loop turn until ``condition`` holds."""
        async with asyncio.timeout(seconds):
            while not condition():
                await asyncio.sleep(0.005)

    def use_server(self) -> None:
        provider = ProviderSettings(
            id="fake", name="Fake", api="openai_chat", base_url=self.server.base_url, models=(ModelSettings(id="m"),)
        )
        self.core.save_settings(
            self.core.settings.model_copy(
                update={
                    "providers": (provider,),
                    "default_provider": "fake",
                    "default_model": "m",
                    "workspace": str(self.workspace),
                }
            )
        )
        self.shell.agent.set_workspace(str(self.workspace))

    @property
    def connection(self) -> Connection:
        return Connection(provider="fake", model="m")


@pytest.fixture
async def stage(qt_loop: object, data_dir: Path, tmp_path: Path, server: WireServer) -> AsyncIterator[Stage]:
    workspace = tmp_path / "project"
    workspace.mkdir()
    bridge = EventBridge()
    core = open_core(data_dir, bridge.post)
    await core.start()
    shell = WindowShell(core, bridge)
    shell.load()
    made = Stage(core, shell, server, workspace)
    made.use_server()
    yield made
    await core.close()
    await asyncio.sleep(0)
