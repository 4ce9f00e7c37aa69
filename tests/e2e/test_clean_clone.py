"""The README's commands in a clean clone in a folder with spaces: a new environment, then nothing is done twice."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.architecture.source import ROOT

REAL_HOME = Path.home()


def make(clone: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    # pip's own settings and cache belong to the user, everything of ours stays in the test's folder.
    environment |= {"HOME": str(REAL_HOME), "PIP_CACHE_DIR": str(REAL_HOME / ".cache/pip"), **settings}
    for name in ("XDG_CONFIG_HOME", "VIRTUAL_ENV", "PYTHONPATH", "PYTEST_ADDOPTS"):
        environment.pop(name, None)
    return subprocess.run(
        ["make", *arguments], cwd=clone, env=environment, capture_output=True, text=True, timeout=1200, check=False
    )


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        pytest.skip("this is no git checkout, or git is not installed")
    place = tmp_path / "a folder with spaces"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(place)], check=True)
    return place


def test_what_make_cannot_do_without_is_named(clone: Path, tmp_path: Path) -> None:
    """No usable Python: exit 2, the line that installs it, and no environment begun."""
    empty = tmp_path / "bin"
    empty.mkdir()
    for tool in ("make", "sh", "dirname", "uname", "id"):
        (empty / tool).symlink_to(shutil.which(tool) or pytest.skip(f"{tool} is not installed"))
    # An old interpreter that runs, and nothing else: the check itself must speak, not a SyntaxError.
    old = empty / "python3"
    old.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    old.chmod(0o755)
    (empty / "id").unlink()
    (empty / "id").write_text("#!/bin/sh\necho 1000\n", encoding="utf-8")
    (empty / "id").chmod(0o755)
    done = make(clone, "run", PATH=str(empty))
    assert done.returncode == 2
    assert "apt-get install -y python3 python3-venv" in done.stderr
    assert "Nothing was downloaded" in done.stderr
    assert not (clone / ".venv").exists()


@pytest.mark.slow
def test_make_run_answers_without_a_screen_and_sets_up_once(clone: Path, data_dir: Path) -> None:
    first = make(clone, "run", PYTHONPROFILEIMPORTTIME="")
    assert first.returncode == 0, first.stdout[-3000:] + first.stderr[-3000:]
    assert "Paris" in first.stdout
    assert "To open the window" in first.stdout
    again = make(clone, "ask", 'Q=Say "hello" for $5; what\'s up?')
    assert again.returncode == 0, again.stderr[-3000:]
    assert "Installing" not in again.stdout
    assert list(data_dir.glob("models/*.gguf"))


@pytest.mark.slow
@pytest.mark.skipif(bool(os.environ.get("CI")), reason="CI itself runs make test in a clean clone")
def test_make_test_passes_in_a_clean_clone(clone: Path) -> None:
    done = make(clone, "test")
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
