"""From SQLite's and the system's errors to the product's, with sentences that say what to do.

Invariant: nothing of a statement or its values enters a message or ``params``.
"""

import errno
from pathlib import Path

import apsw

from deepchat_desktop.domain.errors import (
    NotFound,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
)

_FULL_ERRNOS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_READ_ONLY_ERRNOS = {errno.EACCES, errno.EPERM, errno.EROFS}
_NO_ROOM_RESULTS = {
    # A write that failed for another reason than ENOSPC: in practice a quota or a size limit.
    apsw.SQLITE_IOERR_WRITE,
    apsw.SQLITE_IOERR_TRUNCATE,
    apsw.SQLITE_IOERR_SHMSIZE,
    apsw.SQLITE_IOERR_SHMMAP,
}


def explain(error: BaseException, path: Path) -> StoreError:
    """Return the product's error for one that SQLite, peewee or the system raised about ``path``."""
    if isinstance(error, OSError):
        return _explain_os(error, path)
    root = _root(error)
    detail: int = getattr(root, "extendedresult", 0)  # set on every SQLite error, absent from the stubs
    match root:
        case apsw.FullError():
            return full(path)
        case apsw.IOError() if detail in _NO_ROOM_RESULTS:
            return full(path)
        case apsw.CorruptError() | apsw.NotADBError() | apsw.FormatError() | UnicodeDecodeError():
            return corrupt(path, "it is damaged")
        case apsw.ReadOnlyError() | apsw.CantOpenError() | apsw.PermissionsError():
            return read_only(path)
        case apsw.BusyError() | apsw.LockedError() | apsw.ProtocolError():
            return StoreBusy(
                f"Another program is using {path}. Close it and try again.", params={"path": str(path)}, retryable=True
            )
        case apsw.ConstraintError() if detail == apsw.SQLITE_CONSTRAINT_FOREIGNKEY:
            return NotFound("The session or message this belongs to no longer exists.")
        case apsw.ConstraintError():
            return StoreError(
                "The database refused this change because it contradicts what is stored.", code="conflict"
            )
        case _:
            return StoreError(
                f"The database {path} could not be used ({type(root).__name__}). "
                "Check the disk, then start the app again.",
                params={"path": str(path), "reason": type(root).__name__},
            )


def corrupt(path: Path, why: str) -> StoreCorrupt:
    """Return the error about a damaged database; it names a backup when there is one."""
    backups = sorted((path.parent / "backups").glob("*.db"), key=lambda file: file.stat().st_mtime)
    advice = f"A backup lies in {backups[-1]}." if backups else "There is no backup of it."
    return StoreCorrupt(
        f"The database {path} cannot be used: {why}. It was left as it is. {advice} "
        "Move the damaged file away to start afresh, or put a backup in its place.",
        params={"path": str(path), "backup": str(backups[-1]) if backups else None},
    )


def full(path: Path) -> StoreFull:
    """Return the error about a disk without room."""
    return StoreFull(
        f"There is no room left to write {path}. Free some disk space and try again; nothing saved before is lost.",
        params={"path": str(path)},
    )


def read_only(path: Path) -> StoreReadOnly:
    """Return the error about a place that cannot be written or opened."""
    return StoreReadOnly(
        f"{path} cannot be written. Give your user the right to write there, or choose another data folder.",
        params={"path": str(path)},
    )


def _explain_os(error: OSError, path: Path) -> StoreError:
    if error.errno in _FULL_ERRNOS:
        return full(path)
    if error.errno in _READ_ONLY_ERRNOS:
        return read_only(path)
    return StoreError(
        f"{path} could not be used: {error.strerror}. Check the disk, or choose another data folder.",
        params={"path": str(path), "errno": error.errno},
    )


def _root(error: BaseException) -> BaseException:
    """Return the SQLite error inside a peewee error, or the error itself."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, apsw.Error | UnicodeDecodeError):
            return seen
        seen = seen.__cause__ or seen.__context__
    return error
