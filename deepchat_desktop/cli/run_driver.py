"""Carries a run to its end in the terminal: answers permissions as told, stops on Ctrl+C, gives the exit code.

The first Ctrl+C (or SIGTERM) stops the run and keeps what came; a second one ends the process at once.
"""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Literal

from deepchat_desktop.cli import STOPPED_EXIT
from deepchat_desktop.cli.run_printer import RunPrinter
from deepchat_desktop.core import Core
from deepchat_desktop.domain.events import RunEnded
from deepchat_desktop.domain.permission import Answer

OnPermission = Literal["pause", "deny", "allow"]
EXIT_CODES = {"completed": 0, "error": 1, "paused": 3, "aborted": STOPPED_EXIT}
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


async def carry_out(
    core: Core,
    session_id: str,
    start: Callable[[], Awaitable[RunEnded]],
    printer: RunPrinter,
    on_permission: OnPermission = "pause",
) -> int:
    """Await ``start`` and, unless told to pause, every run that follows an answered permission."""
    printer.watch(session_id)
    with stopping(lambda: core.tasks.start(core.runtime.cancel(session_id), f"stop {session_id}")) as stopped:
        ended = await start()
        while ended.outcome == "paused" and on_permission != "pause" and not stopped():
            following = await _answer_all(core, ended, allow=on_permission == "allow")
            if following is None:
                break
            ended = following
    printer.finish(ended)
    return STOPPED_EXIT if stopped() else EXIT_CODES[ended.outcome]


async def _answer_all(core: Core, ended: RunEnded, *, allow: bool) -> RunEnded | None:
    """Answer what waits, each for this one call. Returns the run that follows the last answer, if there is one."""
    following: RunEnded | None = None
    for item in ended.pending:
        if item.kind == "permission":
            # One answer may settle others too: for those nothing comes back.
            following = await core.runtime.respond(item.id, Answer(allow=allow, scope="once")) or following
    return following


@contextmanager
def stopping(stop: Callable[[], object]) -> Iterator[Callable[[], bool]]:
    """Call ``stop`` on the event loop at the first signal; gives a function that tells whether it came."""
    loop = asyncio.get_running_loop()
    seen = False

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        nonlocal seen
        seen = True
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        loop.call_soon_threadsafe(stop)

    before = {number: signal.signal(number, on_signal) for number in _SIGNALS}
    try:
        yield lambda: seen
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
