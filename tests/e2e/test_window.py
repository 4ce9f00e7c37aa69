"""The real window on a real screen, worked with a real keyboard: ask, stream, quit, start again, kill, answer the card.

What happened is read from outside, through the command line beside the running window (it reads only).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deepchat_desktop.domain.settings import AppSettings, ModelSettings, ProviderSettings
from deepchat_desktop.services.settings_file import SettingsFile
from tests.e2e.terminal import PROGRAM, ROOT, environment, sessions, show
from tests.fakes.chat_answers import chat
from tests.fakes.wire_server import WireServer

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("Xvfb") or not shutil.which("xdotool"), reason="needs Xvfb and xdotool"),
]
WRITE = {"id": "c1", "name": "write", "arguments": {"path": "out.txt", "content": "once"}}


def until(condition: Callable[[], object], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.1)


@pytest.fixture
def screen() -> Iterator[str]:
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x900x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL) as server:
        os.close(writing)
        with os.fdopen(reading) as pipe:
            number = pipe.readline().strip()
        yield f":{number}"
        server.terminate()


class Window:
    """The program with a window, and the keys that go to it."""

    def __init__(self, display: str) -> None:
        self._settings = {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "DEEPCHAT_PRINT_FIRST_PAINT": "1"}
        self.process = subprocess.Popen(
            PROGRAM, cwd=ROOT, env=environment(**self._settings), stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        assert "first_paint_ms" in self.process.stdout.readline()
        time.sleep(1.0)

    def xdo(self, *arguments: str) -> None:
        subprocess.run(["xdotool", *arguments], env=environment(**self._settings), check=True, timeout=30)

    def ask(self, text: str) -> None:
        """Type into the composer and press Enter."""
        self.xdo("mousemove", "700", "710", "click", "1")
        self.xdo("type", "--delay", "15", text)
        self.xdo("key", "Return")

    def end(self, *, kill: bool = False) -> int:
        if kill:
            self.process.kill()
        else:
            self.process.terminate()
        assert self.process.stdout is not None
        self.process.stdout.read()
        self.process.stdout.close()
        return self.process.wait(timeout=10)


@pytest.fixture
def server(data_dir: Path, tmp_path: Path) -> Iterator[WireServer]:
    """A scripted model that is the default, with a workspace."""
    workspace = tmp_path / "project"
    workspace.mkdir()
    with WireServer() as running:
        provider = ProviderSettings(
            id="fake", name="Fake", api="openai_chat", base_url=running.base_url, models=(ModelSettings(id="m"),)
        )
        SettingsFile(data_dir / "settings.json").save(
            AppSettings(
                providers=(provider,), default_provider="fake", default_model="m", workspace=str(workspace)
            )
        )
        yield running


def answer_text(session_id: str, number: int = 1) -> str:
    messages = show(session_id)["messages"]
    return str(messages[number]["text"]) if len(messages) > number else ""


def test_ask_quit_and_come_back(server: WireServer, screen: str) -> None:
    server.add(chat("A real window answered.", delay=0.02))
    window = Window(screen)
    window.ask("Is this a window")
    until(lambda: sessions() and sessions()[0]["status"] == "idle" and sessions()[0]["messages"] == 2)
    (session,) = sessions()
    assert session["title"] == "Is this a window"
    assert answer_text(session["id"]) == "A real window answered."
    window.xdo("type", "--delay", "15", "half a thought")
    time.sleep(0.2)
    assert window.end() == 0

    second = Window(screen)
    server.add(chat("And again."))
    second.xdo("mousemove", "700", "710", "click", "1", "key", "End", "key", "Return")
    until(lambda: answer_text(session["id"], 3) == "And again.")
    assert show(session["id"])["messages"][2]["text"] == "half a thought"
    assert second.end() == 0


def test_a_second_start_ends_at_once(server: WireServer, screen: str) -> None:
    window = Window(screen)
    second = subprocess.run(
        PROGRAM, cwd=ROOT, env=environment(DISPLAY=screen, QT_QPA_PLATFORM="xcb"), timeout=20, check=False
    )
    assert second.returncode == 0
    assert window.process.poll() is None
    assert window.end() == 0


def test_of_many_starts_at_once_one_opens(server: WireServer, screen: str) -> None:
    settings = environment(DISPLAY=screen, QT_QPA_PLATFORM="xcb")
    started = [subprocess.Popen(PROGRAM, cwd=ROOT, env=settings) for _ in range(12)]
    until(lambda: sum(process.poll() is None for process in started) == 1, seconds=90)
    (window,) = [process for process in started if process.poll() is None]
    assert {process.returncode for process in started if process is not window} == {0}
    time.sleep(0.5)
    window.terminate()
    assert window.wait(timeout=10) == 0


def test_a_card_survives_a_kill_and_its_answer_resumes(server: WireServer, screen: str, tmp_path: Path) -> None:
    written = tmp_path / "project" / "out.txt"
    server.add(chat("I will write. ", tool_calls=[WRITE]), chat("Done."))
    window = Window(screen)
    window.ask("write it")
    until(lambda: sessions() and sessions()[0]["status"] == "waiting")
    window.end(kill=True)
    assert not written.exists()

    second = Window(screen)
    (session,) = sessions()
    assert session["status"] == "waiting"
    # F6 goes from the composer to the card, where Deny is first; Tab goes on to "Allow once".
    second.xdo("mousemove", "700", "720", "click", "1")
    time.sleep(0.7)
    second.xdo("key", "F6", "key", "Tab", "key", "space")
    until(written.exists)
    until(lambda: answer_text(session["id"]) == "I will write. Done.")
    assert written.read_text() == "once"
    assert len(server.requests) == 2
    assert second.end() == 0
