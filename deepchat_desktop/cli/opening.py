"""Opens the product's core for one command and closes it again, whatever happens.

Commands that only read open the database read-only and work beside the window; commands that write need the
one write lock, and say so when the window holds it.
"""

import argparse
import shlex
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from deepchat_desktop.domain.errors import StoreBusy
from deepchat_desktop.domain.events import RuntimeEvent

if TYPE_CHECKING:
    from deepchat_desktop.core import Core

BUSY = (
    "DeepChat Desktop is running with this data folder, and it is the only one that may write there. "
    "Close it and try again, or name another folder with --data-dir."
)


def data_folder(args: argparse.Namespace) -> Path:
    """Return the data folder of this command: ``--data-dir``, ``DEEPCHAT_DATA_DIR``, or the platform's own."""
    from deepchat_desktop import boot

    return boot.data_folder(args.data_dir)


def folder_hint(args: argparse.Namespace) -> str:
    """Return what to add to a suggested command so that it meets the same data folder."""
    return f" --data-dir {shlex.quote(args.data_dir)}" if args.data_dir else ""


def ignore(_event: RuntimeEvent) -> None:
    """Take an event that nobody shows."""


@asynccontextmanager
async def opened(
    args: argparse.Namespace, *, emit: Callable[[RuntimeEvent], None] = ignore, read_only: bool = False
) -> AsyncIterator["Core"]:
    """Open the core and close it at the end. Raises ``StoreError``; ``StoreBusy`` in words that fit a terminal."""
    from deepchat_desktop import boot
    from deepchat_desktop.core import open_core
    from deepchat_desktop.services.secrets import MaskFilter, harden_process

    folder = data_folder(args)
    if not read_only or folder.is_dir():
        boot.start_logging(folder, [MaskFilter()])
    harden_process()
    try:
        core = open_core(folder, emit, read_only=read_only)
    except StoreBusy as error:
        raise StoreBusy(BUSY, params=error.params) from error
    try:
        if not read_only:
            await core.start()
        yield core
    finally:
        await core.close()
