"""What every worker does first: read its configuration and tie its life to its parent's.

Two ties, because each has a gap. The end of stdin is seen on every system, but only by a thread that gets to
run. PR_SET_PDEATHSIG (Linux) needs no thread, but does not fire if the parent died before it was set, so the
parent's id is compared afterwards.
"""

import ctypes
import json
import os
import queue
import signal
import sys
import threading
from io import BufferedReader
from typing import Any

Config = dict[str, Any]
"""The configuration line: a JSON object. ``parent`` is the process id of the starter."""

PR_SET_PDEATHSIG = 1
incoming: queue.SimpleQueue[bytes] = queue.SimpleQueue()
"""What comes on stdin after the configuration, for a worker that is given more to do."""


def read_config() -> Config:
    """Read the configuration line from stdin, then end this process when stdin or the parent ends.

    Raises TypeError or ValueError if the line is not a JSON object.
    """
    stdin = open(0, "rb", closefd=False)  # noqa: SIM115 - lives as long as the process; sys.stdin may be None
    config = json.loads(stdin.readline() or b"null")
    if not isinstance(config, dict):
        raise TypeError("a worker expects one JSON object on stdin")
    threading.Thread(target=_end_with, args=(stdin,), name="parent-guard", daemon=True).start()
    _die_with_parent(config.get("parent"))
    return config


def tell(**values: object) -> None:
    """Write one JSON line to stdout."""
    os.write(1, json.dumps(values).encode() + b"\n")


def _end_with(stdin: BufferedReader) -> None:
    while data := stdin.read1(65_536):
        incoming.put(data)
    os._exit(0)


def _die_with_parent(parent: object) -> None:
    if sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if isinstance(parent, int) and os.getppid() != parent:
        os._exit(0)
