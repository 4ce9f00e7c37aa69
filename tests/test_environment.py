"""The environment's stamp: what makes a new install, and what pip's words become."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.architecture.source import ROOT

SCRIPT = ROOT / "packaging" / "environment.py"


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("environment", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project in a folder with spaces, whose install needs no network."""
    root = tmp_path / "a project"
    (root / "packaging").mkdir(parents=True)
    shutil.copy(SCRIPT, root / "packaging")
    (root / "constraints.txt").write_text("# none\n", encoding="utf-8")
    (root / "pyproject.toml").write_text("[project]\nname = 'x'\nversion = '1'\n", encoding="utf-8")
    return root


def bring_up_to_date(project: Path, extras: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(project / "packaging" / "environment.py"), extras]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def stamp_as_installed(project: Path, extras: list[str]) -> None:
    module = load(project / "packaging" / "environment.py")
    module.BIN.mkdir(parents=True, exist_ok=True)
    (module.BIN / "python").touch()
    module.STAMP.write_text(json.dumps({**module.fingerprint(), "extras": extras}), encoding="utf-8")


def test_the_same_stamp_runs_nothing(project: Path) -> None:
    stamp_as_installed(project, ["dev", "local"])
    done = bring_up_to_date(project, "local")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("changed", ["pyproject.toml", "constraints.txt", "another extra"])
def test_a_change_installs_again_and_a_failure_leaves_no_stamp(project: Path, changed: str) -> None:
    stamp_as_installed(project, ["local"])
    if changed != "another extra":
        (project / changed).write_text("broken [\n", encoding="utf-8")
    done = bring_up_to_date(project, "dev" if changed == "another extra" else "local")
    assert "Installing" in done.stdout
    assert done.returncode != 0  # the stand-in for the environment's python is no program
    assert not (project / ".venv" / "deepchat-installed.json").exists()


def test_pip_is_told_in_a_few_words() -> None:
    shown = load(SCRIPT).shown
    large = "Downloading https://host/a/PySide6_Essentials-6.11.3-cp310-abi3-manylinux_2_34_x86_64.whl (80.3 MB)"
    assert shown(large) == "PySide6_Essentials 6.11.3 (80.3 MB)"
    assert shown("Using cached ruff-0.17.6-py3-none-manylinux_2_17_x86_64.whl (10.6 MB)") == "ruff 0.17.6 (10.6 MB)"
    assert shown("Downloading zipp-4.1.2-py3-none-any.whl (10 kB)") == ""
    assert shown("Requirement already satisfied: pip") == ""
