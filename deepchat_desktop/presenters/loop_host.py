"""The host of the one event loop: asyncio inside Qt, by qasync. The only module that knows how.

Rules that keep it sound: no nested Qt loop in a task step; the default executor is Python's own; closing is an
event that ``main`` waits for, and everything is torn down inside the loop before it closes.
"""

import asyncio
import logging
import signal
import socket
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from PySide6.QtCore import QCoreApplication, QSocketNotifier

from deepchat_desktop.presenters.qt_loop import QtLoop

_log = logging.getLogger(__name__)
_ENDING = (signal.SIGTERM, signal.SIGINT)


class LoopHost:
    """Runs one coroutine to its end inside the Qt event loop."""

    def __init__(self, app: QCoreApplication) -> None:
        self._loop = QtLoop(app, already_running=False)
        self._executor = ThreadPoolExecutor(thread_name_prefix="work")
        self.closing = asyncio.Event()
        """Set by ``close``; ``main`` waits for it."""

    def run(self, main: Callable[["LoopHost"], Coroutine[Any, Any, int]]) -> int:
        """Run ``main(host)`` and return its result. SIGTERM and SIGINT close it."""
        asyncio.set_event_loop(self._loop)
        self._loop.set_default_executor(self._executor)
        self._loop.set_exception_handler(_report)
        signals = _Signals(self.close)
        try:
            return int(self._loop.run_until_complete(main(self)))
        finally:
            signals.close()
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._loop.close()
            asyncio.set_event_loop(None)

    def close(self) -> None:
        """Ask ``main`` to end. May be called more than once, from any slot."""
        self.closing.set()


class _Signals:
    """Wakes Qt for Unix signals: a handler alone would only run at the next Python step."""

    def __init__(self, on_signal: Callable[[], None]) -> None:
        self._reader, self._writer = socket.socketpair()
        self._writer.setblocking(False)
        self._old_fd = signal.set_wakeup_fd(self._writer.fileno())
        self._old = {number: signal.signal(number, lambda *_: None) for number in _ENDING}
        self._on_signal = on_signal
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read)
        self._notifier.activated.connect(self._woken)

    def close(self) -> None:
        self._notifier.setEnabled(False)
        for number, handler in self._old.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._old_fd)
        self._reader.close()
        self._writer.close()

    def _woken(self) -> None:
        numbers = self._reader.recv(64)
        if any(number in numbers for number in _ENDING):
            self._on_signal()


def _report(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    _log.error("Event loop: %s", context.get("message"), exc_info=context.get("exception"))
