"""The asyncio event loop inside Qt, with timers that end when they are cancelled, and generators that are finished.

qasync keeps the Qt timer of a cancelled callback until its time has come. A reader that guards each piece of a stream
with a time-out of minutes would leave thousands of them behind, with all that they hold. Nor does it, as asyncio's own
loop does, take care of async generators that nobody reads on: what stands in their ``finally`` would run outside of
any task, if at all, and with it the closing of a connection.
"""

import asyncio
import contextvars
import sys
from collections.abc import Callable
from typing import Any

import qasync
from PySide6.QtCore import QObject, QTimerEvent

LONGEST_MS = 2**31 - 1


class _Later(asyncio.Handle):
    """A callback that waits for its time."""

    timer = 0

    def __init__(
        self,
        callback: Callable[..., object],
        args: tuple[Any, ...],
        loop: "QtLoop",
        context: contextvars.Context | None,
    ) -> None:
        super().__init__(callback, args, loop, context)
        self._timers = loop.timers

    def cancel(self) -> None:
        super().cancel()
        self._timers.drop(self.timer)

    def run(self) -> None:
        """Call the callback, unless it was cancelled."""
        if not self.cancelled():
            self._run()


class Timers(QObject):
    """The callbacks that wait, each with a Qt timer."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: dict[int, _Later] = {}

    def count(self) -> int:
        """Return how many wait."""
        return len(self._waiting)

    def add(self, handle: _Later, delay_s: float) -> None:
        """Call ``handle`` in so many seconds."""
        handle.timer = self.startTimer(min(LONGEST_MS, round(delay_s * 1000)))
        self._waiting[handle.timer] = handle

    def drop(self, timer: int) -> None:
        """Let a callback go, if it still waits."""
        if self._waiting.pop(timer, None) is not None:
            self.killTimer(timer)

    def stop(self) -> None:
        """Let all go."""
        for timer in list(self._waiting):
            self.drop(timer)

    def timerEvent(self, event: QTimerEvent) -> None:
        timer = event.timerId()
        handle = self._waiting.get(timer)
        self.drop(timer)
        if handle is not None:
            handle.run()


class QtLoop(qasync.QEventLoop):  # type: ignore[misc]
    """See the module."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.timers = Timers()
        super().__init__(*args, **kwargs)

    def run_forever(self) -> Any:
        """Run until ``stop``."""
        before = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(firstiter=self._asyncgen_firstiter_hook, finalizer=self._asyncgen_finalizer_hook)
        try:
            return super().run_forever()
        finally:
            sys.set_asyncgen_hooks(*before)

    def call_later(
        self, delay: float, callback: Callable[..., object], *args: Any, context: contextvars.Context | None = None
    ) -> asyncio.Handle:
        """Call back in ``delay`` seconds; what is due at once keeps its order in qasync's own queue."""
        if delay <= 0:
            soon: asyncio.Handle = super().call_later(delay, callback, *args, context=context)
            return soon
        handle = _Later(callback, args, self, context)
        self.timers.add(handle, delay)
        return handle

    def close(self) -> None:
        """Close the loop; what still waits is let go of."""
        self.timers.stop()
        super().close()
