"""The core without a window: builds every service of one data folder. The command line and the app share it.

A service is built, and its modules are imported, when it is first asked for: the window paints before most of them.
"""

import asyncio
import logging
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from deepchat_desktop.boot import make_private
from deepchat_desktop.domain.errors import DeepChatError
from deepchat_desktop.domain.events import Notice, RuntimeEvent
from deepchat_desktop.domain.messages import Message
from deepchat_desktop.domain.settings import AppSettings
from deepchat_desktop.services.runtime.tasks import TaskOwner
from deepchat_desktop.services.settings_file import SettingsFile
from deepchat_desktop.services.store import Store

if TYPE_CHECKING:
    from deepchat_desktop.services.local_model.service import LocalModel
    from deepchat_desktop.services.providers.directory import ModelDirectory
    from deepchat_desktop.services.runtime.runtime import Runtime
    from deepchat_desktop.services.secrets import Secrets

_log = logging.getLogger(__name__)


class Core:
    """Everything below the presenters."""

    def __init__(
        self,
        data_dir: Path,
        store: Store,
        settings_file: SettingsFile,
        emit: Callable[[RuntimeEvent], None],
        tasks: TaskOwner,
    ) -> None:
        self.data_dir = data_dir
        self.store = store
        self.settings_file = settings_file
        self.settings: AppSettings = settings_file.load()
        self.tasks = tasks
        self._emit = emit
        self._keeping: asyncio.Task[None] | None = None
        self._closed = False

    @cached_property
    def secrets(self) -> "Secrets":
        """The keys."""
        from deepchat_desktop.services.secrets import Secrets

        return Secrets()

    @cached_property
    def local_model(self) -> "LocalModel":
        """The embedded model."""
        from deepchat_desktop.services.local_model.service import LocalModel

        return LocalModel(self.data_dir / "models", self.tasks.start)

    @cached_property
    def models(self) -> "ModelDirectory":
        """Every model that can be asked."""
        from deepchat_desktop.services.providers.directory import ModelDirectory

        return ModelDirectory(lambda: self.settings, self.secrets, self.local_model)

    @cached_property
    def runtime(self) -> "Runtime":
        """The agent runtime."""
        from deepchat_desktop.services.runtime.runtime import Runtime
        from deepchat_desktop.services.tools.router import ToolRouter

        return Runtime(self.store, self.models, ToolRouter(self.data_dir), self.tasks, self._emit)

    def save_settings(self, settings: AppSettings) -> None:
        """Take over new settings and write them (blocking). Raises ``ConfigError``."""
        self.settings_file.save(settings)
        self.settings = settings

    def keep_settings(self, settings: AppSettings) -> None:
        """Take over new settings at once and write them soon, off the event loop; a failure is told as a notice.

        Once the core is closed nothing is written any more.
        """
        self.settings = settings
        if self._keeping is None and not self._closed:
            self._keeping = self.tasks.start(self._write_settings(), "save settings")

    async def _write_settings(self) -> None:
        written = None
        try:
            while written is not self.settings:
                written = self.settings
                await asyncio.to_thread(self.settings_file.save, written)
        except DeepChatError as error:
            self._emit(Notice(code=error.code, text=error.user_message))
        finally:
            self._keeping = None

    def start_now(self) -> list[Message]:
        """Be ``start`` for a caller that lets nothing else happen meanwhile (blocking)."""
        return self.runtime.recover_now()

    async def start(self) -> list[Message]:
        """Put in order what a former process left; return the messages that changed."""
        return await self.runtime.recover()

    async def close(self) -> None:
        """Stop runs, then helper processes, then tasks; close the clients and the store last."""
        built = self.__dict__
        try:
            if "runtime" in built:
                await self.runtime.close()
            if "local_model" in built:
                await self.local_model.stop()
            if "models" in built:
                await self.models.aclose()
            if self._keeping is not None:
                await self._keeping
            self._closed = True
            if left := await self.tasks.close():
                _log.warning("Tasks that did not end in time: %s", ", ".join(left))
        finally:
            await self.store.close()


def open_core(
    data_dir: Path, emit: Callable[[RuntimeEvent], None], *, read_only: bool = False, tasks: TaskOwner | None = None
) -> Core:
    """Open a data folder and build the core over it (blocking).

    Raises ``StoreError`` and its kinds. ``emit`` gets every runtime event, on the event loop's thread.
    """
    if not read_only:
        make_private(data_dir)
    store = Store.open(data_dir, read_only=read_only)
    try:
        return Core(data_dir, store, SettingsFile(data_dir / "settings.json"), emit, tasks or TaskOwner())
    except BaseException:
        store.close_now()
        raise
