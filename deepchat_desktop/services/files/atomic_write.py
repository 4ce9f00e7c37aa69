"""Replaces a file in one step, through its folder's descriptor.

The bytes go to a new file in the same folder, are synced and renamed over the target (PATH-4), so a crash leaves the
old file or the new one, and another hard link keeps its content. The mode stays what it was.
"""

import contextlib
import os
import secrets
import stat
from pathlib import Path

from deepchat_desktop.services.files.follow import Identity, identity
from deepchat_desktop.services.files.open_beneath import opened_folder
from deepchat_desktop.services.files.refusals import BadPath, ForbiddenPath

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_AT = os.open in os.supports_dir_fd
"""Whether names can be given relative to a descriptor (not on Windows)."""


def write_file(path: str, data: bytes, expected: Identity | None) -> None:
    """Write ``data`` to a resolved path, missing folders included. ``expected`` is what was judged to stand there.

    Raises ``ForbiddenPath`` when something else stands there now, ``BadPath`` for a folder, ``OSError``.
    """
    parent, name = os.path.split(path)
    with opened_folder(parent, make=True) as folder:
        place = folder if _AT else None
        target = name if _AT else path
        mode = _mode(target, place, expected)
        temporary = f".{name[:40]}.{secrets.token_hex(6)}"
        temporary = temporary if _AT else str(Path(parent, temporary))
        try:
            handle = os.open(temporary, _NEW | getattr(os, "O_BINARY", 0), 0o600, dir_fd=place)
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                if hasattr(os, "fchmod"):
                    os.fchmod(file.fileno(), mode)
                os.fsync(file.fileno())
            if _AT:
                os.rename(temporary, target, src_dir_fd=folder, dst_dir_fd=folder)
                os.fsync(folder)
            else:
                Path(temporary).replace(target)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=place)
            raise


def _mode(target: str, folder: int | None, expected: Identity | None) -> int:
    """Return the mode that the file is to have; see that what stands there is what was judged."""
    try:
        status = os.stat(target, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        if expected is not None:
            raise ForbiddenPath("The file that this was decided for is gone.", "PATH-2") from None
        return 0o666 & ~_umask()
    if stat.S_ISDIR(status.st_mode):
        raise BadPath(f"{target} is a folder.", "PATH-1")
    if identity(status) != expected:
        raise ForbiddenPath("Another file stands there than when this was decided.", "PATH-2")
    return stat.S_IMODE(status.st_mode) & 0o777


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
