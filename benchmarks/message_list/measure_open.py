"""Opening the long conversation in our program, the database included: from the call to the coloured first screen."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

from benchmarks.message_list import corpus
from benchmarks.message_list.stage import QUIET_S, Watch
from benchmarks.message_list.subject import OURS, application, make
from deepchat_desktop.services.store import Store, StoredMessages

LIMIT_S = 20.0


def data_folder(path: Path) -> Path:
    """Return the data folder that belongs to a corpus file."""
    return path.parent / "data"


def stored(path: Path) -> StoredMessages:
    """Read the conversation's rows from the data folder beside its corpus file."""
    store = Store.open(data_folder(path), read_only=True)
    try:
        return store.read_now(lambda tx: tx.messages.stored("bench"))
    finally:
        store.close_now()


def fill(data_dir: Path, path: Path) -> None:
    """Write the conversation into a data folder, as the session "bench"."""
    from deepchat_desktop.domain.messages import Session

    messages = corpus.messages(path)
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    store = Store.open(data_dir)

    def write(tx: Any) -> None:
        tx.sessions.add(Session(id="bench", title="Long", created_at=1, updated_at=1))
        for message in messages:
            tx.messages.add(message)

    store.write_now(write)
    store.close_now()


def open_from_database(data_dir: Path) -> dict[str, Any]:
    """Open a short conversation, let it rest, then the long one through the session presenter, as a click does."""
    from deepchat_desktop.core import open_core
    from deepchat_desktop.presenters.bridge import EventBridge
    from deepchat_desktop.presenters.loop_host import LoopHost
    from deepchat_desktop.presenters.window_shell import WindowShell

    app, bridge = application(), EventBridge()
    core = open_core(data_dir, bridge.post)
    core.start_now()  # as the program does after its first paint
    result: dict[str, Any] = {}

    async def main(_host: LoopHost) -> int:
        shell = WindowShell(core, bridge)
        shell.load()
        subject = make(OURS, shell.messages, shell)
        shell.messages.load(corpus.warm_messages(), "warm")
        await asyncio.sleep(2.0)
        watch, end = Watch(subject.clock, subject.stage), time.perf_counter() + LIMIT_S
        shell.session.open("bench")
        while time.perf_counter() < end:
            await asyncio.sleep(QUIET_S)
            rested = time.perf_counter() - subject.stage.last_paint_s > QUIET_S
            if rested and subject.model.session_id == "bench":
                break
        frame = watch.end()
        if frame.painted:
            result.update({"open": frame.final_ms, "note:open": f"first paint {frame.first_ms:.0f} ms"})
        subject.stage.hide()
        await core.close()
        return 0

    LoopHost(app).run(main)
    return result
