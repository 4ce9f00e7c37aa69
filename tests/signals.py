"""Awaiting a Qt signal inside an async test without a nested event loop (never `qtbot.wait*`)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio


@asynccontextmanager
async def emitted(signal: Any, seconds: float = 10) -> AsyncIterator[list[Any]]:
    """Run the body, then wait until `signal` was emitted; the list receives its arguments (a tuple each time)."""
    seen: list[Any] = []
    came = asyncio.Event()

    def slot(*arguments: Any) -> None:
        seen.append(arguments)
        came.set()

    signal.connect(slot)
    try:
        yield seen
        with anyio.fail_after(seconds):
            await came.wait()
    finally:
        signal.disconnect(slot)


async def until(condition: Any, seconds: float = 10) -> None:
    """Wait until `condition()` is true; TimeoutError after `seconds`."""
    with anyio.fail_after(seconds):
        while not condition():
            await asyncio.sleep(0.005)
