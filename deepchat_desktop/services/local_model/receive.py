"""Brings the bytes of a model into the models folder: step by step, checked, and in place by one rename.

Every step runs on a worker thread and is short, so that the caller can be cancelled between two of them; a file
under its final name is always whole and its first four bytes are those of a GGUF file.
"""

import asyncio
import errno
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal, TypeVar

from deepchat_desktop.domain.errors import LocalModelError

T = TypeVar("T")
CHUNK = 1 << 22
GGUF_MAGIC = b"GGUF"
ROOM = 64 << 20
"""Bytes that stay free on the disk: the database must be able to go on."""


@dataclass(frozen=True)
class PullProgress:
    """How far a fetch is, in bytes. ``total`` is None while it is not known."""

    stage: Literal["fetch", "unpack"]
    done: int
    total: int | None


OnProgress = Callable[[PullProgress], None]


def pull_error(code: str, text: str, *, retryable: bool = False) -> LocalModelError:
    """Return the error of a fetch that failed."""
    return LocalModelError(text, code=f"pull_{code}", retryable=retryable)


async def in_thread(work: Callable[[], T]) -> T:
    """Run a short blocking step; a cancellation is delivered after the step, never in the middle of it."""
    step = asyncio.get_running_loop().run_in_executor(None, work)
    try:
        return await asyncio.shield(step)
    except asyncio.CancelledError:
        await asyncio.wait([step])
        if not step.cancelled():
            step.exception()  # the caller is gone: nobody else looks at it
        raise


@contextmanager
def disk_errors(folder: Path) -> Iterator[None]:
    """Turn the operating system's errors about ``folder`` into words."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise disk_full(folder) from error
        reason = error.strerror or type(error).__name__
        raise pull_error(
            "folder", f"The model could not be written to {folder} ({reason}). Check that the folder is yours."
        ) from error


def disk_full(folder: Path) -> LocalModelError:
    """Return the error for a disk without room."""
    return pull_error("disk_full", f"The disk that holds {folder} is full. Make room and fetch the model again.")


def make_room(folder: Path, size: int) -> None:
    """Make the models folder, for its owner only, and check that ``size`` bytes fit into it. Blocking."""
    with disk_errors(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if shutil.disk_usage(folder).free < size + ROOM:
            raise disk_full(folder)


def open_private(path: Path, *, append: bool = False) -> IO[bytes]:
    """Open a file for writing that only its owner can read."""
    flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0) | (os.O_APPEND if append else os.O_TRUNC)
    return os.fdopen(os.open(path, flags, 0o600), "ab" if append else "wb")


def check_magic(first: bytes) -> None:
    """Raise if the first bytes of a file are not those of a GGUF file."""
    if not first.startswith(GGUF_MAGIC):
        text = "This is not a GGUF model file. Give the path or address of one; its name ends in .gguf."
        raise pull_error("not_gguf", text)


def check_sum(found: str, wanted: str | None) -> None:
    """Raise if a SHA-256 (hex) is not the wanted one."""
    if wanted is not None and found != wanted.strip().lower():
        raise pull_error(
            "checksum",
            f"The file is not the expected one: its SHA-256 is {found}. It was removed; fetch it again.",
            retryable=True,
        )


async def copy(source: IO[bytes], target: IO[bytes], report: Callable[[int], None]) -> str:
    """Copy a model and return the SHA-256 of what was copied; ``report`` gets the bytes so far."""
    digest = hashlib.sha256()
    done = 0

    def step() -> int:
        chunk = source.read(CHUNK)
        if done == 0:
            check_magic(chunk)
        digest.update(chunk)
        target.write(chunk)
        return len(chunk)

    while size := await in_thread(step):
        done += size
        report(done)
    return digest.hexdigest()


def put_in_place(part: Path, target: Path) -> None:
    """Give a finished file its name; flushed first, so that a power cut cannot leave an empty model. Blocking."""
    with disk_errors(target.parent):
        handle = os.open(part, os.O_RDWR | getattr(os, "O_BINARY", 0))
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        part.replace(target)


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file as hex. Blocking."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
