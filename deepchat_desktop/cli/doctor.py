"""``doctor``: what is there and what is missing, with what to do about it. Changes nothing and never loads Qt.

A check is "ok", a "note" (works, but worth knowing) or an "error"; only errors make the exit code 1.
"""

import argparse
import asyncio
import contextlib
import ctypes.util
import importlib.metadata
import importlib.util
import os
import platform
import shutil
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from deepchat_desktop import __version__
from deepchat_desktop.cli.opening import data_folder
from deepchat_desktop.cli.output import Output
from deepchat_desktop.domain.errors import DeepChatError

LOW_DISK_BYTES = 200_000_000
_QT_LIBRARIES = ("EGL", "GL", "xkbcommon", "dbus-1", "fontconfig", "xcb-cursor")
_LIBRARY_ADVICE = (
    "Missing: {names}. Debian, Ubuntu: apt install libegl1 libgl1 libxkbcommon0 libdbus-1-3 libfontconfig1 "
    "libxcb-cursor0; Fedora: dnf install libglvnd-egl libglvnd-glx libxkbcommon dbus-libs fontconfig xcb-util-cursor"
)


@dataclass(frozen=True)
class Finding:
    """What one check found."""

    name: str
    state: Literal["ok", "note", "error"]
    detail: str


def run(args: argparse.Namespace, out: Output) -> int:
    """Print what was found. 0 when nothing is broken, else 1."""
    findings = asyncio.run(examine(data_folder(args)))
    ok = all(finding.state != "error" for finding in findings)
    if out.json_mode:
        out.data({"ok": ok, "version": __version__, "checks": [asdict(finding) for finding in findings]})
    else:
        for finding in findings:
            out.line(f"{finding.state:<5}  {finding.name}: {finding.detail}")
    return 0 if ok else 1


async def examine(folder: Path) -> list[Finding]:
    """Make all checks on a data folder and on this computer."""
    from deepchat_desktop.services.discovery import find_servers

    servers = await find_servers()
    found = ", ".join(f"{server.title} at {server.address} ({len(server.models)} models)" for server in servers)
    return [
        Finding("program", "ok", f"{__version__}, Python {platform.python_version()}, {platform.platform()}"),
        _guarded("window (Qt)", check_qt),
        await _keychain(),
        _guarded("data folder", lambda: check_folder(folder)),
        _guarded("disk space", lambda: check_disk(folder)),
        _guarded("database", lambda: check_database(folder)),
        _guarded("local model", lambda: check_local_model(folder)),
        Finding("model servers", "ok", found or "none answers on this computer"),
    ]


def _guarded(name: str, check: Callable[[], Finding]) -> Finding:
    try:
        return check()
    except DeepChatError as error:
        return Finding(name, "error", error.user_message)
    except OSError as error:
        return Finding(name, "error", f"{error.strerror or error}")


def check_qt() -> Finding:
    """Find Qt by its files, and the system libraries it needs, without loading any of it."""
    from deepchat_desktop.boot import refuse_bad_qt

    spec = importlib.util.find_spec("PySide6")
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        refuse_bad_qt(importlib.metadata.version("PySide6-Essentials"))
    places = list(spec.submodule_search_locations or ()) if spec else []
    if not any(list(Path(place).glob("QtWidgets.*")) for place in places):
        return Finding("window (Qt)", "error", 'not installed: pip install "PySide6-Essentials>=6.8"')
    if sys.platform.startswith("linux"):
        missing = [name for name in _QT_LIBRARIES if ctypes.util.find_library(name) is None]
        if missing:
            return Finding("window (Qt)", "note", _LIBRARY_ADVICE.format(names=", ".join(f"lib{n}" for n in missing)))
        if not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY"):
            return Finding("window (Qt)", "note", "installed, but there is no display here: no window can open")
    return Finding("window (Qt)", "ok", "installed")


async def _keychain() -> Finding:
    from deepchat_desktop.services.secrets import Secrets

    status = await Secrets().status()
    if status.where == "keychain":
        return Finding("keychain", "ok", f"{status.text} ({status.backend})")
    return Finding("keychain", "note", f"{status.text} ({status.reason})")


def check_folder(folder: Path) -> Finding:
    """See that the data folder is there, is private and can be written."""
    if not folder.exists():
        return Finding("data folder", "ok", f"{folder} (made at the first start)")
    if not folder.is_dir():
        return Finding("data folder", "error", f"{folder} is not a folder. Name another one with --data-dir.")
    if not os.access(folder, os.W_OK | os.X_OK):
        return Finding("data folder", "error", f"{folder} cannot be written. Change its rights or use --data-dir.")
    if os.name == "posix" and folder.stat().st_mode & 0o077:
        return Finding("data folder", "note", f"others may look into {folder}: chmod 700 it (the next start does so)")
    return Finding("data folder", "ok", str(folder))


def check_disk(folder: Path) -> Finding:
    """See how much room is left where the data lies."""
    place = next(parent for parent in (folder, *folder.parents) if parent.exists())
    free = shutil.disk_usage(place).free
    text = f"{free / 1e9:.1f} GB free"
    if free < LOW_DISK_BYTES:
        return Finding("disk space", "error", f"{text}: too little for the database and a model. Make room.")
    return Finding("disk space", "ok", text)


def check_database(folder: Path) -> Finding:
    """Open the database without writing and let SQLite check it."""
    from deepchat_desktop.services.store import Store

    if not (folder / "deepchat.db").exists():
        return Finding("database", "ok", "none yet (made at the first start)")
    store = Store.open(folder, read_only=True)
    try:
        sessions = store.read_now(lambda tx: len(tx.sessions.list()))
    finally:
        store.close_now()
    faults = _quick_check(folder / "deepchat.db")
    if faults:
        return Finding("database", "error", f"damaged ({faults[0]}). Keep it; restore a backup of the folder.")
    return Finding("database", "ok", f"whole; {sessions} sessions")


def _quick_check(path: Path) -> list[str]:
    import apsw

    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        lines = [str(row[0]) for row in connection.execute("PRAGMA quick_check(3)")]
    except apsw.Error as error:
        lines = [str(error)]
    finally:
        connection.close()
    return [line for line in lines if line != "ok"]


def check_local_model(folder: Path) -> Finding:
    """See whether the engine and a model file are there."""
    from deepchat_desktop.services.local_model.catalog import list_models

    if importlib.util.find_spec("xllamacpp") is None:
        return Finding("local model", "note", "the engine is not installed: pip install 'deepchat-desktop[local]'")
    models = list_models(folder / "models")
    if not models:
        return Finding("local model", "note", "no model file yet: deepchat models pull")
    return Finding("local model", "ok", ", ".join(f"{model.id} ({model.size / 1e6:.0f} MB)" for model in models))
