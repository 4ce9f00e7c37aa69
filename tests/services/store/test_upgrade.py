"""A migration is preceded by a verified copy and happens whole or not at all (REL-4)."""

from __future__ import annotations

import shutil
from pathlib import Path

import apsw
import pytest

from deepchat_desktop.domain.errors import StoreCorrupt, StoreError
from deepchat_desktop.services.store import Store
from deepchat_desktop.services.store.migrations import MIGRATIONS, Migration
from deepchat_desktop.services.store.upgrade import version_of
from tests.services.store.processes import lines
from tests.services.store.values import a_message, a_session


def more(db) -> None:
    db.execute_sql("ALTER TABLE sessions ADD COLUMN more TEXT NOT NULL DEFAULT 'x'")


def fails(db) -> None:
    db.execute_sql("DELETE FROM sessions")
    db.execute_sql("CREATE TABLE sessions (x)")


def orphans(db) -> None:
    db.execute_sql("DELETE FROM sessions")


TWO = (*MIGRATIONS, Migration(len(MIGRATIONS) + 1, "more", more))


@pytest.fixture
def old(data_dir: Path) -> Path:
    store = Store.open(data_dir)
    store.write_now(lambda tx: (tx.sessions.add(a_session()), tx.messages.add(a_message("m1", "kept"))))
    store.write_now(lambda tx: tx.drafts.set("", "kept", 1))
    store.close_now()
    return data_dir


def check_old(folder: Path) -> None:
    store = Store.open(folder)
    assert store.read_now(lambda tx: tx.messages.get("m1")) == a_message("m1", "kept")
    assert store.read_now(lambda tx: tx.drafts.get("")) == "kept"
    assert store.read_now(lambda tx: version_of(tx.sessions._db)) == len(MIGRATIONS)
    store.close_now()


def test_migrations_are_numbered_from_one_without_gaps() -> None:
    assert [step.number for step in MIGRATIONS] == list(range(1, len(MIGRATIONS) + 1))


def test_an_upgrade_leaves_a_sound_copy_of_what_was(old: Path, tmp_path: Path) -> None:
    store = Store.open(old, migrations=TWO)
    assert store.read_now(lambda tx: version_of(tx.sessions._db)) == len(TWO)
    assert store.read_now(lambda tx: tx.messages.get("m1")) == a_message("m1", "kept")
    store.close_now()
    (copy,) = (old / "backups").iterdir()
    assert copy.stat().st_mode & 0o777 == 0o600
    assert copy.parent.stat().st_mode & 0o777 == 0o700
    (tmp_path / "restored").mkdir()
    shutil.copy(copy, tmp_path / "restored" / "deepchat.db")
    check_old(tmp_path / "restored")


def test_a_copy_that_is_not_sound_stops_the_upgrade(old: Path) -> None:
    connection = apsw.Connection(str(old / "deepchat.db"))
    connection.execute("CREATE INDEX lame ON messages (status)")
    connection.execute("PRAGMA writable_schema=ON")
    other = "CREATE INDEX lame ON messages (role)"
    connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'lame'", (other,))
    connection.close()  # now an index of other values, which the quick check does not see
    with pytest.raises(StoreCorrupt, match="copy"):
        Store.open(old, migrations=TWO)
    assert list((old / "backups").iterdir()) == []
    check_old(old)


def test_a_database_on_the_newest_schema_is_not_copied(old: Path) -> None:
    Store.open(old).close_now()
    assert not (old / "backups").exists()


@pytest.mark.parametrize(("step", "error"), [(fails, StoreError), (orphans, RuntimeError)])
def test_a_migration_that_fails_leaves_the_version_before_it(old: Path, step, error: type[Exception]) -> None:
    with pytest.raises(error):
        Store.open(old, migrations=(*MIGRATIONS, Migration(len(MIGRATIONS) + 1, "bad", step)))
    check_old(old)


def test_a_migration_that_is_killed_leaves_the_version_before_it(old: Path) -> None:
    assert lines("die-migrating", old) == []
    check_old(old)
    assert len(list((old / "backups").glob("*.db"))) == 1
    assert list((old / "backups").glob("*.part")) == []


def test_a_creation_that_is_killed_before_its_commit_leaves_no_database(data_dir: Path) -> None:
    assert lines("append", data_dir, 1, DEEPCHAT_FAIL_AT="commit:before:1") == []
    assert not (data_dir / "deepchat.db").exists()
    assert lines("append", data_dir, 1) == ["ready", "0"]
