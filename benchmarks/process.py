"""Starting the real program for a measurement: private folders, a screen of its own where Xvfb is there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
APP = [sys.executable, "-m", "deepchat_desktop"]
FIRST_PAINT = "first_paint_ms"


@contextmanager
def screen() -> Iterator[dict[str, str]]:
    """Yield the environment of a screen: an Xvfb of our own, else Qt's offscreen platform."""
    if not (xvfb := shutil.which("Xvfb")):
        yield {"QT_QPA_PLATFORM": "offscreen"}
        return
    reading, writing = os.pipe()
    command = [xvfb, "-displayfd", str(writing), "-screen", "0", "1440x900x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL) as server:
        os.close(writing)
        with os.fdopen(reading) as pipe:
            number = pipe.readline().strip()
        try:
            yield {"QT_QPA_PLATFORM": "xcb", "DISPLAY": f":{number}"}
        finally:
            server.terminate()


@contextmanager
def window(data_dir: Path, settings: dict[str, str]) -> Iterator[tuple[subprocess.Popen[str], float]]:
    """Open the window; yields the process and the milliseconds from its start to its first paint."""
    environment = os.environ | settings | {"DEEPCHAT_DATA_DIR": str(data_dir), "DEEPCHAT_PRINT_FIRST_PAINT": "1"}
    # An installed program has its bytecode; the first start, which is not counted, writes it here.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    started = time.perf_counter()
    with subprocess.Popen(APP, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if FIRST_PAINT in line:
                    yield process, (time.perf_counter() - started) * 1000
                    break
            else:
                raise RuntimeError("the window ended before its first paint")
        finally:
            process.terminate()
            process.stdout.read()
