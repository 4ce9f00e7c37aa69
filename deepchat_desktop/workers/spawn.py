"""The one place that starts helper processes: workers, and the interpreter's own pip.

A child gets an environment from an allow-list, never ours, so no key of ours or of the user's shell reaches it
(SEC-3). Nothing secret is in an argument list: tokens go through stdin. ``-P`` keeps modules that lie in the
working directory (which may be someone else's project) from being imported in place of ours.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

ALLOWED_VARIABLES = frozenset({
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP",
    "SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA",
})  # fmt: skip
ALLOWED_PREFIXES = ("LC_", "XDG_")
NEEDED_VARIABLES = frozenset({"SYSTEMROOT", "WINDIR"})
NETWORK_VARIABLES = frozenset({
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
})  # fmt: skip
_KILL: int = getattr(signal, "SIGKILL", signal.SIGTERM)
PACKAGE_PARENT = str(Path(__file__).resolve().parents[2])


def is_frozen() -> bool:
    """Say whether this is a built application without an interpreter of its own."""
    return bool(getattr(sys, "frozen", False))


def worker_argv(name: str) -> list[str]:
    """Return the argument list that starts the worker ``name`` of this same program."""
    if is_frozen():
        return [sys.executable, "--worker", name]
    return [sys.executable, "-P", "-m", "deepchat_desktop", "--worker", name]


def child_environment(
    names: Iterable[str] = (), prefixes: Iterable[str] = (), extra: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return a child's environment: the allow-list, ``names`` and ``prefixes`` (upper case), and ``extra``."""
    allowed = ALLOWED_VARIABLES.union(names)
    starts = (*ALLOWED_PREFIXES, *prefixes)
    env = {
        name: value
        for name, value in os.environ.items()
        if name.upper() in allowed or name.upper().startswith(starts)
    }
    env.update(extra or {})
    return env


async def start(argv: list[str], env: Mapping[str, str]) -> asyncio.subprocess.Process:
    """Start a process with pipes on all three streams. Raises OSError if the program cannot be started."""
    flags = 0x08000000 if sys.platform == "win32" else 0  # CREATE_NO_WINDOW
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        *argv, stdin=pipe, stdout=pipe, stderr=pipe, env=dict(env), creationflags=flags
    )


async def start_worker(name: str, config: Mapping[str, Any], *, bare: bool = False) -> asyncio.subprocess.Process:
    """Start a worker and hand it its configuration line. Its stdin must stay open as long as it shall live.

    ``bare`` gives it no variable but those without which no process starts.
    """
    extra = {} if is_frozen() else {"PYTHONPATH": PACKAGE_PARENT}
    env = child_environment(extra=extra)
    if bare:
        env = {name: value for name, value in env.items() if name in extra or name.upper() in NEEDED_VARIABLES}
    process = await start(worker_argv(name), env)
    assert process.stdin is not None
    process.stdin.write(json.dumps({**config, "parent": os.getpid()}).encode() + b"\n")
    return process


async def stop(process: asyncio.subprocess.Process, patience_s: float = 2.0, *, by_stdin: bool = True) -> int:
    """End a process and return its exit code: close stdin, then terminate, then kill; each wait is bounded.

    ``by_stdin`` False is for a program that does not care about its stdin.
    """
    if process.stdin is not None:
        process.stdin.close()
    if not by_stdin:
        _send(process, signal.SIGTERM)
    for number in (signal.SIGTERM, _KILL):
        try:
            async with asyncio.timeout(patience_s):
                return await process.wait()
        except TimeoutError:
            _send(process, number)
    return await process.wait()


def kill(process: asyncio.subprocess.Process) -> None:
    """Kill a process that keeps nothing; whoever waits for it is told."""
    _send(process, _KILL)


def _send(process: asyncio.subprocess.Process, number: int) -> None:
    """Send a signal to a process that may have ended a moment ago."""
    if process.returncode is not None:
        return
    with suppress(ProcessLookupError):
        if sys.platform == "win32":
            process.terminate()
        else:
            # ``Process.terminate`` would look first whether it ended, and so take the exit code from the loop.
            os.kill(process.pid, number)
