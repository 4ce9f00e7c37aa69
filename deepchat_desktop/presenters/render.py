"""What the render process made, kept by its key, for views that look synchronously and are told when it has come.

Invariants: a key is asked for once while it is kept; at most ``BYTES`` of results are kept, the ones used last, and
failures among them; a result went through its job's check before a view sees it.
"""

import hashlib
import json
import logging
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from deepchat_desktop.services.render import RenderFailed, RenderWorker

_log = logging.getLogger(__name__)
BYTES = 32_000_000
_ENTRY = 200
"""What an entry costs beside its result, in bytes."""


@dataclass(frozen=True)
class Job:
    """One thing to make. ``check`` turns the process's answer into what views use; it raises ValueError."""

    kind: str
    arguments: dict[str, Any]
    check: Callable[[Any], Any]

    def key(self) -> str:
        """Return what this job's result is kept by."""
        told = json.dumps([self.kind, self.arguments], sort_keys=True).encode()
        return hashlib.blake2b(told, digest_size=16).hexdigest()


@dataclass(frozen=True)
class Made:
    """A result, or one line about why there is none."""

    value: Any = None
    problem: str = ""


class Renders(QObject):
    """Asks the render process and keeps what it made."""

    done = Signal(str)
    """The key of a job that has a result or a problem now."""

    def __init__(self, worker: RenderWorker, start_task: Callable[..., object]) -> None:
        super().__init__()
        self._worker, self._start_task = worker, start_task
        self._made: OrderedDict[str, tuple[Made, int]] = OrderedDict()
        self._asked: set[str] = set()
        self.bytes = 0

    def look(self, key: str) -> Made | None:
        """Return what was made, or None."""
        found = self._made.get(key)
        if found is None:
            return None
        self._made.move_to_end(key)
        return found[0]

    def take(self, key: str) -> Made | None:
        """Return what was made and keep it no longer."""
        found = self._made.pop(key, None)
        if found is None:
            return None
        self.bytes -= found[1]
        return found[0]

    def want(self, job: Job, key: str) -> None:
        """Have a job done, if it is not being done; ``done`` comes later."""
        if key not in self._asked:
            self._asked.add(key)
            self._start_task(self._make(job, key), f"render {job.kind}")

    async def _make(self, job: Job, key: str) -> None:
        size = 0
        try:
            answer = await self._worker.ask(job.kind, job.arguments)
            size = _size(answer)
            made = Made(job.check(answer))
        except RenderFailed as error:
            made = Made(problem=str(error))
        except (ValueError, TypeError, KeyError):  # it is no answer to what was asked
            _log.info("The answer to a %s job cannot be used", job.kind, exc_info=True)
            made = Made(problem="It was drawn, but the picture is not fit to be shown.")
        finally:
            self._asked.discard(key)
        self._keep(key, made, size + _ENTRY)
        self.done.emit(key)

    def _keep(self, key: str, made: Made, size: int) -> None:
        self.take(key)
        self._made[key] = (made, size)
        self.bytes += size
        while self.bytes > BYTES and len(self._made) > 1:
            _, (_, freed) = self._made.popitem(last=False)
            self.bytes -= freed


def _size(answer: Any) -> int:
    """Return about how many bytes an answer holds."""
    match answer:
        case str():
            return len(answer)
        case dict():
            return sum(map(_size, answer.values()))
        case list():
            return 32 * len(answer)
        case _:
            return 8
