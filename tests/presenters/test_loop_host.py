"""The event loop inside Qt closes what nobody finished."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator

from PySide6.QtCore import QCoreApplication

from deepchat_desktop.presenters.loop_host import LoopHost


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
