"""Starting the worker of ``worker.py``."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[3]


@contextmanager
def worker(*arguments: object, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """Run the worker; it is killed when the block is left and it still lives."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.services.store.worker", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def lines(*arguments: object, **environment: str) -> list[str]:
    """Run the worker to its end and return what it printed."""
    with worker(*arguments, **environment) as process:
        return process.communicate(timeout=60)[0].splitlines()
