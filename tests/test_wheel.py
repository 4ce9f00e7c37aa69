"""The wheel: its data is inside, and it starts from another directory in an environment that has only the wheel.

The quick test builds without isolation and lends the new environment this one's packages, so it needs no network;
the slow one uses a truly clean environment, into which pip installs everything.
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from deepchat_desktop import __version__
from tests.architecture.source import ROOT


def run(command: Sequence[str | Path], cwd: Path, seconds: float = 240) -> str:
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, timeout=seconds, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("wheel")
    run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", target, ROOT], ROOT)
    (built,) = target.glob("*.whl")
    return built


def new_environment(folder: Path) -> Path:
    """Make an environment without pip's own download; returns its folder of programs."""
    run([sys.executable, "-m", "venv", folder], folder.parent)
    return folder / ("Scripts" if sys.platform == "win32" else "bin")


def test_the_data_is_inside_and_nothing_else_is(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    data = {path.relative_to(ROOT).as_posix() for path in (ROOT / "resources").rglob("*") if path.is_file()}
    assert {f"deepchat_desktop/{name}" for name in data} <= set(names)
    assert {name.split("/")[0] for name in names} == {
        "deepchat_desktop",
        f"deepchat_desktop-{__version__}.dist-info",
    }
    assert not [name for name in names if name.endswith((".pyc", ".gguf")) or "/tests/" in name]


def test_the_wheel_starts_from_another_directory(wheel: Path, tmp_path: Path) -> None:
    programs = new_environment(tmp_path / "an environment")
    run([programs / "python", "-m", "pip", "install", "-q", "--no-deps", "--no-index", wheel], tmp_path)
    lent = next(Path(entry) for entry in sys.path if (Path(entry) / "pydantic").is_dir())
    site = run([programs / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], tmp_path).strip()
    # addsitedir is not used: it would run the .pth file that leads to the checkout.
    (Path(site) / "lent.pth").write_text(f"{lent}\n", encoding="utf-8")
    assert run([programs / "deepchat", "--version"], tmp_path) == f"deepchat {__version__}\n"
    assert (programs / "deepchat-desktop").exists()
    where = "from deepchat_desktop.resources import resource_path as r; print(r('icons', 'plus.svg').is_file(), r())"
    found, place = run([programs / "python", "-c", where], tmp_path).strip().split(" ", 1)
    assert found == "True"
    assert Path(place).is_relative_to(Path(site))
    run([programs / "deepchat", "explain", "--help"], tmp_path)


@pytest.mark.slow
def test_the_wheel_starts_in_a_clean_environment(wheel: Path, tmp_path: Path) -> None:
    programs = new_environment(tmp_path / "clean")
    requirement = f"deepchat-desktop[local] @ {wheel.as_uri()}"
    run([programs / "python", "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", requirement], tmp_path, 900)
    assert run([programs / "deepchat", "--version"], tmp_path) == f"deepchat {__version__}\n"
    report = run([programs / "deepchat", "--self-test"], tmp_path, 300)
    assert '"ok": true' in report
    run([programs / "python", "-m", "pip", "check"], tmp_path)
