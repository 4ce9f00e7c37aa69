"""A damaged file is refused and kept; what slips through gives the product's own errors and nothing else (REL-3)."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import apsw
import pytest

from deepchat_desktop.domain.errors import DeepChatError, StoreCorrupt, StoreError, StoreNewer
from deepchat_desktop.domain.tape import verify
from deepchat_desktop.services.store import Store
from deepchat_desktop.services.store.migrations import MIGRATIONS, Migration
from tests.services.store.values import contents

TWO = (
    *MIGRATIONS,
    Migration(len(MIGRATIONS) + 1, "more", lambda db: db.execute_sql("ALTER TABLE sessions ADD COLUMN more TEXT")),
)


@pytest.mark.parametrize("damage", ["zero", "empty", "cut", "text", "other database", "header"])
def test_a_damaged_file_is_kept_byte_for_byte(filled: Path, damage: str) -> None:
    path = filled / "deepchat.db"
    whole = path.read_bytes()
    match damage:
        case "zero":
            path.write_bytes(bytes(len(whole)))
        case "empty":
            path.write_bytes(b"")
        case "cut":
            path.write_bytes(whole[: len(whole) // 2])
        case "text":
            path.write_text("not a database\n" * 100)
        case "header":
            path.write_bytes(b"\xff" * 16 + whole[16:])
        case "other database":
            path.unlink()
            other = apsw.Connection(str(path))
            other.execute("CREATE TABLE t (x)")
            other.close()
    before = contents(filled)
    for read_only in (False, True):
        with pytest.raises(StoreCorrupt, match="no backup"):
            Store.open(filled, read_only=read_only)
    assert contents(filled) == before


def test_the_error_about_damage_names_the_newest_backup(filled: Path) -> None:
    Store.open(filled, migrations=TWO).close_now()
    (backup,) = (filled / "backups").iterdir()
    (filled / "deepchat.db").write_bytes(b"x" * 5000)
    with pytest.raises(StoreCorrupt, match=backup.name) as raised:
        Store.open(filled, migrations=TWO)
    assert raised.value.params["backup"] == str(backup)


def test_a_log_without_its_database_is_damage(filled: Path) -> None:
    (filled / "deepchat.db").rename(filled / "gone.db")
    (filled / "deepchat.db-wal").write_bytes(b"frames")
    with pytest.raises(StoreCorrupt):
        Store.open(filled)
    assert contents(filled) == {"deepchat.db-wal": b"frames"}


def test_a_creation_that_was_cut_off_is_begun_again(data_dir: Path) -> None:
    data_dir.mkdir()
    (data_dir / "deepchat.db.part").write_bytes(b"half")
    store = Store.open(data_dir)
    assert store.read_now(lambda tx: tx.sessions.list()) == []
    store.close_now()
    assert not (data_dir / "deepchat.db.part").exists()


def read_everything(store: Store) -> None:
    def job(tx):
        verify(tx.tape.entries("s1"))
        tx.messages.of_session("s1")
        tx.interactions.pending()
        tx.journal.of_run("r1")
        return tx.sessions.list(), tx.sessions.search("text"), tx.sessions.search("te")

    store.read_now(job)


def flip(filled: Path, chance: random.Random) -> None:
    """Damage a copy of the file somewhere; only the product's own errors may come of it; refusal changes nothing."""
    folder = filled.with_name("flipped")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    data = bytearray((filled / "deepchat.db").read_bytes())
    for _ in range(chance.choice([1, 3, 30])):
        data[chance.randrange(len(data))] = chance.randrange(256)
    (folder / "deepchat.db").write_bytes(data)
    try:
        store = Store.open(folder)
    except (StoreCorrupt, StoreNewer):
        assert contents(folder) == {"deepchat.db": bytes(data)}
        return
    except StoreError:
        return
    try:
        read_everything(store)
    except DeepChatError:
        pass
    finally:
        store.close_now()


def test_random_damage_gives_our_errors_only(filled: Path) -> None:
    chance = random.Random(1)
    for _ in range(60):
        flip(filled, chance)


@pytest.mark.slow
def test_much_random_damage_gives_our_errors_only(filled: Path) -> None:
    chance = random.Random(2)
    for _ in range(500):
        flip(filled, chance)


def test_once_damage_shows_nothing_more_is_written(filled: Path) -> None:
    store = Store.open(filled)

    def zero_pages(tx):  # what a failing disk does under a running program
        store.path.write_bytes(store.path.read_bytes()[:4096] + bytes(store.path.stat().st_size - 4096))
        tx.sessions._db.execute_sql("PRAGMA shrink_memory")

    store.read_now(zero_pages)
    with pytest.raises(StoreCorrupt):
        read_everything(store)
    with pytest.raises(StoreCorrupt):
        store.write_now(lambda tx: tx.drafts.set("", "x", 1))
    store.close_now()
