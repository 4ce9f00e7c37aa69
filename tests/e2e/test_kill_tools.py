"""A tool call and a process that dies at the worst moment: it ran once, or nobody says that it did."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.terminal import ad_hoc, deepchat, events, sessions, show
from tests.fakes.chat_answers import chat
from tests.fakes.wire_server import WireServer

WRITE = {"id": "c1", "name": "write", "arguments": {"path": "out.txt", "content": "once"}}


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer([chat("I will write. ", tool_calls=[WRITE]), chat("Done.")]) as running:
        yield running


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def ask(server: WireServer, workspace: Path) -> str:
    """Ask until the run pauses; returns the interaction."""
    done = deepchat("ask", "write it", "--workspace", workspace, *ad_hoc(server.base_url), "--jsonl", check=3)
    ended = events(done.stdout)[-1]
    assert (ended["kind"], ended["outcome"]) == ("run_ended", "paused")
    return str(ended["pending"][0]["id"])


def test_the_answer_of_another_process_resumes_and_the_file_is_written_once(
    server: WireServer, workspace: Path
) -> None:
    interaction = ask(server, workspace)
    assert not (workspace / "out.txt").exists()
    assert [session["status"] for session in sessions()] == ["waiting"]

    done = deepchat("answer", interaction, "--allow", "--jsonl")

    ended = events(done.stdout)[-1]
    assert (ended["outcome"], ended["text"]) == ("completed", "I will write. Done.")
    assert [call["status"] for call in ended["tool_calls"]] == ["success"]
    assert (workspace / "out.txt").read_text() == "once"
    again = deepchat("answer", interaction, "--allow", check=None)
    assert again.returncode != 0
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("point", "written", "status", "asks_again"),
    [
        ("dispatch:before", False, "waiting", True),
        ("dispatch:after", False, "interrupted", False),
        ("outcome:before", True, "interrupted", False),
        ("outcome:after", True, "success", False),
    ],
)
def test_death_around_a_tool_call(
    server: WireServer, workspace: Path, point: str, written: bool, status: str, asks_again: bool
) -> None:
    interaction = ask(server, workspace)
    deepchat("answer", interaction, "--allow", check=137, DEEPCHAT_FAIL_AT=point)
    assert (workspace / "out.txt").exists() == written

    # Any command that may write puts in order what was left, before it does anything else.
    session_id = sessions()[0]["id"]
    deepchat("continue", session_id, check=None)

    call = next(block for block in show(session_id)["messages"][1]["blocks"] if block["kind"] == "tool_call")
    assert call["status"] == status
    (workspace / "out.txt").unlink(missing_ok=True)
    if asks_again:
        again = [b for b in show(session_id)["messages"][1]["blocks"] if b["kind"] == "permission"][-1]
        deepchat("answer", again["interaction_id"], "--allow")
        assert (workspace / "out.txt").read_text() == "once"
    else:
        assert not (workspace / "out.txt").exists(), "it was run a second time"
