"""Runs the benchmarks and prints a table: figure, goal, ratio (below 1 is better than the goal).

    python -m benchmarks [start] [memory] [lateness] [sse] [soak] [bad-input] [list [--with-chromium]]

`list` prints a table of its own, with two other ways to build a message list beside ours.
"""

from __future__ import annotations

import sys

from benchmarks import bad_input, lateness, memory, soak, sse, start
from benchmarks.figure import HEAD
from benchmarks.message_list import run as message_list

ALL = {
    "start": start.measure, "memory": memory.measure, "lateness": lateness.measure, "sse": sse.measure,
    "soak": soak.measure, "bad-input": bad_input.measure,
}  # fmt: skip
LIST, WITH_CHROMIUM = "list", "--with-chromium"


def main(arguments: list[str]) -> int:
    """Measure what is named, or everything; 2 for an unknown name, 1 if a list could not be measured."""
    names = [name for name in arguments if name != WITH_CHROMIUM] or [*ALL, LIST]
    if unknown := [name for name in names if name not in ALL and name != LIST]:
        print(f"unknown: {', '.join(unknown)}; there are {', '.join([*ALL, LIST])}", file=sys.stderr)
        return 2
    if figures := [name for name in names if name in ALL]:
        print(HEAD, flush=True)
        for name in figures:
            for figure in ALL[name]():
                print(figure.row(), flush=True)
    return message_list.run(with_chromium=WITH_CHROMIUM in arguments) if LIST in names else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
