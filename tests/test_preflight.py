"""The check before the first download: it runs on old Pythons, names what is missing, and its table is Qt's own."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import PySide6
import pytest

from tests.architecture.source import ROOT

SCRIPT = ROOT / "packaging" / "preflight.py"


@pytest.fixture(scope="module")
def preflight() -> ModuleType:
    spec = importlib.util.spec_from_file_location("preflight", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def fake_python(folder: Path, name: str, answer: str) -> None:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{answer}'\n", encoding="utf-8")
    path.chmod(0o755)


def test_its_syntax_is_old_enough_to_give_a_message() -> None:
    tree = ast.parse(SCRIPT.read_text(encoding="utf-8"), feature_version=(3, 6))
    imports = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    assert {name.split(".")[0] for name in imports} <= sys.stdlib_module_names


def test_here_everything_is_there() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--need", "offscreen"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert Path(done.stdout.strip()).exists()


def test_a_python_with_venv_is_preferred(
    preflight: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "bin"
    fake_python(folder, "python3", "3 9 1 /old")
    fake_python(folder, "python3.13", "3 13 0 /bare")
    fake_python(folder, "python3.12", "3 12 1 /a place/good")
    fake_python(folder, "python3.11", "pyenv: python3.11: command not found")
    monkeypatch.setenv("PATH", f"{folder}:/bin")
    monkeypatch.delenv("PYTHON", raising=False)
    assert preflight.find_python()[0] == ((3, 12), True, "/a place/good")


def test_the_lines_to_install(preflight: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert preflight.install_line("apt", ["libegl1"]) == "sudo apt-get install -y libegl1"
    assert preflight.install_line("dnf", ["xcb-util-cursor"]) == "sudo dnf install -y xcb-util-cursor"
    assert preflight.install_line("brew", []) == "brew install python@3.13"
    assert preflight.python_packages(((3, 11), False, "/usr/bin/python3"), "apt") == ["python3.11-venv"]
    assert not preflight.has_library("libnothing-of-ours.so.9", "nothing-of-ours")


def test_a_terminal_needs_no_qt_libraries(preflight: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert {row[0] for row in preflight.wanted_libraries("none")} == {"libgomp.so.1", "libstdc++.so.6"}
    x11 = preflight.wanted_libraries("window")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert set(preflight.wanted_libraries("offscreen")) < set(x11) < set(preflight.wanted_libraries("window"))


@pytest.mark.skipif(not shutil.which("readelf"), reason="readelf (binutils) is not installed")
def test_the_table_is_what_the_wheel_links_to(preflight: ModuleType) -> None:
    folder = Path(PySide6.__file__).parent
    shipped = {path.name for path in folder.rglob("*.so*")}
    # Part of every system that runs Python at all, or a dependency of a library in the table.
    given = re.compile(r"lib(c|m|gcc_s|z|resolv|pthread|xcb|brotlicommon)\.so|ld-linux")
    files = [
        *(folder / "Qt/lib" / f"libQt6{part}.so.6" for part in ("Core", "Gui", "Widgets", "Network", "Svg", "XcbQpa")),
        folder / "Qt/plugins/platforms/libqxcb.so",
        folder / "Qt/plugins/platforms/libqwayland.so",
    ]
    if engine := importlib.util.find_spec("xllamacpp"):
        files += Path(engine.origin or "").parent.glob("*.so")
    listed = subprocess.run(["readelf", "-d", *map(str, files)], capture_output=True, text=True, check=True).stdout
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", listed)) - shipped
    table = {row[0] for row in preflight.TERMINAL + preflight.OFFSCREEN + preflight.XCB + preflight.WAYLAND}
    assert {name for name in needed if not given.match(name)} <= table
