"""One run of the local model's process: started, waited for, watched, stopped.

Ready means that two things happened within the time limit: the process told its port, and ``/health`` answered 200.
"""

import asyncio
import json
import logging
import secrets
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from deepchat_desktop.domain.errors import LocalModelError
from deepchat_desktop.services.http import new_client
from deepchat_desktop.services.secrets import mask, remember
from deepchat_desktop.workers import spawn

StartTask = Callable[[Coroutine[Any, Any, Any], str], "asyncio.Task[Any]"]
CONNECT_LIMIT_S = 2.0
_log = logging.getLogger(__name__)

MESSAGES = {
    "no_engine": (
        "The local model's engine is not installed. Install this program with its extra \"local\" "
        "(pip install 'deepchat-desktop[local]')."
    ),
    "no_file": "The model file cannot be read ({detail}). Fetch it again with: deepchat models pull",
    "not_gguf": "The model file is not a GGUF file. Remove it and fetch the model again with: deepchat models pull",
    "not_loaded": (
        "The local model could not be loaded: the file is damaged or of an unknown kind, or memory ran out. "
        "Fetch it again with: deepchat models pull, or choose a smaller context."
    ),
    "no_memory": "There is not enough memory for the local model. Close other programs or choose a smaller model.",
    "no_answer": "The local model did not get ready in {seconds:.0f} seconds. The computer may be busy: try again.",
    "ended": (
        "The local model's process ended while it was loading (exit code {exit}). "
        "Memory may have run out: close other programs or choose a smaller model."
    ),
    "stopped": "The local model was stopped while it was loading.",
    "not_started": "The local model's process could not be started ({detail}).",
}


@dataclass(frozen=True)
class LocalEndpoint:
    """Where the running model answers, and the token it wants."""

    base_url: str
    token: str


def failure(code: str, *, retryable: bool = False, **params: Any) -> LocalModelError:
    """Return the error for one of the codes of ``MESSAGES``."""
    text = MESSAGES[code].format(**params)
    return LocalModelError(text, code=f"local_model_{code}", params=params, retryable=retryable)


class ModelServer:
    """A started process that is ready to answer."""

    def __init__(self, process: asyncio.subprocess.Process, model_id: str, context: int, token: str) -> None:
        self._process = process
        self._errors: deque[bytes] = deque(maxlen=20)
        self._stopping = False
        self.model_id = model_id
        self.context = context
        self.endpoint = LocalEndpoint("", token)

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.returncode is None

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    async def listens(self) -> bool:
        """Whether the port still takes connections: a killed process is known here before its exit is."""
        if not self.alive:
            return False
        port = urlsplit(self.endpoint.base_url).port
        try:
            async with asyncio.timeout(CONNECT_LIMIT_S):
                _reader, writer = await asyncio.open_connection("127.0.0.1", port)
        except (OSError, TimeoutError):
            return False
        writer.close()
        return True

    async def exited(self) -> int:
        """Wait for the end of the process and return its exit code."""
        return await self._process.wait()

    async def stop(self) -> None:
        """End the process; bounded, and it is gone afterwards."""
        self._stopping = True
        await spawn.stop(self._process)

    async def become_ready(self, limit_s: float) -> None:
        """Wait until the model is loaded and answers. Raises ``LocalModelError``."""
        try:
            async with asyncio.timeout(limit_s):
                port = await self._told_port()
                self.endpoint = LocalEndpoint(f"http://127.0.0.1:{port}/v1", self.endpoint.token)
                await self._healthy(port)
        except TimeoutError:
            raise failure("no_answer", retryable=True, seconds=limit_s) from None

    async def _told_port(self) -> int:
        assert self._process.stdout is not None
        line = await self._process.stdout.readline()
        if not line:
            code = await self._process.wait()
            if self._stopping:
                raise failure("stopped")
            _log.error("Local model ended at start, exit %s: %s", code, mask(self.last_words()))
            raise failure("ended", retryable=True, exit=code)
        said = json.loads(line)
        if "error" in said:
            await self._process.wait()
            raise failure(str(said["error"]), detail=str(said.get("detail", "")))
        return int(said["port"])

    async def _healthy(self, port: int) -> None:
        import httpx

        url = f"http://127.0.0.1:{port}/health"
        async with new_client(url, keepalive=False) as client:
            while self.alive:
                try:
                    if (await client.get(url)).status_code == 200:
                        return
                except httpx.TransportError as error:
                    _log.debug("Local model does not answer yet: %s", error)
                await asyncio.sleep(0.05)
        raise failure("ended", retryable=True, exit=self._process.returncode)

    async def drain(self) -> None:
        """Read what the process writes to stderr until it ends, so that its pipe never fills; keep the last lines."""
        assert self._process.stderr is not None
        while chunk := await self._process.stderr.read(4096):
            self._errors.append(chunk)

    def last_words(self) -> str:
        """Return the end of what the process wrote to stderr."""
        return b"".join(self._errors).decode(errors="replace")[-2000:]


async def start_server(path: Path, model_id: str, context: int, *, start_task: StartTask) -> ModelServer:
    """Start a process for the file ``path``; it is not ready yet. Raises ``LocalModelError``."""
    token = secrets.token_urlsafe(24)
    remember(token)
    config = {"model": str(path), "context": context, "token": token}
    try:
        process = await spawn.start_worker("local_model", config)
    except OSError as error:
        raise failure("not_started", detail=error.strerror or str(error)) from error
    server = ModelServer(process, model_id, context, token)
    start_task(server.drain(), "local-model-stderr")
    return server
