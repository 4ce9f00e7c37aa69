"""Runs the benchmarks and prints a table: figure, goal, ratio (below 1 is better than the goal).

    python -m benchmarks [start] [memory] [lateness] [sse]
"""

from __future__ import annotations

import sys

from benchmarks import lateness, memory, sse, start
from benchmarks.figure import HEAD

ALL = {"start": start.measure, "memory": memory.measure, "lateness": lateness.measure, "sse": sse.measure}


def main(names: list[str]) -> int:
    """Measure what is named, or everything; 2 for an unknown name."""
    if unknown := [name for name in names if name not in ALL]:
        print(f"unknown: {', '.join(unknown)}; there are {', '.join(ALL)}", file=sys.stderr)
        return 2
    print(HEAD, flush=True)
    for name in names or ALL:
        for figure in ALL[name]():
            print(figure.row(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
