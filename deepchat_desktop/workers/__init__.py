"""The helper processes: the program itself, started with ``--worker NAME``.

A worker reads one JSON line from stdin (its configuration), answers in JSON lines on stdout, and ends when its
stdin closes or its parent dies. Whatever it needs is imported inside its own function, so that the registry
costs nothing.
"""

from collections.abc import Callable

from deepchat_desktop.workers import echo, local_model, render
from deepchat_desktop.workers.guard import Config, read_config

WORKERS: dict[str, Callable[[Config], int]] = {
    "echo": echo.run,
    "local_model": local_model.run,
    "render": render.run,
}


def main(name: str) -> int:
    """Run the worker ``name`` in this process and return its exit code; 2 if there is no such worker."""
    worker = WORKERS.get(name)
    if worker is None:
        return 2
    return worker(read_config())
