"""The core without a window: builds every service of one data folder. The command line and the app share it."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from deepchat_desktop.boot import make_private
from deepchat_desktop.domain.events import RuntimeEvent
from deepchat_desktop.domain.messages import Message
from deepchat_desktop.domain.settings import AppSettings
from deepchat_desktop.services.local_model import LocalModel
from deepchat_desktop.services.providers.directory import ModelDirectory
from deepchat_desktop.services.runtime.runtime import Runtime
from deepchat_desktop.services.runtime.tasks import TaskOwner
from deepchat_desktop.services.secrets import Secrets
from deepchat_desktop.services.settings_file import SettingsFile
from deepchat_desktop.services.store import Store
from deepchat_desktop.services.tools.router import ToolRouter

_log = logging.getLogger(__name__)


@dataclass
class Core:
    """Everything below the presenters."""

    data_dir: Path
    store: Store
    settings_file: SettingsFile
    settings: AppSettings
    secrets: Secrets
    local_model: LocalModel
    models: ModelDirectory
    runtime: Runtime
    tasks: TaskOwner

    def save_settings(self, settings: AppSettings) -> None:
        """Take over new settings and write them. Raises ``StoreError``."""
        self.settings_file.save(settings)
        self.settings = settings

    async def start(self) -> list[Message]:
        """Put in order what a former process left; return the messages that changed."""
        return await self.runtime.recover()

    async def close(self) -> None:
        """Stop runs, then helper processes, then tasks; close the clients and the store last."""
        await self.runtime.close()
        await self.local_model.stop()
        await self.models.aclose()
        if left := await self.tasks.close():
            _log.warning("Tasks that did not end in time: %s", ", ".join(left))
        await self.store.close()


def open_core(
    data_dir: Path, emit: Callable[[RuntimeEvent], None], *, read_only: bool = False, tasks: TaskOwner | None = None
) -> Core:
    """Open a data folder and build the core over it (blocking).

    Raises ``StoreError`` and its kinds. ``emit`` gets every runtime event, on the event loop's thread.
    """
    if not read_only:
        make_private(data_dir)
    owner = tasks or TaskOwner()
    store = Store.open(data_dir, read_only=read_only)
    settings_file = SettingsFile(data_dir / "settings.json")
    settings = settings_file.load()
    secrets = Secrets()
    local = LocalModel(data_dir / "models", owner.start)
    core: Core

    def current() -> AppSettings:
        return core.settings

    models = ModelDirectory(current, secrets, local)
    runtime = Runtime(store, models, ToolRouter(data_dir), owner, emit)
    core = Core(data_dir, store, settings_file, settings, secrets, local, models, runtime, owner)
    return core
