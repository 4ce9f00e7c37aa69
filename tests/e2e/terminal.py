"""Runs the real program in processes of its own against a scripted model server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = [sys.executable, "-m", "deepchat_desktop"]


def environment(**more: str) -> dict[str, str]:
    """Return the environment of a child: the test's private places, and what the test adds."""
    return os.environ | {"PYTHONUNBUFFERED": "1"} | more


def deepchat(*arguments: str | Path, check: int | None = 0, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; ``check`` is the exit code it must have, None for any."""
    done = subprocess.run(
        [*PROGRAM, *map(str, arguments)],
        cwd=ROOT,
        env=environment(**more),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if check is not None:
        assert done.returncode == check, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def start(*arguments: str | Path, **more: str) -> subprocess.Popen[str]:
    """Start a command; the test ends it."""
    return subprocess.Popen(
        [*PROGRAM, *map(str, arguments)],
        cwd=ROOT,
        env=environment(**more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def events(text: str) -> list[dict[str, Any]]:
    """Return the events of a ``--jsonl`` output."""
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def ad_hoc(base_url: str) -> list[str]:
    """Return the flags that name a scripted server."""
    return ["--api", "openai_chat", "--base-url", base_url, "--model-id", "m"]


def sessions() -> list[dict[str, Any]]:
    """Return ``sessions list --json``."""
    listed: list[dict[str, Any]] = json.loads(deepchat("sessions", "list", "--json").stdout)
    return listed


def show(session_id: str) -> dict[str, Any]:
    """Return ``sessions show --json``."""
    shown: dict[str, Any] = json.loads(deepchat("sessions", "show", session_id, "--json").stdout)
    return shown
