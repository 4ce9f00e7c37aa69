"""What the real process imports: no Qt in the terminal, nothing heavy before the window's first paint.

The real program is started with `-X importtime`, which names each module as its import ends.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.source import ROOT

FIRST_PAINT = "first_paint_ms"
QT = {"PySide6", "shiboken6", "shibokensupport", "qasync"}
BEFORE_FIRST_PAINT = QT | {
    "deepchat_desktop", "apsw", "peewee", "playhouse", "platformdirs",
    "pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection",
}  # fmt: skip
# Made by the interpreter's own start: site and the .pth files of the environment.
STARTED_BY_PYTHON = re.compile(r"^(_distutils_hack|_virtualenv|\w+customize|apport_python_hook|__editable__.*)$")


def imported(text: str) -> set[str]:
    """Return the top-level names in `-X importtime` output, the standard library left out.

    A name that is not installed was only tried (peewee looks for the drivers of other databases).
    """
    lines = (line for line in text.splitlines() if line.startswith("import time:"))
    names = {line.rsplit("|", 1)[-1].strip().split(".")[0] for line in lines}
    foreign = names - sys.stdlib_module_names - {"imported package"}
    return {name for name in foreign if not name.startswith("_sysconfigdata") and importlib.util.find_spec(name)}


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["sessions", "list"]], ids=" ".join)
def test_the_terminal_never_imports_qt(arguments: list[str], data_dir: Path) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "deepchat_desktop", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert not imported(done.stderr) & QT


def test_version_imports_next_to_nothing() -> None:
    command = [sys.executable, "-X", "importtime", "-m", "deepchat_desktop", "--version"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    assert {name for name in imported(done.stderr) if not STARTED_BY_PYTHON.match(name)} == {"deepchat_desktop"}


def test_nothing_heavy_is_imported_before_the_first_paint(data_dir: Path) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "deepchat_desktop"]
    environment = os.environ | {"DEEPCHAT_PRINT_FIRST_PAINT": "1", "QT_QPA_PLATFORM": "offscreen"}
    # One pipe for both streams keeps the order of imports and the first paint.
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        before = []
        for line in process.stdout:
            if FIRST_PAINT in line:
                break
            before.append(line)
        else:
            pytest.fail("the window never painted:\n" + "".join(before[-20:]))
        process.terminate()
        process.stdout.read()
    heavy = {n for n in imported("".join(before)) - BEFORE_FIRST_PAINT if not STARTED_BY_PYTHON.match(n)}
    assert not heavy
