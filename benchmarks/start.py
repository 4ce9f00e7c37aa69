"""How long a start takes: from the start of the process to the window's first paint, and `deepchat --version`.

Both are wall times seen from outside, the interpreter's own start included.
"""

from __future__ import annotations

import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.figure import Figure
from benchmarks.process import APP, ROOT, screen, window

RUNS = 7


def measure() -> list[Figure]:
    """Return the medians of `RUNS` starts, after one that warms the caches."""
    paints: list[float] = []
    with tempfile.TemporaryDirectory() as folder, screen() as settings:
        for _ in range(RUNS + 1):
            with window(Path(folder) / "data", settings) as (_process, milliseconds):
                paints.append(milliseconds)
    versions: list[float] = []
    for _ in range(RUNS):
        started = time.perf_counter()
        subprocess.run([*APP, "--version"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        versions.append((time.perf_counter() - started) * 1000)
    spread = f"{min(paints[1:]):.0f} to {max(paints[1:]):.0f}"
    return [
        Figure("start to first paint, median of 7", statistics.median(paints[1:]), "ms", 400, spread),
        Figure("deepchat --version, median of 7", statistics.median(versions), "ms", 300),
    ]
