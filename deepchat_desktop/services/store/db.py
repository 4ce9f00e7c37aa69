"""Opening the database file.

Invariants: a file named ``deepchat.db`` was complete when it got that name, so an empty or foreign one is damage;
before anything may write to an existing file, a read-only look decides whether it is sound and not too new.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw
from peewee import PeeweeException
from playhouse.apsw_ext import APSWDatabase

from deepchat_desktop.domain.errors import StoreNewer, StoreReadOnly
from deepchat_desktop.services.store.errors import corrupt, explain
from deepchat_desktop.services.store.files import private_file, settle_folder
from deepchat_desktop.services.store.migrations import Migration
from deepchat_desktop.services.store.upgrade import migrate, version_of

APPLICATION_ID = 0x44434854  # "DCHT"
BUSY_MS = 5000
SMALL = 16 << 20
"""Bytes up to which the whole file is checked at every start; a larger one only after an unclean end."""

DATABASE_ERRORS = (apsw.Error, PeeweeException, UnicodeDecodeError)

_COMMON = {"foreign_keys": "ON", "trusted_schema": "OFF", "cell_size_check": "ON", "busy_timeout": BUSY_MS}
_WRITER = {**_COMMON, "synchronous": "FULL", "secure_delete": "ON"}
if sys.platform == "darwin":
    _WRITER["fullfsync"] = "ON"


def open_writer(path: Path, migrations: Sequence[Migration]) -> Any:
    """Return the one writing connection, on the newest schema. The folder's lock is held by the caller.

    Raises ``StoreCorrupt`` and ``StoreNewer`` (the file is untouched), ``StoreReadOnly``, ``StoreFull``, OSError.
    """
    if not path.exists():
        _create(path, migrations)
    private_file(path)
    _inspect(path, migrations)
    db = _connect(path, {"journal_mode": "WAL", **_WRITER}, apsw.SQLITE_OPEN_READWRITE)
    try:
        migrate(db, migrations, backups=path.parent / "backups")
    except BaseException:
        db.close()
        raise
    return db


def open_reader(path: Path, migrations: Sequence[Migration]) -> Any:
    """Return a connection that cannot write and needs no lock; where there is no database, an empty one in memory."""
    if not path.exists():
        db = _connect(":memory:", dict(_COMMON), apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
        migrate(db, migrations, backups=None)
        return db
    version = _inspect(path, migrations)
    if version < migrations[-1].number:
        raise StoreReadOnly(
            f"The database {path} comes from an older version. Start DeepChat Desktop once to bring it up to date.",
            params={"path": str(path), "version": version},
        )
    return _connect_reader(path)


def _create(path: Path, migrations: Sequence[Migration]) -> None:
    if _has_log(path):
        # A new database beside an old log would take the log's pages for its own.
        raise corrupt(path, "the file is missing while its log is there")
    part = path.with_name(path.name + ".part")
    for leftover in (part, part.with_name(part.name + "-journal")):
        leftover.unlink(missing_ok=True)
    private_file(part)
    db = _connect(part, _WRITER, apsw.SQLITE_OPEN_READWRITE)
    try:
        db.execute_sql(f"PRAGMA application_id={APPLICATION_ID}")
        migrate(db, migrations, backups=None)
    finally:
        db.close()
    part.replace(path)
    settle_folder(path.parent)


def _inspect(path: Path, migrations: Sequence[Migration]) -> int:
    """Return the schema's version after a look that writes nothing into the database or its log."""
    unclean = _has_log(path)
    if path.stat().st_size == 0:
        raise corrupt(path, "it is empty")
    db = _connect_reader(path)
    try:
        version = version_of(db)
        owner = db.execute_sql("PRAGMA application_id").fetchone()[0]
        if owner == APPLICATION_ID and version > migrations[-1].number:
            raise StoreNewer(
                f"The database {path} was written by a newer version of DeepChat Desktop. Nothing was changed; "
                "install the newer version to use it.",
                params={"path": str(path), "version": version, "known": migrations[-1].number},
            )
        sound = version > 0 and ((path.stat().st_size > SMALL and not unclean) or _check(db))
    except DATABASE_ERRORS as error:
        raise explain(error, path) from error
    finally:
        db.close()
    if owner != APPLICATION_ID or not sound:
        raise corrupt(path, "it is damaged, or no database of this program")
    return version


def _has_log(path: Path) -> bool:
    log = path.with_name(path.name + "-wal")
    return log.exists() and log.stat().st_size > 0


def _connect_reader(path: Path) -> Any:
    db = _connect(path, dict(_COMMON), apsw.SQLITE_OPEN_READONLY)
    try:
        version_of(db)
    except DATABASE_ERRORS as error:
        db.close()
        explained = explain(error, path)
        if not isinstance(explained, StoreReadOnly) or _has_log(path):
            raise explained from error
        # Beside a file in a folder that cannot be written SQLite cannot keep its locks; nobody writes there, though.
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        return _connect(path.absolute().as_uri() + "?immutable=1", dict(_COMMON), flags)
    return db


def _check(db: Any) -> bool:
    return list(db.execute_sql("PRAGMA quick_check(1)").fetchall()) == [("ok",)]


def _connect(path: Path | str, pragmas: dict[str, Any], flags: int) -> Any:
    db = APSWDatabase(str(path), pragmas=pragmas, flags=flags, timeout=BUSY_MS / 1000)
    try:
        db.connect()
    except DATABASE_ERRORS as error:
        raise explain(error, Path(path)) from error
    return db
