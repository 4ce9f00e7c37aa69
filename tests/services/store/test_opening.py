"""Opening: one writer, readers beside it, private files, and errors that leave everything as it was."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from deepchat_desktop.domain.errors import (
    StoreBusy,
    StoreNewer,
    StoreReadOnly,
)
from deepchat_desktop.services.store import Store
from deepchat_desktop.services.store.db import APPLICATION_ID
from deepchat_desktop.services.store.migrations import MIGRATIONS, Migration
from deepchat_desktop.services.store.tables import Sessions
from tests.services.store.processes import lines, worker
from tests.services.store.values import a_session, contents

TWO = (
    *MIGRATIONS,
    Migration(len(MIGRATIONS) + 1, "more", lambda db: db.execute_sql("ALTER TABLE sessions ADD COLUMN more TEXT")),
)


def test_settings_of_the_connection(store: Store) -> None:
    expected = {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "busy_timeout": 5000,
        "trusted_schema": 0,
        "cell_size_check": 1,
        "secure_delete": 1,
        "application_id": APPLICATION_ID,
        "user_version": MIGRATIONS[-1].number,
    }
    found = store.read_now(
        lambda tx: {name: tx.sessions._db.execute_sql(f"PRAGMA {name}").fetchone()[0] for name in expected}
    )
    assert found == expected


def test_models_name_the_columns_that_the_migrations_make(store: Store) -> None:
    def compare(tx):
        db = tx.sessions._db
        models = [model for model in Sessions.__mro__[1].__subclasses__() if model.__module__ == Sessions.__module__]
        assert len(models) == 13
        for model in models:
            columns = {row[1] for row in db.execute_sql(f"PRAGMA table_info({model._meta.table_name})")}
            assert columns == set(model._meta.columns), model

    store.read_now(compare)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o277])
def test_files_are_the_owners_alone(data_dir: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        store = Store.open(data_dir)
        store.write_now(lambda tx: tx.sessions.add(a_session()))
    finally:
        os.umask(before)
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in [data_dir, *data_dir.iterdir()]}
    store.close_now()
    names = ("deepchat.db", "deepchat.db-wal", "deepchat.db-shm", "deepchat.lock")
    assert modes == {data_dir.name: 0o700, **dict.fromkeys(names, 0o600)}


def test_modes_that_were_too_wide_are_narrowed(filled: Path) -> None:
    filled.chmod(0o755)
    (filled / "deepchat.db").chmod(0o644)
    Store.open(filled).close_now()
    assert stat.S_IMODE(filled.stat().st_mode) == 0o700
    assert stat.S_IMODE((filled / "deepchat.db").stat().st_mode) == 0o600


def test_a_second_writer_is_refused_in_the_same_process(store: Store, data_dir: Path) -> None:
    with pytest.raises(StoreBusy) as raised:
        Store.open(data_dir)
    assert str(os.getpid()) in raised.value.user_message


def test_a_second_writer_is_refused_in_another_process_until_the_first_is_gone(data_dir: Path) -> None:
    with worker("hold", data_dir) as holder:
        assert holder.stdout.readline() == "open\n"
        with pytest.raises(StoreBusy) as raised:
            Store.open(data_dir)
        assert raised.value.params["pid"] == str(holder.pid)
        assert lines("try", data_dir) == ["error StoreBusy"]
        holder.kill()  # the lock dies with its process
        holder.wait()
        Store.open(data_dir).close_now()


def test_of_many_that_start_at_once_one_gets_in(data_dir: Path) -> None:
    with ExitStack() as stack:
        starters = [stack.enter_context(worker("hold", data_dir)) for _ in range(6)]
        # A line from each: the winner holds on until all of them have spoken.
        said = sorted(starter.stdout.readline().strip() for starter in starters)
    assert said == ["error StoreBusy"] * 5 + ["open"]


def test_a_reader_beside_a_writer_sees_what_is_committed(store: Store, data_dir: Path) -> None:
    store.write_now(lambda tx: tx.sessions.add(a_session("a")))
    reader = Store.open(data_dir, read_only=True)
    store.write_now(lambda tx: tx.sessions.add(a_session("b")))
    assert len(reader.read_now(lambda tx: tx.sessions.list())) == 2
    assert lines("try-reader", data_dir) == ["open"]
    with pytest.raises(StoreReadOnly):
        reader.write_now(lambda tx: tx.sessions.add(a_session("c")))
    with pytest.raises(StoreReadOnly):
        reader.read_now(lambda tx: tx.sessions.add(a_session("c")))
    with pytest.raises(StoreReadOnly):
        store.read_now(lambda tx: tx.sessions.add(a_session("c")))
    reader.close_now()
    store.write_now(lambda tx: tx.sessions.add(a_session("c")))


def test_a_reader_without_a_database_sees_an_empty_store_and_makes_nothing(data_dir: Path) -> None:
    reader = Store.open(data_dir, read_only=True)
    assert reader.read_now(lambda tx: tx.sessions.list()) == []
    with pytest.raises(StoreReadOnly):
        reader.write_now(lambda tx: tx.sessions.add(a_session()))
    reader.close_now()
    assert not data_dir.exists()


def test_a_newer_schema_is_refused_and_nothing_is_written(filled: Path) -> None:
    Store.open(filled, migrations=TWO).close_now()
    before = contents(filled)
    for read_only in (False, True):
        with pytest.raises(StoreNewer):
            Store.open(filled, read_only=read_only)
    assert contents(filled) == before
    Store.open(filled, migrations=TWO).close_now()  # and the lock is free


def test_an_older_schema_cannot_be_read_before_it_was_brought_up_to_date(filled: Path) -> None:
    before = contents(filled)
    with pytest.raises(StoreReadOnly, match="older version"):
        Store.open(filled, read_only=True, migrations=TWO)
    assert contents(filled) == before


def nobody() -> dict[str, str]:
    if sys.platform == "win32":
        pytest.skip("Windows has no file modes")
    return {"AS_NOBODY": "1"} if os.geteuid() == 0 else {}


@pytest.fixture
def open_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder below which any user may look, as temporary folders of tests are not."""
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="deepchat-open-"))
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    for inner in folder.iterdir():
        inner.chmod(0o700)
    shutil.rmtree(folder)


def test_a_folder_that_cannot_be_made_is_read_only(open_folder: Path) -> None:
    open_folder.chmod(0o555)
    assert lines("try", open_folder / "data", **nobody()) == ["error StoreReadOnly"]


def test_a_database_that_cannot_be_written_is_read_only(open_folder: Path, filled: Path) -> None:
    as_nobody = nobody()
    folder = open_folder / "data"
    shutil.copytree(filled, folder)
    for file in [folder, *folder.iterdir()]:
        if as_nobody:
            os.chown(file, 65534, 65534)
        file.chmod(0o500 if file.is_dir() else 0o400)
    assert lines("try-reader", folder, **as_nobody) == ["open"]
    if as_nobody:
        os.chown(folder, 0, 0)  # otherwise its owner would simply widen the mode again
        folder.chmod(0o555)
        assert lines("try", folder, **as_nobody) == ["error StoreReadOnly"]
