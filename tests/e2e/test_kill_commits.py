"""Death right before and right after every commit of a turn with a tool: nothing told is lost, nothing runs twice.

Whatever point it dies at, the next start finds a session that waits for an answer or can go on.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.terminal import ad_hoc, deepchat, events, sessions, show
from tests.fakes.chat_answers import chat
from tests.fakes.wire_server import WireServer

pytestmark = pytest.mark.slow
WRITE = {"id": "c1", "name": "write", "arguments": {"path": "out.txt", "content": "once"}}
OPEN = {"streaming", "pending", "waiting", "running"}
ASK_COMMITS, ANSWER_COMMITS = 9, 9


def recovered(session_id: str) -> dict[str, Any]:
    """Return the session after a start that puts in order what was left."""
    deepchat("answer", "none", "--allow", check=1)
    return show(session_id)


def waiting(shown: dict[str, Any]) -> list[str]:
    blocks = [block for message in shown["messages"] for block in message["blocks"]]
    return [b["interaction_id"] for b in blocks if b["kind"] == "permission" and b["status"] == "pending"]


def check_and_go_on(session_id: str, target: Path) -> None:
    """The session is whole: it waits and its answer resumes it, or it is idle and goes on."""
    shown = recovered(session_id)
    asked = waiting(shown)
    answers = [message for message in shown["messages"] if message["role"] == "assistant"]
    calls = [block for message in answers for block in message["blocks"] if block["kind"] == "tool_call"]
    assert shown["status"] == ("waiting" if asked else "idle")
    assert {message["status"] for message in answers} <= ({"paused"} if asked else {"interrupted", "done"})
    if asked:
        assert len(asked) == 1
        deepchat("answer", asked[0], "--allow")
        assert target.read_text() == "once"
    else:
        assert not OPEN & {call["status"] for call in calls}
        deepchat("continue", session_id, check=None)
        assert not target.exists(), "a call ran again, or ran unasked"


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("number", range(1, ASK_COMMITS + 1))
def test_death_at_each_commit_until_the_question(number: int, moment: str, tmp_path: Path) -> None:
    workspace = tmp_path / "project"
    workspace.mkdir()
    with WireServer([chat("I will write. ", tool_calls=[WRITE]), chat("Done.")], repeat_last=True) as server:
        done = deepchat(
            "ask", "write it", "--workspace", workspace, *ad_hoc(server.base_url), "--jsonl",
            check=None, DEEPCHAT_FAIL_AT=f"commit:{moment}:{number}",
        )
        assert done.returncode in (137, 3)
        told = [e["message"]["id"] for e in events(done.stdout) if e["kind"] == "message_added"]
        listed = sessions()
        assert listed or not told
        if not listed:
            return
        session_id = listed[0]["id"]
        assert {message["id"] for message in show(session_id)["messages"]} >= set(told)
        if show(session_id)["messages"]:
            check_and_go_on(session_id, workspace / "out.txt")


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("number", range(1, ANSWER_COMMITS + 1))
def test_death_at_each_commit_after_the_answer(number: int, moment: str, tmp_path: Path) -> None:
    workspace = tmp_path / "project"
    workspace.mkdir()
    target = workspace / "out.txt"
    with WireServer([chat("I will write. ", tool_calls=[WRITE]), chat("Done.")], repeat_last=True) as server:
        asked = deepchat("ask", "write it", "--workspace", workspace, *ad_hoc(server.base_url), "--jsonl", check=3)
        interaction = events(asked.stdout)[-1]["pending"][0]["id"]
        done = deepchat(
            "answer", interaction, "--allow", "--jsonl", check=None, DEEPCHAT_FAIL_AT=f"commit:{moment}:{number}"
        )
        assert done.returncode in (137, 0)
        if any(event["kind"] == "run_ended" for event in events(done.stdout)):
            assert target.read_text() == "once"
        target.unlink(missing_ok=True)
        check_and_go_on(sessions()[0]["id"], target)
