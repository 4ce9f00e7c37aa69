"""The store: one thread, one connection, one transaction per job.

Invariants: every job runs on the thread named ``store``, so jobs never overlap; ``write`` returns after its COMMIT is
on the disk (acknowledged = committed, REL-1); a job that raises leaves nothing behind. Once the file proves damaged,
nothing is written to it any more.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from deepchat_desktop.domain.errors import StoreCorrupt, StoreError
from deepchat_desktop.services.store.attachments import FOLDER, sweep
from deepchat_desktop.services.store.db import DATABASE_ERRORS, open_reader, open_writer
from deepchat_desktop.services.store.erasure import empty_log, erasure_due, note_erasure, scrub
from deepchat_desktop.services.store.errors import explain, read_only
from deepchat_desktop.services.store.failpoints import reach
from deepchat_desktop.services.store.files import private_folder
from deepchat_desktop.services.store.lock import FolderLock
from deepchat_desktop.services.store.migrations import MIGRATIONS, Migration
from deepchat_desktop.services.store.transaction import Tx

T = TypeVar("T")

DATABASE, LOCK = "deepchat.db", "deepchat.lock"


class Store:
    """The open database of one data folder. Made by ``Store.open``; its jobs must not call the store themselves."""

    def __init__(self, path: Path, executor: ThreadPoolExecutor, *, read_only: bool) -> None:
        self.path = path
        self.read_only = read_only
        self._executor = executor
        self._db: Any = None
        self._lock: FolderLock | None = None
        self._damage: StoreCorrupt | None = None
        self._log_due = False
        self._attachments = path.with_name(FOLDER)

    @classmethod
    def open(
        cls, data_dir: Path, *, read_only: bool = False, migrations: Sequence[Migration] = MIGRATIONS
    ) -> "Store":
        """Open the data folder's database; a writer makes both where they are missing. Blocks.

        A reader needs no lock and sees an empty store where there is no database. Raises ``StoreBusy`` (another
        writer), ``StoreNewer``, ``StoreCorrupt`` (nothing was changed in both), ``StoreReadOnly``, ``StoreFull``.
        """
        executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")
        store = cls(data_dir / DATABASE, executor, read_only=read_only)
        try:
            executor.submit(store._connect, migrations).result()
        except BaseException:
            executor.shutdown()
            raise
        return store

    async def write(self, job: Callable[[Tx], T]) -> T:
        """Run a job in one IMMEDIATE transaction and return its value after the commit.

        Raises what the job raised (rolled back) or a ``StoreError``. When the waiting task is cancelled, the job is
        either done whole or not at all.
        """
        return await asyncio.wrap_future(self._submit(lambda: self._write(job)))

    async def read(self, job: Callable[[Tx], T]) -> T:
        """Run a job that sees one state of the database and cannot write. Raises as ``write`` does."""
        return await asyncio.wrap_future(self._submit(lambda: self._read(job)))

    def write_now(self, job: Callable[[Tx], T]) -> T:
        """The blocking twin of ``write``."""
        return self._submit(lambda: self._write(job)).result()

    def read_now(self, job: Callable[[Tx], T]) -> T:
        """The blocking twin of ``read``."""
        return self._submit(lambda: self._read(job)).result()

    async def close(self) -> None:
        """Finish what was submitted, close the file and let the lock go. A second call does nothing."""
        if self._db is not None:
            await asyncio.wrap_future(self._submit(self._disconnect))
        self._executor.shutdown()

    def close_now(self) -> None:
        """The blocking twin of ``close``."""
        if self._db is not None:
            self._submit(self._disconnect).result()
        self._executor.shutdown()

    def _submit(self, call: Callable[[], T]) -> "Future[T]":
        try:
            return self._executor.submit(call)
        except RuntimeError as error:
            raise _closed() from error

    # Everything below runs on the store's thread.

    def _connect(self, migrations: Sequence[Migration]) -> None:
        try:
            if self.read_only:
                self._db = open_reader(self.path, migrations)
                return
            private_folder(self.path.parent)
            self._lock = FolderLock(self.path.with_name(LOCK))
            self._db = open_writer(self.path, migrations)
            self._write(lambda tx: tx.interactions.forget_locks())
            sweep(self._db, self._attachments)
            if erasure_due(self._db):
                self._log_due = scrub(self._db)
        except BaseException as error:
            self._disconnect()
            if isinstance(error, (OSError, *DATABASE_ERRORS)):
                raise explain(error, self.path) from error
            raise

    def _disconnect(self) -> None:
        db, self._db = self._db, None
        lock, self._lock = self._lock, None
        try:
            if db is not None:
                db.close()
        except DATABASE_ERRORS as error:
            raise explain(error, self.path) from error
        finally:
            if lock is not None:
                lock.release()

    def _write(self, job: Callable[[Tx], T]) -> T:
        if self.read_only:
            raise read_only(self.path)
        if self._damage is not None:
            raise self._damage
        tx, value = self._transact("IMMEDIATE", job)
        if tx.files_gone:
            sweep(self._db, self._attachments)
        if tx.erased:
            self._log_due = scrub(self._db)
        elif self._log_due:
            self._log_due = empty_log(self._db)
        return value

    def _read(self, job: Callable[[Tx], T]) -> T:
        return self._transact("DEFERRED", job)[1]

    def _transact(self, kind: str, job: Callable[[Tx], T]) -> tuple[Tx, T]:
        db = self._db
        if db is None:
            raise _closed()
        writes = kind == "IMMEDIATE"
        tx = Tx(db, self._attachments)
        try:
            db.execute_sql(f"PRAGMA query_only={'OFF' if writes else 'ON'}")
            db.begin(kind)
            try:
                value = job(tx)
                if tx.erased:
                    note_erasure(db)
                if writes:
                    reach("commit", "before")
                db.commit()
            except BaseException:
                db.rollback()
                raise
        except DATABASE_ERRORS as error:
            explained = explain(error, self.path)
            if isinstance(explained, StoreCorrupt):
                self._damage = explained
            raise explained from error
        if writes:
            reach("commit", "after")
        return tx, value


def _closed() -> StoreError:
    return StoreError("The store is closed. Start the app again.", code="store_closed")
