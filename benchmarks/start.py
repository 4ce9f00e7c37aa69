"""How long a start takes: from the start of the process to the window's first paint, and `deepchat --version`.

All are wall times seen from outside, the interpreter's own start included. A bare import of Qt is timed between the
starts: the floor below which no window can be, since a machine's speed drifts.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.figure import Figure
from benchmarks.process import APP, ROOT, screen, window

RUNS = 7
FLOOR = [sys.executable, "-c", "import PySide6.QtWidgets, PySide6.QtNetwork"]


def measure() -> list[Figure]:
    """Return the medians of `RUNS` starts, after one that warms the caches."""
    paints, floors = list[float](), list[float]()
    with tempfile.TemporaryDirectory() as folder, screen() as settings:
        for _ in range(RUNS + 1):
            with window(Path(folder) / "data", settings) as (_process, milliseconds):
                paints.append(milliseconds)
            floors.append(ended_ms(FLOOR))
    versions = [ended_ms([*APP, "--version"]) for _ in range(RUNS)]
    paint, floor = statistics.median(paints[1:]), statistics.median(floors[1:])
    spread = f"{min(paints[1:]):.0f} to {max(paints[1:]):.0f}; {paint / floor:.2f} x the bare import"
    return [
        Figure("start to first paint, median of 7", paint, "ms", 400, spread),
        Figure("bare import of Qt, median of 7", floor, "ms", None, f"{min(floors[1:]):.0f} to {max(floors[1:]):.0f}"),
        Figure("deepchat --version, median of 7", statistics.median(versions), "ms", 300),
    ]


def ended_ms(command: list[str]) -> float:
    """Return the milliseconds from the start of a command to its end. Raises when it fails."""
    started = time.perf_counter()
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - started) * 1000
