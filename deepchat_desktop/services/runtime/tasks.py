"""The owner of every asyncio task: each has a name, somebody who waits for it, and a sink for its failure.

A failed task whose reference is kept is silent, and one whose reference is lost may vanish: so tasks are
started here and nowhere else.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

CLOSE_LIMIT_S = 3.0
T = TypeVar("T")
_log = logging.getLogger(__name__)

FailureSink = Callable[[str, BaseException], None]


def log_failure(name: str, error: BaseException) -> None:
    """Write an unexpected failure of a task to the log."""
    _log.error("Task %s failed", name, exc_info=error)


class TaskOwner:
    """Starts tasks, keeps them until they end, and ends them in one bounded step."""

    def __init__(self, on_failure: FailureSink = log_failure) -> None:
        self._on_failure = on_failure
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, T], name: str, *, awaited: bool = False) -> asyncio.Task[T]:
        """Start ``work``. With ``awaited`` the caller receives its failure, otherwise the sink does."""
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if not awaited:
            task.add_done_callback(self._report)
        return task

    def _report(self, task: asyncio.Task[Any]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self._on_failure(task.get_name(), error)

    async def close(self) -> list[str]:
        """Cancel what runs and wait for it, bounded; return the names of tasks that did not end."""
        current = asyncio.current_task()
        todo = {task for task in self._tasks if task is not current}
        for task in todo:
            task.cancel()
        if not todo:
            return []
        _done, left = await asyncio.wait(todo, timeout=CLOSE_LIMIT_S)
        return sorted(task.get_name() for task in left)
