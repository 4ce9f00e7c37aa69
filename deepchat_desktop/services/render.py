"""The process that draws formulas and diagrams and reads long texts: started when needed, ended when idle or stuck.

Invariants: it holds no variable and no key of ours; one job at a time; a job that takes too long, or whose answer is
no answer, costs its process and only that job. At most ``WAITING`` jobs wait; more are refused.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from deepchat_desktop.workers import spawn
from deepchat_desktop.workers.frames import MAX_FRAME, BadFrame, Message, Unpacker, pack

WAITING = 200
IDLE_S = 60.0
LIMITS_S = {"formula": 8.0, "diagram": 20.0, "highlight": 15.0, "parity": 15.0}
"""How long a job of each kind may take, the start of the process included."""
_log = logging.getLogger(__name__)
StartTask = Callable[[Coroutine[Any, Any, Any], str], object]


class RenderFailed(Exception):
    """The job has no result; the words are one line for people."""


@dataclass
class _Job:
    message: Message
    limit_s: float
    result: asyncio.Future[Any] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class RenderWorker:
    """Owns the process; ``started`` counts processes, ``asked`` jobs. ``start_task`` starts a task that is owned."""

    def __init__(
        self, start_task: StartTask, *, idle_s: float = IDLE_S, limits_s: dict[str, float] | None = None,
        max_frame: int = MAX_FRAME,
    ) -> None:  # fmt: skip
        self._start_task = start_task
        self._idle_s, self._max_frame = idle_s, max_frame
        self._limits_s = LIMITS_S | (limits_s or {})
        self._jobs: asyncio.Queue[_Job] = asyncio.Queue(WAITING)
        self._process: asyncio.subprocess.Process | None = None
        self._running = False
        self.asked = 0
        self.started = 0

    @property
    def pid(self) -> int | None:
        """The id of the running process, or None."""
        return self._process.pid if self._process is not None else None

    async def ask(self, job: str, arguments: Message) -> Any:
        """Have one job done and return its result. Raises ``RenderFailed``."""
        self.asked += 1
        asked = _Job({**arguments, "id": self.asked, "job": job}, self._limits_s[job])
        try:
            self._jobs.put_nowait(asked)
        except asyncio.QueueFull:
            raise RenderFailed("Too much waits to be drawn.") from None
        if not self._running:
            self._running = True
            self._start_task(self._work(), "render worker")
        return await asked.result

    async def _work(self) -> None:
        """Do jobs until none has come for a while."""
        try:
            while True:
                try:
                    async with asyncio.timeout(self._idle_s):
                        job = await self._jobs.get()
                except TimeoutError:
                    return
                if not job.result.done():
                    await self._do(job)
        finally:
            self._running = False
            await self._end()
            while not self._jobs.empty():
                self._jobs.get_nowait().result.cancel()

    async def _do(self, job: _Job) -> None:
        try:
            async with asyncio.timeout(job.limit_s):
                answer = await self._exchange(job.message)
        except (TimeoutError, BadFrame, OSError, asyncio.IncompleteReadError) as error:
            _log.info("A %s job ended its process: %s", job.message["job"], type(error).__name__)
            await self._end()
            _fail(job, _WORDS.get(type(error), "It could not be drawn: the drawing process ended."))
        except BaseException:
            job.result.cancel()
            raise
        else:
            _settle(job, answer)

    async def _exchange(self, message: Message) -> Message:
        if self._process is None or self._process.returncode is not None:
            await self._end()
            self._process = await spawn.start_worker("render", {}, bare=True)
            self.started += 1
            self._unpacker = Unpacker(self._max_frame)
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(await asyncio.to_thread(pack, message))
        await process.stdin.drain()
        while True:
            data = await process.stdout.read(1 << 18)
            if not data:
                raise ConnectionError("the process ended")
            for answer in self._unpacker.feed(data):
                if answer.get("id") != message["id"]:
                    raise BadFrame("the answer to another job")
                return answer

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            spawn.kill(process)
            await spawn.stop(process)


_WORDS: dict[type[Exception], str] = {
    TimeoutError: "It took too long to draw.",
    BadFrame: "It is too large to be drawn.",
}


def _fail(job: _Job, words: str) -> None:
    if not job.result.done():
        job.result.set_exception(RenderFailed(words))


def _settle(job: _Job, answer: Message) -> None:
    if "done" in answer:
        if not job.result.done():
            job.result.set_result(answer["done"])
    else:
        _fail(job, str(answer.get("failed", ""))[:300] or "It could not be drawn.")
