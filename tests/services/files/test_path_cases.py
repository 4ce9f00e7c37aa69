"""The security cases of area ``path``, through the command that explains what happens to a path."""

from __future__ import annotations

import json
import os
import socket
import stat
from pathlib import Path
from typing import Any

import pytest

from deepchat_desktop.cli import run
from deepchat_desktop.services.files.names import refuse_bad_name
from deepchat_desktop.services.files.refusals import BadPath, PathRefused

CASES_FILE = Path(__file__).resolve().parents[2] / "data" / "security.jsonl"
Case = dict[str, Any]
NEEDS = {"read": "read", "write": "write", "delete": "write"}
LATER = {
    "path-060": "glob", "path-061": "glob", "path-062": "glob", "path-064": "grep", "path-066": "edit",
}  # fmt: skip
"""Cases of tools that come later."""
RACES = {"path-067", "path-068", "path-069"}
"""In ``test_open_beneath``."""


def load() -> list[Case]:
    lines = CASES_FILE.read_text(encoding="utf-8").splitlines()
    return [case for case in map(json.loads, lines) if case["area"] == "path"]


def _skip(case: Case) -> None:
    if case["id"] in LATER:
        pytest.skip(f"{case['id']}: the tool {LATER[case['id']]} comes later")
    if case["id"] in RACES:
        pytest.skip(f"{case['id']}: see test_open_beneath")
    if case["id"] == "path-057":
        pytest.skip(f"{case['id']}: needs a file system that holds both spellings to be one name")


def _build(case: Case, root: Path) -> None:
    """Make the case's files below ``root``, which stands for the file system's root."""
    context = case["context"]
    for entry in [*context["workspace"]["entries"], *context.get("extra_entries", [])]:
        place = root / entry["path"].lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        match entry["type"]:
            case "file":
                place.write_text("x", encoding="utf-8")
            case "dir":
                place.mkdir(exist_ok=True)
            case "symlink":
                target = entry["target"]
                place.symlink_to(root / target.lstrip("/") if target.startswith("/") else target)
            case "hardlink":
                source = root / entry["target"].lstrip("/")
                source.parent.mkdir(parents=True, exist_ok=True)
                source.touch()
                place.hardlink_to(source)
            case "fifo":
                os.mkfifo(place)
            case "socket":
                here = Path.cwd()
                os.chdir(place.parent)  # the path of a socket has at most 107 bytes
                with socket.socket(socket.AF_UNIX) as made:
                    made.bind(place.name)
                os.chdir(here)
            case other:
                pytest.fail(f"an entry of type {other}")


@pytest.mark.parametrize("case", load(), ids=lambda case: case["id"])
def test_path_case(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _skip(case)
    if case["context"]["os"] == "windows":
        _windows(case)
        return
    _build(case, tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home/u"))
    if case["id"] == "path-038":
        key = tmp_path / "home/u/.ssh/id_rsa"
        key.parent.mkdir(exist_ok=True)
        key.touch()
    workspace = tmp_path / case["context"]["workspace"]["root"].lstrip("/")
    need = NEEDS[case["input"]["tool"]]
    arguments = ["explain", "path", case["input"]["path"], "--need", need, "--workspace", str(workspace), "--json"]
    arguments += ["--mode", case["context"]["mode"]]
    for grant in case["context"]["grants"]:
        arguments += ["--grant", f"{grant['tier']}:{tmp_path / grant['path'].lstrip('/')}"]
    assert run(arguments) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["decision"] == case["expected"]["decision"], told


def _windows(case: Case) -> None:
    """What Windows' rules say of a name is judged everywhere; what its file system says, only there."""
    wanted = case["expected"]["decision"]
    if wanted not in ("deny", "error"):
        pytest.skip(f"{case['id']}: needs Windows' file system")
    with pytest.raises(PathRefused) as caught:
        refuse_bad_name(case["input"]["path"], "windows")
    assert isinstance(caught.value, BadPath) == (wanted == "error")


def test_the_own_folder_is_out_of_reach_in_every_mode(
    data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data_dir.mkdir()
    (data_dir / "settings.json").write_text("{}", encoding="utf-8")
    (tmp_path / "link").symlink_to(data_dir)
    for path in (data_dir, data_dir / "settings.json", tmp_path / "link" / "settings.json", data_dir / "new" / "x"):
        for mode in ("ask", "read", "full"):
            command = ["explain", "path", str(path), "--need", "write", "--workspace", str(tmp_path), "--mode", mode]
            assert run([*command, "--json"]) == 0
            told = json.loads(capsys.readouterr().out)
            assert (told["decision"], told["rule"]) == ("deny", "MOD-2")


def test_a_hard_link_s_other_name_keeps_its_content(tmp_path: Path) -> None:
    from deepchat_desktop.services.files.atomic_write import write_file
    from deepchat_desktop.services.files.resolve import resolve

    other = tmp_path / "other"
    other.write_text("old", encoding="utf-8")
    other.chmod(0o640)
    (tmp_path / "hl").hardlink_to(other)
    target = resolve("hl", workspace=str(tmp_path), forbidden=tmp_path / "own")
    write_file(target.path, b"new", target.identity)
    assert (other.read_text(encoding="utf-8"), (tmp_path / "hl").read_text(encoding="utf-8")) == ("old", "new")
    assert stat.S_IMODE((tmp_path / "hl").stat().st_mode) == 0o640
