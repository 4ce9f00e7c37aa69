"""The event loop inside Qt closes what nobody finished."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator

import pytest
from PySide6.QtCore import QCoreApplication

from deepchat_desktop.presenters.loop_host import LoopHost
from deepchat_desktop.presenters.qt_loop import QtLoop


def test_a_generator_that_is_left_in_the_middle_is_closed_in_the_loop(qapp: QCoreApplication) -> None:
    closed: list[bool] = []

    async def numbers() -> AsyncIterator[int]:
        try:
            yield 1
            yield 2
        finally:
            await asyncio.sleep(0)
            closed.append(asyncio.current_task() is not None)

    async def main(_host: LoopHost) -> int:
        async for _ in numbers():
            break
        gc.collect()
        for _ in range(5):
            await asyncio.sleep(0.01)
        return 0

    assert LoopHost(qapp).run(main) == 0
    assert closed == [True]


def test_a_cancelled_timer_leaves_nothing_behind(qapp: QCoreApplication) -> None:
    waiting: list[int] = []
    called: list[str] = []

    async def main(_host: LoopHost) -> int:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, QtLoop)
        for _ in range(1000):
            async with asyncio.timeout(180):
                await asyncio.sleep(0)
        waiting.append(loop.timers.count())
        loop.call_later(0.02, called.append, "second")
        loop.call_later(0.01, called.append, "first")
        loop.call_later(0.01, called.append, "never").cancel()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await asyncio.sleep(10)
        waiting.append(loop.timers.count())
        return 0

    assert LoopHost(qapp).run(main) == 0
    assert waiting == [0, 0]
    assert called == ["first", "second"]
