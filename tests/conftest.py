"""What every test stands on: private folders, an offscreen Qt, one event loop of choice, and silence in the log.

Invariants: no test sees the user's home, keychain, keys or data; a log record of WARNING or above that no test
announced fails the test that caused it (`expected_logs` announces one); so does a Qt warning (`qt_log_level_fail`).
No widget outlives its test: each change of the theme would style all of them again.
"""

from __future__ import annotations

import gc
import logging
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# The same examples in every run, so that a failure is of the change at hand; `--hypothesis-profile=default` looks for
# new ones. No deadline: a busy machine is not a fault.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Qt warns, and so fails a test, when this folder is missing or readable by others.
os.environ["XDG_RUNTIME_DIR"] = tempfile.mkdtemp(prefix="deepchat-test-run-")

_STARTED = time.monotonic()


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--time-budget` keeps a long run bounded: what does not fit is skipped by name, never silently."""
    parser.addoption("--time-budget", type=float, default=0, help="seconds after which slow tests are skipped")
    parser.addoption("--run-slow", action="store_true", help="run tests marked slow beside the others")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Slow tests run when asked for by `-m slow` or `--run-slow` and are left out otherwise."""
    if config.getoption("--run-slow") or "slow" in (config.getoption("-m") or ""):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if not item.get_closest_marker("slow")]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a slow test that would start after the time budget."""
    budget = item.config.getoption("--time-budget")
    if budget and item.get_closest_marker("slow") and time.monotonic() - _STARTED > budget:
        pytest.skip(f"the time budget of {budget:.0f} s is used up")


@dataclass
class ExpectedLogs:
    """Call it with a logger name (or a parent of it) and a part of the text to allow, and demand, such records."""

    wanted: list[tuple[str, str]] = field(default_factory=list)
    records: list[logging.LogRecord] = field(default_factory=list)

    def __call__(self, logger: str, text: str = "") -> None:
        self.wanted.append((logger, text))

    def matches(self, record: logging.LogRecord, want: tuple[str, str]) -> bool:
        name, text = want
        return (record.name == name or record.name.startswith(name + ".")) and text in record.getMessage()


class _Collector(logging.Handler):
    def __init__(self, records: list[logging.LogRecord]) -> None:
        super().__init__(logging.WARNING)
        self._records = records

    def emit(self, record: logging.LogRecord) -> None:
        self._records.append(record)


@pytest.fixture
def expected_logs(_log_guard: ExpectedLogs) -> ExpectedLogs:
    """The way for a test to say which warnings it provokes; one that never comes fails the test too."""
    return _log_guard


@pytest.fixture(autouse=True)
def _log_guard(request: pytest.FixtureRequest) -> Iterator[ExpectedLogs]:
    expected = ExpectedLogs()
    collector = _Collector(expected.records)
    root = logging.getLogger()
    root.addHandler(collector)
    yield expected
    if request.node.get_closest_marker("anyio"):
        gc.collect()  # "exception was never retrieved" is logged when the task is collected
    root.removeHandler(collector)
    surprise = [r for r in expected.records if not any(expected.matches(r, want) for want in expected.wanted)]
    missing = [want for want in expected.wanted if not any(expected.matches(r, want) for r in expected.records)]
    if surprise:
        text = "\n".join(f"{r.levelname} {r.name}: {r.getMessage()} {r.exc_info or ''}" for r in surprise)
        pytest.fail(f"unexpected log records:\n{text}")
    if missing:
        pytest.fail(f"announced log records that never came: {missing}")


@pytest.fixture(autouse=True)
def _no_widget_lives_on() -> Iterator[None]:
    yield
    widgets = sys.modules.get("PySide6.QtWidgets")
    app = widgets.QApplication.instance() if widgets else None
    if app is None:
        return
    for window in app.topLevelWidgets():
        window.deleteLater()
    # Without a running event loop Qt keeps what is to be deleted.
    app.sendPostedEvents(None, sys.modules["PySide6.QtCore"].QEvent.Type.DeferredDelete)
    if gc.get_freeze_count():  # `Pauses` froze what lives, and with it all of this test's garbage
        gc.unfreeze()
        gc.enable()


@pytest.fixture(autouse=True)
def _private_places(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / f".{name.lower()}"))
    monkeypatch.setenv("DEEPCHAT_DATA_DIR", str(home / "deepchat-data"))
    for name in list(os.environ):
        if name.endswith("_API_KEY") or name == "DBUS_SESSION_BUS_ADDRESS":
            monkeypatch.delenv(name)
    return home


@pytest.fixture
def home(_private_places: Path) -> Path:
    """This test's empty home folder."""
    return _private_places


@pytest.fixture
def data_dir(home: Path) -> Path:
    """This test's data folder (`DEEPCHAT_DATA_DIR`); it does not exist yet."""
    return home / "deepchat-data"


@pytest.fixture
def qt_loop(qapp: Any) -> Any:
    """Ask for it in an async test to run the test on the Qt event loop (see `anyio_backend`)."""
    return qapp


@pytest.fixture
def anyio_backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """asyncio's own loop, or qasync's when the test (or a fixture of it) asks for `qt_loop`.

    Between such a test and its fixtures no event is processed: a task's step would find no running loop.
    """
    if "qt_loop" not in request.fixturenames:
        return "asyncio"
    monkeypatch.setattr("pytestqt.plugin._process_events", lambda: None)
    from deepchat_desktop.presenters.qt_loop import QtLoop

    qapp = request.getfixturevalue("qt_loop")

    def loop_factory() -> Any:
        loop = QtLoop(qapp, already_running=False)
        # qasync's own executor loses a BaseException together with whoever awaits it.
        loop.set_default_executor(ThreadPoolExecutor(max_workers=4))
        return loop

    return "asyncio", {"loop_factory": loop_factory}
