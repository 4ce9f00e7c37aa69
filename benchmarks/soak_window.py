"""The window of the soak: works its own window in rounds and prints what it saw as one line of JSON.

    python -m benchmarks.soak_window DATA_DIR PORT SECONDS

prints "begin" when everything was used once; from then on memory, files, threads and tasks are expected to stay.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QKeySequence

from benchmarks.message_list import corpus
from benchmarks.real_window import RealWindow, click, key, press, provider, run, type_text, wheel
from benchmarks.soak import LONG, answer_text
from deepchat_desktop.domain.blocks import TextBlock
from deepchat_desktop.domain.messages import Message, Session
from deepchat_desktop.services.store import Store, Tx
from deepchat_desktop.ui.chat.find_bar import FindBar
from deepchat_desktop.ui.chat.minimap import Minimap

SHORT = ("one", "two", "three")
FRAME_S = 0.02
SIZES = ((900, 640), (1180, 820), (780, 560), (1200, 800))
REST_S = 3.0


def fill(data_dir: Path, port: int) -> None:
    """Add short sessions beside the long one, and the provider."""
    store = Store.open(data_dir)

    def write(tx: Any) -> None:
        for name in SHORT:
            tx.sessions.add(Session(id=name, title=name, created_at=2, updated_at=2))

    store.write_now(write)
    store.close_now()
    provider(data_dir, port)


class Soak:
    """The rounds over one window."""

    def __init__(self, window: RealWindow) -> None:
        self.w = window
        self.chance = Random(corpus.SEED)
        self.rounds = 0
        self.asked: dict[str, int] = {}
        self.streamed_s = 0.0
        self.worst: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Note the longest hold of the loop under a name."""
        before = self.w.heart.take_max()
        self.worst["between"] = max(self.worst.get("between", 0.0), before)
        try:
            yield
        finally:
            self.worst[name] = max(self.worst.get(name, 0.0), self.w.heart.take_max())

    async def round(self) -> None:
        """Ask in one session; do everything to the window until the answer is there."""
        session = SHORT[self.rounds % len(SHORT)] if self.rounds % 4 else LONG
        with self.step("switch session"):
            await self.w.open(session)
        with self.step("ask"):
            await self.w.ask(f"Go on with part {self.rounds}.")
        self.asked[session] = self.asked.get(session, 0) + 1
        began = time.monotonic()
        acts: list[tuple[str, Callable[[], Awaitable[None]]]] = [
            ("scroll", self.scroll), ("jump on the map", self.jump), ("select", self.select), ("copy", self.copy),
            ("find", self.find), ("resize", self.resize), ("type", self.type),
            ("switch session", lambda: self.switch(session)),
        ]  # fmt: skip
        for name, act in acts:
            with self.step(name):
                await act()
        with self.step("stream"):
            await self.w.until(lambda: not self.w.core.runtime.is_running(session))
        self.streamed_s += time.monotonic() - began
        self.rounds += 1

    async def scroll(self) -> None:
        view = self.w.chat.message_list
        for at in range(30):
            wheel(view.viewport(), 60 if at < 20 else -120)
            await asyncio.sleep(FRAME_S)
        view.to_end()

    async def jump(self) -> None:
        (strip,) = self.w.chat.findChildren(Minimap)
        for _ in range(5):
            click(strip, QPointF(28, self.chance.randint(5, max(6, strip.height() - 60))))
            await asyncio.sleep(3 * FRAME_S)

    async def select(self) -> None:
        view = self.w.chat.message_list
        end = QPointF(view.viewport().width() / 2, view.viewport().height() - 80)
        click(view.viewport(), QPointF(view.column().left() + 40, 40), end)
        await asyncio.sleep(FRAME_S)

    async def copy(self) -> None:
        press(self.w.chat.message_list, QKeySequence.StandardKey.Copy)
        await asyncio.sleep(FRAME_S)
        self.w.copied()
        await asyncio.sleep(FRAME_S)
        self.w.chat.message_list.selection.clear()

    async def find(self) -> None:
        self.w.chat.open_find()
        (bar,) = self.w.chat.findChildren(FindBar)
        field = bar.field
        type_text(field, self.chance.choice(corpus.ENGLISH))
        await asyncio.sleep(10 * FRAME_S)
        for _ in range(3):
            key(field, Qt.Key.Key_Return)
            await asyncio.sleep(2 * FRAME_S)
        field.clear()
        key(field, Qt.Key.Key_Escape)

    async def resize(self) -> None:
        for size in SIZES:
            self.w.window.resize(*size)
            await asyncio.sleep(3 * FRAME_S)

    async def type(self) -> None:
        edit = self.w.chat.composer.edit
        for letter in "half a thought":
            type_text(edit, letter)
            await asyncio.sleep(FRAME_S)
        edit.selectAll()
        key(edit, Qt.Key.Key_Backspace)
        await asyncio.sleep(FRAME_S)

    async def switch(self, back: str) -> None:
        for other in (LONG, *SHORT, back):
            await self.w.open(other)
            await asyncio.sleep(5 * FRAME_S)

    async def wrong(self) -> int:
        """Return how many answers are missing, or are not what the server sent."""
        sent, missing = answer_text(), 0
        for session, count in self.asked.items():
            answers = await self.w.core.store.read(partial(_answered, session))
            right = sum(
                "".join(block.text for block in message.blocks if isinstance(block, TextBlock)) == sent
                for message in answers
            )
            missing += abs(count - right)
        return missing


def _answered(session: str, tx: Tx) -> list[Message]:
    return [found for found in tx.messages.of_session(session) if found.run_id and found.role == "assistant"]


def held() -> dict[str, int]:
    """Return how many files, threads and tasks this process has."""
    return {
        "files": len(list(Path("/proc/self/fd").iterdir())),
        "threads": len(list(Path("/proc/self/task").iterdir())),
        "tasks": len(asyncio.all_tasks()),
    }  # fmt: skip


async def drive(window: RealWindow, seconds: float) -> int:
    """Use everything once, then go round for so long, and print the figures."""
    soak = Soak(window)
    for _ in range(2):
        await soak.round()
    await asyncio.sleep(REST_S)
    before = held()
    print("begin", flush=True)
    window.heart.start()
    soak.worst.clear()
    first, soak.streamed_s = soak.rounds, 0.0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        await soak.round()
    answers = soak.rounds - first
    p99 = window.heart.percentile(0.99)
    await asyncio.sleep(REST_S)
    worst = sorted(soak.worst.items(), key=lambda item: -item[1])
    print(json.dumps({
        "rounds": answers, "answers": sum(soak.asked.values()), "before": before, "after": held(), "p99_ms": p99,
        "rate": answers * len(corpus.cut(answer_text())) / soak.streamed_s, "wrong": await soak.wrong(),
        "max_ms": worst[0][1], "worst": ", ".join(f"{name} {ms:.0f}" for name, ms in worst),
        "records": window.complaints.records, "exceptions": window.complaints.exceptions,
    }), flush=True)  # fmt: skip
    return 0


def main(arguments: list[str]) -> None:
    data_dir, port, seconds = Path(arguments[0]), int(arguments[1]), float(arguments[2])
    fill(data_dir, port)
    code = run(data_dir, lambda window: drive(window, seconds))
    sys.stdout.flush()
    os._exit(code)  # all is stored and closed: taking down the widgets is no part of it


if __name__ == "__main__":
    main(sys.argv[1:])
