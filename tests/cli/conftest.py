"""Runs of the real program against a real server on loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from deepchat_desktop.cli.sessions import message_data, session_data
from deepchat_desktop.services.store import Store
from tests.fakes.wire_server import WireServer

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Ran:
    """An ended run of the program."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


class Deepchat:
    """The program in a data folder of its own."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        self.env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}

    def __call__(self, *arguments: str, stdin: str = "", **env: str) -> Ran:
        done = subprocess.run(
            self.argv(*arguments),
            input=stdin,
            env={**self.env, **env},
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Ran(done.returncode, done.stdout, done.stderr)

    def sessions(self) -> list[dict[str, Any]]:
        """What is stored, in the form of ``sessions show --json``, without the cost of another process."""
        store = Store.open(self.data_dir, read_only=True)
        try:
            return store.read_now(
                lambda tx: [
                    {**session_data(each), "messages": [message_data(m) for m in tx.messages.of_session(each.id)]}
                    for each in tx.sessions.list()
                ]
            )
        finally:
            store.close_now()

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        return subprocess.Popen(
            self.argv(*arguments), stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, env=self.env, text=True
        )

    def argv(self, *arguments: str) -> list[str]:
        return [sys.executable, "-P", "-m", "deepchat_desktop", *arguments]


@pytest.fixture
def deepchat(data_dir: Path) -> Deepchat:
    return Deepchat(data_dir)


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer() as running:
        yield running


def at(server: WireServer) -> list[str]:
    """The arguments that reach a server."""
    return ["--api", "openai_chat", "--base-url", server.base_url, "--model-id", "fake"]
