"""One writer per data folder: an operating system lock held for the life of the store (REL-5).

Invariants: the lock dies with its process, however that ends; the file stays. The pid inside is for the message only.
"""

import errno
import os
import sys
from pathlib import Path

from deepchat_desktop.domain.errors import StoreBusy
from deepchat_desktop.services.store.files import private_file

_TAKEN = {errno.EACCES, errno.EAGAIN, errno.EDEADLK}

if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 30  # a locked byte cannot be read by others, and the pid should be

    def _take(descriptor: int) -> None:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class FolderLock:
    """The held lock; closing it lets the next writer in."""

    def __init__(self, path: Path) -> None:
        """Take the lock. Raises ``StoreBusy`` when another process, or another store in this one, holds it; OSError."""
        private_file(path)
        self._descriptor = os.open(path, os.O_RDWR)  # not inherited by children
        try:
            self._acquire(path)
            os.ftruncate(self._descriptor, 0)
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            os.write(self._descriptor, str(os.getpid()).encode())
        except BaseException:
            os.close(self._descriptor)
            raise

    def release(self) -> None:
        """Let go."""
        os.close(self._descriptor)

    def _acquire(self, path: Path) -> None:
        try:
            _take(self._descriptor)
        except OSError as error:
            if error.errno not in _TAKEN:
                raise
            holder = path.read_text(errors="replace").strip()[:20]
            named = f" (process {holder})" if holder else ""
            raise StoreBusy(
                f"Another DeepChat Desktop{named} is using {path.parent}. Use that one, or close it and try again.",
                params={"path": str(path.parent), "pid": holder},
            ) from error
