"""The data folder's files: readable by their owner alone, whatever the umask says (SEC-5).

SQLite gives the write-ahead log and the shared memory the mode of the database, so that file is made here first.
"""

import os
import sys
from pathlib import Path

FILE_MODE, FOLDER_MODE = 0o600, 0o700


def private_folder(path: Path) -> None:
    """Make a folder (and its parents) that only its owner may enter; an existing one is narrowed."""
    path.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    if path.stat().st_mode & 0o777 != FOLDER_MODE:
        path.chmod(FOLDER_MODE)


def private_file(path: Path) -> None:
    """Make an empty file that only its owner may read; an existing one is narrowed and keeps its content."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, FILE_MODE)
    os.close(descriptor)
    if path.stat().st_mode & 0o777 != FILE_MODE:
        path.chmod(FILE_MODE)


def settle_folder(path: Path) -> None:
    """Make a rename inside a folder survive a power cut."""
    if sys.platform == "win32":  # NTFS journals the rename; a folder cannot be opened for it
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
