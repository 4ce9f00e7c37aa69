"""What was judged is what is opened: whatever is exchanged between the two is refused."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deepchat_desktop.services.files import open_beneath
from deepchat_desktop.services.files.atomic_write import write_file
from deepchat_desktop.services.files.open_beneath import open_existing
from deepchat_desktop.services.files.refusals import BadPath, ForbiddenPath, PathRefused
from deepchat_desktop.services.files.resolve import ResolvedPath, resolve

NAMES = st.sampled_from(["a", "b", "up", "out", "in", "..", ".", "new"])


@pytest.fixture(params=["kernel", "stepwise"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of opening: the kernel's one call, and name by name."""
    if request.param == "stepwise":
        monkeypatch.setattr(open_beneath, "_has_openat2", lambda: False)
    elif not open_beneath._has_openat2():
        pytest.skip("this kernel has no openat2")
    return str(request.param)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    made = tmp_path / "work"
    (made / "a" / "b").mkdir(parents=True)
    (made / "a" / "file").write_text("inside", encoding="utf-8")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_text("outside", encoding="utf-8")
    return made


def target_of(work: Path, text: str) -> ResolvedPath:
    return resolve(text, workspace=str(work), forbidden=work.parent / "own")


def read(target: ResolvedPath) -> str:
    with os.fdopen(open_existing(target.path, target.identity), encoding="utf-8") as file:
        return file.read()


def test_a_file_that_was_judged_is_read(work: Path, way: str) -> None:
    assert read(target_of(work, "a/file")) == "inside"


def test_a_file_that_became_a_link_is_not_read(work: Path, way: str) -> None:
    target = target_of(work, "a/file")
    (work / "a" / "file").unlink()
    (work / "a" / "file").symlink_to(work.parent / "outside" / "file")
    with pytest.raises(ForbiddenPath, match="exchanged"):
        read(target)


def test_a_folder_that_became_a_link_is_not_entered(work: Path, way: str) -> None:
    target = target_of(work, "a/file")
    (work / "a").rename(work / "old")
    (work / "a").symlink_to(work.parent / "outside")
    with pytest.raises(ForbiddenPath):
        read(target)


def test_another_file_in_its_place_is_not_read(work: Path, way: str) -> None:
    target = target_of(work, "a/file")
    other = work / "a" / "other"
    other.write_text("other", encoding="utf-8")
    other.replace(work / "a" / "file")
    with pytest.raises(ForbiddenPath):
        read(target)


def test_a_pipe_in_its_place_does_not_hold(work: Path, way: str) -> None:
    target = target_of(work, "a/file")
    (work / "a" / "file").unlink()
    os.mkfifo(work / "a" / "file")
    with pytest.raises(ForbiddenPath):
        read(target)


@pytest.mark.parametrize(
    "exchange",
    [
        lambda work: ((work / "a" / "b").rmdir(), (work / "a" / "b").symlink_to(work.parent / "outside")),
        lambda work: ((work / "a").rename(work / "old"), (work / "a").symlink_to(work.parent / "outside")),
    ],
    ids=["its folder", "a folder above"],
)
def test_nothing_is_written_through_a_folder_that_became_a_link(
    work: Path, way: str, exchange: Callable[[Path], object]
) -> None:
    target = target_of(work, "a/b/new.txt")
    exchange(work)
    with pytest.raises(ForbiddenPath):
        write_file(target.path, b"x", target.identity)
    assert sorted(path.name for path in (work.parent / "outside").iterdir()) == ["file"]


def test_a_missing_folder_that_appears_as_a_link_is_refused(work: Path, way: str) -> None:
    target = target_of(work, "newdir/x.py")
    (work / "newdir").symlink_to(work.parent / "outside")
    with pytest.raises(ForbiddenPath):
        write_file(target.path, b"x", target.identity)
    assert not (work.parent / "outside" / "x.py").exists()


def test_missing_folders_are_made_and_a_failed_write_leaves_nothing(work: Path, way: str) -> None:
    target = target_of(work, "new/deeper/x.py")
    write_file(target.path, b"x", target.identity)
    assert (work / "new" / "deeper" / "x.py").read_bytes() == b"x"
    with pytest.raises(ForbiddenPath, match="Another file"):
        write_file(target.path, b"y", None)  # judged as new, and now something stands there
    with pytest.raises(BadPath, match="folder"):
        write_file(str(work / "new"), b"y", None)
    assert [path.name for path in (work / "new" / "deeper").iterdir()] == ["x.py"]


@settings(suppress_health_check=list(HealthCheck), max_examples=150)
@given(st.lists(NAMES, min_size=1, max_size=7))
def test_what_is_inside_is_opened_inside(work: Path, names: list[str]) -> None:
    """Whatever way a path takes, through links and back: what counts as inside is opened below the workspace."""
    for name, to in (("up", ".."), ("out", "../outside"), ("in", "a")):
        if not (work / name).is_symlink():
            (work / name).symlink_to(to)
    try:
        target = target_of(work, "/".join([*names, "file"]))
        handle = open_existing(target.path, target.identity)
    except (PathRefused, OSError):
        return
    opened = os.fstat(handle)
    os.close(handle)
    below = {(each.stat().st_dev, each.stat().st_ino) for each in work.rglob("*") if not each.is_symlink()}
    assert target.inside == ((opened.st_dev, opened.st_ino) in below)
