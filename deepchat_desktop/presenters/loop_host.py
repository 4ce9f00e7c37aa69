"""The host of the one event loop: asyncio inside Qt, by qasync. The only module that knows how.

Rules that keep it sound: no nested Qt loop in a task step; the default executor is Python's own; closing is an
event that ``main`` waits for, and everything is torn down inside the loop before it closes.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import qasync
from PySide6.QtCore import QCoreApplication

_log = logging.getLogger(__name__)


class LoopHost:
    """Runs one coroutine to its end inside the Qt event loop."""

    def __init__(self, app: QCoreApplication) -> None:
        self._loop = qasync.QEventLoop(app, already_running=False)
        self._closing: asyncio.Event | None = None
        self._executor = ThreadPoolExecutor(thread_name_prefix="work")

    def run(self, main: Callable[[asyncio.Event], Coroutine[Any, Any, int]]) -> int:
        """Run ``main(closing)`` and return its result. ``closing`` is set by ``close``."""
        asyncio.set_event_loop(self._loop)
        self._loop.set_default_executor(self._executor)
        self._loop.set_exception_handler(_report)
        try:
            return int(self._loop.run_until_complete(self._main(main)))
        finally:
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._loop.close()
            asyncio.set_event_loop(None)

    def close(self) -> None:
        """Ask ``main`` to end. May be called more than once, from any slot."""
        if self._closing is not None:
            self._closing.set()

    async def _main(self, main: Callable[[asyncio.Event], Coroutine[Any, Any, int]]) -> int:
        self._closing = asyncio.Event()
        return await main(self._closing)


def _report(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    _log.error("Event loop: %s", context.get("message"), exc_info=context.get("exception"))
