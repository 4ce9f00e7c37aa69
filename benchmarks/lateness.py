"""How late the window's event loop is while 1,000 tokens a second stream in.

A scripted server in another process sends a chunk for each token. In a process of its own the real core (provider,
runtime, store) runs on the real Qt loop with bridge, presenters and the conversation view, warmed up as the app does
after its first paint; a 5 ms timer notes how late it comes. The figures are printed as one JSON line.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.figure import Figure
from benchmarks.process import ROOT, screen

TOKENS = 10_000
PAUSE_S = 0.00065
"""With the wake-up and the sending about a millisecond on an idle machine; the rate reached is printed."""
TICK_MS = 5


def script() -> dict[str, Any]:
    """Return the server's script: one answer, a chunk per token."""
    steps: list[Any] = []
    for number in range(TOKENS):
        word = "\n\n" if number % 200 == 199 else f"token{number % 97} "
        chunk = {"id": "1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": word}}]}
        steps += [f"data: {json.dumps(chunk)}\n\n", {"pause": PAUSE_S}]
    end = {"id": "1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    return {"answers": [{"steps": [*steps, f"data: {json.dumps(end)}\n\n", "data: [DONE]\n\n"]}], "repeat_last": True}


@contextmanager
def server(folder: Path) -> Iterator[int]:
    """Run the scripted server; yields its port."""
    path = folder / "script.json"
    path.write_text(json.dumps(script()), encoding="utf-8")
    command = [sys.executable, "-m", "tests.fakes.wire_server", str(path), "--until-stdin-closes"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


def measure() -> list[Figure]:
    """Return the 99th percentile and the maximum of the lateness, the rate, and the process's share of a core."""
    with tempfile.TemporaryDirectory() as folder, server(Path(folder)) as port, screen() as settings:
        command = [sys.executable, "-m", "benchmarks.lateness", str(port), folder]
        environment = os.environ | settings
        done = subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    got = json.loads(done.stdout.strip().splitlines()[-1])
    rate = f"{got['rate']:.0f} tokens a second, {got['outcome']}"
    return [
        Figure("loop lateness while streaming, 99th percentile", got["p99_ms"], "ms", 16, rate),
        Figure("loop lateness while streaming, maximum", got["max_ms"], "ms"),
        Figure("share of one core while streaming", got["cpu"] * 100, "%"),
    ]


class Heart:
    """Beats on a Qt timer and notes how late each beat is."""

    def __init__(self) -> None:
        from PySide6.QtCore import Qt, QTimer

        self.late_ms: list[float] = []
        self._due = 0.0
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._beat)

    def start(self) -> None:
        """Begin to beat."""
        self._due = time.perf_counter() + TICK_MS / 1000
        self._timer.start(TICK_MS)

    def stop(self) -> None:
        """End the beats."""
        self._timer.stop()

    def _beat(self) -> None:
        self.late_ms.append(max(0.0, (time.perf_counter() - self._due) * 1000))
        self.start()


async def stream(shell: Any, port: int, heart: Heart) -> dict[str, Any]:
    """Ask once and return the measurements."""
    from deepchat_desktop.domain.messages import Connection, SessionSettings

    address = f"http://127.0.0.1:{port}/v1"
    connection = Connection(provider="", model="bench", api="openai_chat", base_url=address)
    settings = SessionSettings(connection=connection, mode="chat")
    session = await shell.core.runtime.create_session(settings, "Benchmark")
    shell.session.adopt(session)
    wall, cpu = time.perf_counter(), time.process_time()
    heart.start()
    ended = await shell.core.runtime.process_message(session.id, "Go on.")
    heart.stop()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    late = sorted(heart.late_ms)
    return {
        "p99_ms": late[int(len(late) * 0.99)], "max_ms": late[-1], "rate": TOKENS / wall, "cpu": cpu / wall,
        "outcome": getattr(ended, "outcome", str(ended)),
    }  # fmt: skip


def child(port: int, folder: Path) -> int:
    """Run the app's parts in this process and print the measurements."""
    from PySide6.QtWidgets import QApplication

    from deepchat_desktop.app import warm_up
    from deepchat_desktop.core import open_core
    from deepchat_desktop.presenters.bridge import EventBridge
    from deepchat_desktop.presenters.loop_host import LoopHost
    from deepchat_desktop.presenters.window_shell import WindowShell
    from deepchat_desktop.ui.chat.chat_view import ChatView
    from deepchat_desktop.ui.style import install

    app = QApplication([])
    install(app)
    bridge, heart = EventBridge(), Heart()

    async def main(_host: LoopHost) -> int:
        core = open_core(folder / "data", bridge.post)
        shell = WindowShell(core, bridge)
        chat = ChatView(shell.messages, shell.agent, shell.permission, shell.session)
        chat.resize(900, 700)
        chat.show()
        warm_up()
        await asyncio.sleep(2.0)  # the view's own warm-up follows its first paint
        try:
            print(json.dumps(await stream(shell, port, heart)), flush=True)
        finally:
            await core.close()
        return 0

    return LoopHost(app).run(main)


if __name__ == "__main__":
    sys.exit(child(int(sys.argv[1]), Path(sys.argv[2])))
