"""The test suite's own ground rules: which loop runs, that the log guard bites, that the home is private."""

from __future__ import annotations

import asyncio
import logging
import os
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QTimer

from deepchat_desktop.presenters.qt_loop import QtLoop
from tests.signals import emitted

pytest_plugins = ["pytester"]


@pytest.mark.anyio
async def test_async_tests_run_on_asyncio_by_default() -> None:
    assert "qasync" not in type(asyncio.get_running_loop()).__module__


@pytest.mark.anyio
async def test_qt_loop_runs_timers_and_threads_beside_coroutines(qt_loop: Any) -> None:
    timer = QTimer()
    timer.setSingleShot(True)
    async with emitted(timer.timeout) as seen:
        timer.start(1)
    assert seen == [()]
    assert await asyncio.to_thread(lambda: 42) == 42
    assert isinstance(asyncio.get_running_loop(), QtLoop)


def test_an_announced_warning_is_allowed(expected_logs: Any) -> None:
    expected_logs("deepchat.sample", "set aside")
    logging.getLogger("deepchat.sample.file").warning("the file was set aside")


def test_an_unexpected_warning_fails_a_test(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(Path(__file__).parent.parent.joinpath("conftest.py").read_text(encoding="utf-8"))
    pytester.makepyfile(
        "import logging\n"
        "def test_quiet(): logging.getLogger('x').info('fine')\n"
        "def test_loud(): logging.getLogger('x').warning('boo')\n"
        "def test_silent(expected_logs): expected_logs('x', 'never')\n"
    )
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=3, errors=2)
    result.stdout.fnmatch_lines(["*unexpected log records*", "*never came*"])


def test_home_and_keys_are_private(home: Path, data_dir: Path) -> None:
    assert Path.home() == home
    assert data_dir.is_relative_to(home)
    assert not [name for name in os.environ if name.endswith("_API_KEY")]
