"""Opens what was judged, and nothing that took its place since (PATH-2).

A path that ``resolve`` gave holds no link as far as it existed. Every step from the root down is opened without
following one, so a folder that was exchanged for a link is refused, not entered. On Linux the kernel does it in one
call; elsewhere each name is opened relative to the folder before it. Windows has no such call through Python: there
the path is opened and what was opened is compared.
"""

import ctypes
import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from deepchat_desktop.services.files.follow import Identity, identity
from deepchat_desktop.services.files.refusals import ForbiddenPath

_SYS_OPENAT2 = 437
"""The same number on every architecture (Linux 5.6)."""
_RESOLVE_NO_MAGICLINKS, _RESOLVE_NO_SYMLINKS = 0x02, 0x04
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)
"""A pipe that took a file's place would hold the opening for ever."""


class _How(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def open_existing(path: str, expected: Identity | None) -> int:
    """Return a descriptor for reading a regular file. ``expected`` is what was judged; the caller closes it.

    Raises ``ForbiddenPath`` when something else stands there now, ``OSError`` as opening does.
    """
    handle = _opened(path, os.O_RDONLY | _NONBLOCK | getattr(os, "O_CLOEXEC", 0))
    status = os.fstat(handle)
    if stat.S_ISREG(status.st_mode) and expected in (None, identity(status)):
        return handle
    os.close(handle)
    raise _changed(path)


@contextmanager
def opened_folder(path: str, *, make: bool = False) -> Iterator[int]:
    """Yield a descriptor of a folder that was reached through no link; with ``make`` what is missing is made."""
    handle = _stepwise(path, make=True) if make else _opened(path, _FOLDER)
    try:
        yield handle
    finally:
        os.close(handle)


def _opened(path: str, flags: int) -> int:
    try:
        if sys.platform == "linux" and _has_openat2():
            return _openat2(path, flags)
        if os.name == "nt":
            return _compared(path, flags)
        parent, name = os.path.split(path)
        with opened_folder_stepwise(parent) as folder:
            return os.open(name, flags | _NOFOLLOW, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise _changed(path) from error
        raise


@contextmanager
def opened_folder_stepwise(path: str) -> Iterator[int]:
    """As ``opened_folder``, name by name: the way for every POSIX system."""
    handle = _stepwise(path, make=False)
    try:
        yield handle
    finally:
        os.close(handle)


def _stepwise(path: str, *, make: bool) -> int:
    if os.name == "nt":
        if make:
            Path(path).mkdir(parents=True, exist_ok=True)
        return _compared(path, _FOLDER)
    handle = os.open("/", _FOLDER)
    try:
        for name in filter(None, path.split("/")):
            deeper = _step(handle, name, make=make)
            os.close(handle)
            handle = deeper
    except OSError as error:
        os.close(handle)
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise _changed(path) from error
        raise
    return handle


def _step(folder: int, name: str, *, make: bool) -> int:
    try:
        return os.open(name, _FOLDER | _NOFOLLOW, dir_fd=folder)
    except FileNotFoundError:
        if not make:
            raise
    os.mkdir(name, dir_fd=folder)
    return os.open(name, _FOLDER | _NOFOLLOW, dir_fd=folder)


def _openat2(path: str, flags: int) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    how = _How(flags, 0, _RESOLVE_NO_MAGICLINKS | _RESOLVE_NO_SYMLINKS)
    handle = libc.syscall(_SYS_OPENAT2, -100, os.fsencode(path), ctypes.byref(how), ctypes.sizeof(how))
    if handle < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), path)
    return int(handle)


@lru_cache(maxsize=1)
def _has_openat2() -> bool:
    """Old kernels do not know the call, and some containers forbid it."""
    try:
        os.close(_openat2("/", _FOLDER))
    except OSError:
        return False
    return True


def _compared(path: str, flags: int) -> int:
    """Open on Windows and see whether what was opened is called so: a junction on the way leads elsewhere."""
    handle = os.open(path, flags | getattr(os, "O_BINARY", 0))
    if os.path.normcase(os.path.realpath(path)) != os.path.normcase(path):
        os.close(handle)
        raise _changed(path)
    return handle


def _changed(path: str) -> ForbiddenPath:
    return ForbiddenPath(f"{path} is not what it was when this was decided: something was exchanged.", "PATH-2")
