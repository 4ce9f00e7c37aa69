"""The window that is given bad input: opens each text, works it, copies it, and prints a line of JSON for each.

    python -m benchmarks.bad_input_window FOLDER [NAME...]
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt

from benchmarks.bad_input import as_copied, pieces, streamed, texts
from benchmarks.real_window import RealWindow, key, provider, run, wheel
from benchmarks.soak import answer, script, server
from deepchat_desktop.domain.blocks import TextBlock
from deepchat_desktop.domain.messages import Message, Session
from deepchat_desktop.services.store import Store

QUIET_MS, QUIET_TIMES, QUIET_LIMIT = 12, 4, 120
STEP_S = 0.1
FRAME_S = 0.03
PAGES = 8


def fill(data_dir: Path, loaded: dict[str, str], asked: dict[str, str]) -> None:
    """Write a session for each text: with the text as an answer, or empty to ask in."""
    store = Store.open(data_dir)

    def write(tx: Any) -> None:
        tx.sessions.add(Session(id="empty", title="Empty", created_at=1, updated_at=1))
        for name, text in loaded.items():
            tx.sessions.add(Session(id=f"loaded {name}", title=name, created_at=1, updated_at=1))
            tx.messages.add(Message(
                id=f"answer {name}", session_id=f"loaded {name}", role="assistant", blocks=(TextBlock(text=text),),
                created_at=1, updated_at=1,
            ))  # fmt: skip
        for name in asked:
            tx.sessions.add(Session(id=f"streamed {name}", title=name, created_at=1, updated_at=1))

    store.write_now(write)
    store.close_now()


class Ordeal:
    """One text in the window. ``hold_ms`` is the longest hold of the loop by act."""

    def __init__(self, window: RealWindow) -> None:
        self.w = window
        self.hold_ms: dict[str, float] = {}

    def note(self, act: str) -> None:
        """Keep the longest hold since the last note."""
        self.hold_ms[act] = max(self.hold_ms.get(act, 0.0), self.w.heart.take_max())

    async def rest(self, act: str) -> None:
        """Wait until nothing is done any more for the text."""
        quiet = 0
        for _ in range(QUIET_LIMIT):
            await asyncio.sleep(STEP_S)
            late = self.w.heart.take_max()
            self.hold_ms[act] = max(self.hold_ms.get(act, 0.0), late)
            quiet = quiet + 1 if late < QUIET_MS else 0
            if quiet == QUIET_TIMES:
                return

    async def work(self) -> None:
        """Scroll, jump and resize."""
        view = self.w.chat.message_list
        for code in (Qt.Key.Key_Home, Qt.Key.Key_PageDown, Qt.Key.Key_End, Qt.Key.Key_PageUp):
            for _ in range(PAGES if code in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp) else 1):
                key(view, code)
                await asyncio.sleep(FRAME_S)
            self.note("scroll")
        for share in (0.5, 0.25, 0.75):
            view.verticalScrollBar().setValue(round(view.verticalScrollBar().maximum() * share))
            await asyncio.sleep(FRAME_S)
            wheel(view.viewport(), -120)
            await asyncio.sleep(FRAME_S)
        self.note("jump")
        for size in ((900, 640), (1200, 800)):
            self.w.window.resize(*size)
            await asyncio.sleep(2 * FRAME_S)
        await self.rest("resize")

    async def copy(self, text: str) -> bool:
        """Select all and copy; True if the text is what arrived, after the question if there was one."""
        self.w.heart.take_max()
        copied = self.w.copied()
        await asyncio.sleep(0)
        self.note("copy")
        self.w.chat.message_list.selection.clear()
        alone = self.w.shell.messages.count() == 1
        return copied == as_copied(text) if alone else copied.endswith("\n" + as_copied(text))

    def told(self, name: str, way: str, *, copied: bool) -> None:
        """Print what became of it."""
        said = {"name": name, "way": way, "hold_ms": self.hold_ms, "copied": copied}
        said |= {"records": self.w.complaints.records, "exceptions": self.w.complaints.exceptions}
        print(json.dumps(said), flush=True)
        self.w.complaints.records.clear()
        self.w.complaints.exceptions.clear()


async def drive(window: RealWindow, loaded: dict[str, str], asked: dict[str, str]) -> int:
    """Go through all texts."""
    for name, text in loaded.items():
        ordeal = Ordeal(window)
        window.heart.take_max()
        await window.open(f"loaded {name}")
        await ordeal.rest("open")
        await ordeal.work()
        ordeal.told(name, "loaded", copied=await ordeal.copy(text))
        await window.open("empty")
    for name, text in asked.items():
        ordeal = Ordeal(window)
        await window.open(f"streamed {name}")
        window.heart.take_max()
        await window.ask("Go on.")
        await window.until(lambda: not window.running())
        await ordeal.rest("stream")
        ordeal.told(name, "streamed", copied=await ordeal.copy(text))
    return 0


def main(arguments: list[str]) -> None:
    folder, names = Path(arguments[0]), arguments[1:]
    chosen: Callable[[dict[str, str]], dict[str, str]] = lambda of: {n: of[n] for n in (names or of)}  # noqa: E731
    loaded, asked = chosen(texts()), chosen(streamed())
    data_dir = folder / "data"
    data_dir.mkdir(mode=0o700)
    fill(data_dir, loaded, asked)
    with server(folder, script([answer(pieces(text)) for text in asked.values()])) as port:
        provider(data_dir, port)
        code = run(data_dir, lambda window: drive(window, loaded, asked))
    sys.stdout.flush()
    os._exit(code)  # all is stored and closed: taking down the widgets is no part of it


if __name__ == "__main__":
    main(sys.argv[1:])
