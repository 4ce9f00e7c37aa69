"""What a model says cannot steer the terminal it is printed to; a pipe gets it as it came."""

from __future__ import annotations

import os
import pty
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepchat_desktop.cli.output import Output
from deepchat_desktop.domain.terminal_text import for_terminal
from tests.cli.conftest import Deepchat, at
from tests.fakes.chat_answers import chat
from tests.fakes.wire_server import WireServer

EVIL = "\x1b]52;c;aGk=\x07red \x1b[31mline\x1b[0m \x9b2J\x1b]0;title\x1b\\end"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\n\ttext", "plain\n\ttext"),
        ("\x1b[31mred\x1b[0m\x1b]52;c;aGk=\x07", "red"),
        ("\x9b31m", ""),
        ("a\x1bMb", "ab"),
        ("\x1b(0lines", "lines"),
        ("one\r\ntwo", "one\ntwo"),
        ("天气 🏳️‍🌈 é", "天气 🏳️‍🌈 é"),
    ],
)
def test_sequences_are_dropped(text: str, shown: str) -> None:
    assert for_terminal(text) == shown


PIECES = st.one_of(st.characters(), st.sampled_from("\x1b\x9b[]\\;\x07m\r\n"))


@given(st.text(alphabet=PIECES, max_size=60), st.integers(0, 60))
def test_nothing_that_steers_gets_through_however_it_is_cut(text: str, cut: int) -> None:
    shown = for_terminal(text[:cut]) + for_terminal(text[cut:])
    controls = {char for char in shown if ord(char) < 32 or 127 <= ord(char) < 160}
    assert controls <= {"\n", "\t"}


def test_a_terminal_gets_text_and_a_pipe_gets_all(deepchat: Deepchat, server: WireServer) -> None:
    server.add(chat([EVIL]), chat([EVIL]))
    assert deepchat("ask", "hi", *at(server)).out == f"{EVIL}\n"
    here, there = pty.openpty()
    process = subprocess.Popen(
        deepchat.argv("ask", "hi", *at(server)), env=deepchat.env, stdin=there, stdout=there, stderr=subprocess.DEVNULL
    )
    os.close(there)
    seen = b""
    while chunk := _read(here):
        seen += chunk
    os.close(here)
    assert process.wait(30) == 0
    assert seen.replace(b"\r\n", b"\n").decode() == "red line end\n"


def _read(handle: int) -> bytes:
    try:
        return os.read(handle, 4096)
    except OSError:  # Linux says so when the other side is closed
        return b""


def test_no_streams_at_all_is_no_error() -> None:
    out = Output(None, None, json_mode="json")
    out.line("x")
    out.data({"a": 1})
    out.note("y")
    out.progress("z")
    out.failure("kind", "message")
