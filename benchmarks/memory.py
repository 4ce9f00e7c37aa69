"""How much memory the window takes after half a minute; helper processes, the model's above all, apart (Linux)."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from benchmarks.figure import Figure
from benchmarks.process import screen, window

SECONDS_OPEN = 30


def pss_mb(pid: int) -> float:
    """Return a process's proportional set size in MB (10^6 bytes)."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise RuntimeError(f"no Pss for process {pid}")


def children(pid: int) -> list[int]:
    """Return the ids of all descendants."""
    direct = [
        int(child)
        for task in Path(f"/proc/{pid}/task").iterdir()
        for child in (task / "children").read_text(encoding="ascii").split()
    ]
    return [descendant for child in direct for descendant in (child, *children(child))]


def measure() -> list[Figure]:
    """Return the window's memory and that of its helpers."""
    if not Path("/proc/self/smaps_rollup").exists():
        return []
    with (
        tempfile.TemporaryDirectory() as folder,
        screen() as settings,
        window(Path(folder) / "data", settings) as (process, _milliseconds),
    ):
        time.sleep(SECONDS_OPEN)
        helpers = children(process.pid)
        own, theirs = pss_mb(process.pid), sum(map(pss_mb, helpers))
    return [
        Figure(f"memory of the window after {SECONDS_OPEN} s (PSS)", own, "MB", 200),
        Figure("memory of its helper processes (PSS)", theirs, "MB", None, f"{len(helpers)} of them"),
    ]
