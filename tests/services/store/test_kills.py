"""Acknowledged = committed: kill -9 and a full disk lose nothing acknowledged and repeat nothing (REL-1, REL-2)."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from deepchat_desktop.domain.errors import StoreFull
from deepchat_desktop.domain.tape import verify
from deepchat_desktop.services.store import Store
from deepchat_desktop.services.store.failpoints import EXIT_CODE
from deepchat_desktop.services.store.migrations import MIGRATIONS
from tests.services.store.processes import lines, worker
from tests.services.store.test_deletion import SECRET, say_everywhere, traces
from tests.services.store.values import a_message, a_session

BEFORE_FIRST_MESSAGE = len(MIGRATIONS) + 2  # commits: the schema, the start-up, the session


def present(folder: Path) -> list[int]:
    """The numbers of the messages that are there, after checking that all of the file is sound."""
    store = Store.open(folder)
    messages = store.read_now(lambda tx: tx.messages.of_session("s1"))
    entries = store.read_now(lambda tx: tx.tape.entries("s1"))
    store.close_now()
    verify(entries)
    numbers = [int(message.id[1:]) for message in messages]
    assert [entry.provenance for entry in entries] == [message.id for message in messages]
    assert numbers == list(range(len(numbers)))
    connection = apsw.Connection(str(folder / "deepchat.db"))
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    return numbers


@pytest.mark.parametrize("nth", [1, 4])
@pytest.mark.parametrize("moment", ["before", "after"])
def test_death_at_a_commit_keeps_exactly_what_was_acknowledged(data_dir: Path, moment: str, nth: int) -> None:
    point = f"commit:{moment}:{BEFORE_FIRST_MESSAGE + nth}"
    with worker("append", data_dir, 10, DEEPCHAT_FAIL_AT=point) as process:
        out = process.communicate(timeout=60)[0].split()
        assert process.returncode == EXIT_CODE
    acknowledged = [int(line) for line in out[1:]]
    assert acknowledged == list(range(nth - 1))
    assert present(data_dir) == acknowledged + ([nth - 1] if moment == "after" else [])


def test_work_goes_on_after_a_death(data_dir: Path) -> None:
    lines("append", data_dir, 10, DEEPCHAT_FAIL_AT=f"commit:after:{BEFORE_FIRST_MESSAGE + 2}")
    assert lines("append", data_dir, 2) == ["ready", "2", "3"]
    assert present(data_dir) == [0, 1, 2, 3]


def test_a_deletion_whose_cleaning_was_cut_off_is_made_up_for(data_dir: Path) -> None:
    store = Store.open(data_dir)
    say_everywhere(store, "s1")
    store.close_now()
    assert lines("delete", data_dir, DEEPCHAT_FAIL_AT="commit:after:2") == []
    assert SECRET.encode() in traces(data_dir)
    store = Store.open(data_dir)
    assert traces(data_dir) == []
    store.close_now()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_kills_at_any_time(data_dir: Path) -> None:
    chance = random.Random(5)
    known = 0
    for _ in range(int(os.environ.get("DEEPCHAT_KILLS", "40"))):
        with worker("append", data_dir, 100_000) as process:
            assert process.stdout.readline() == "ready\n"
            time.sleep(chance.uniform(0, 0.15))
            process.kill()
            acknowledged = [int(line) for line in process.stdout.read().split()]
        there = present(data_dir)
        assert len(there) >= known + len(acknowledged)
        assert len(there) <= known + len(acknowledged) + 2  # one committed and not printed, one printed half
        known = len(there)
    assert known > 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file size limit")
def test_a_file_that_may_not_grow_is_full_and_loses_nothing(data_dir: Path) -> None:
    first, *acknowledged, last = lines("limited", data_dir, 100_000)
    assert (first, last) == ("ready", "error StoreFull")
    assert len(acknowledged) > 10
    assert present(data_dir) == [int(line) for line in acknowledged]
    assert lines("append", data_dir, 1)[-1] == str(len(acknowledged))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MB."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root on Linux")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", tmp_path], check=False)
    if mounted.returncode:
        pytest.skip("this container may not mount a small file system")
    yield tmp_path
    subprocess.run(["umount", tmp_path], check=True)


def test_a_full_disk_pauses_the_store_which_goes_on_when_there_is_room(small_disk: Path) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(400 << 10))
    folder = small_disk / "data"
    store = Store.open(folder)
    store.write_now(lambda tx: tx.sessions.add(a_session()))
    kept: list[str] = []

    def fill() -> None:
        for number in range(1000):
            message = a_message(f"m{number}", "x" * 3000)
            store.write_now(lambda tx, message=message: tx.messages.add(message))
            kept.append(message.id)

    with pytest.raises(StoreFull):
        fill()
    done = len(kept)
    assert done > 5
    assert store.read_now(lambda tx: tx.messages.count("s1")) == done
    ballast.unlink()
    store.write_now(lambda tx: tx.messages.add(a_message(f"m{done}", "y" * 3000)))
    store.close_now()
    again = Store.open(folder)
    assert again.read_now(lambda tx: tx.messages.count("s1")) == done + 1
    again.close_now()


def test_a_disk_that_is_full_from_the_start_is_said(small_disk: Path) -> None:
    (small_disk / "ballast").write_bytes(bytes((1 << 20) - 40960))
    with pytest.raises(StoreFull):
        Store.open(small_disk / "data")
    (small_disk / "ballast").unlink()
    Store.open(small_disk / "data").close_now()
