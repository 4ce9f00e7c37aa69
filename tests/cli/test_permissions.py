"""A tool call that needs the user: paused, answered later by another process, and done exactly once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Deepchat, at
from tests.fakes.chat_answers import chat
from tests.fakes.wire_server import WireServer


def write_call(name: str = "note.txt", call_id: str = "call_1") -> dict[str, Any]:
    return {"id": call_id, "name": "write", "arguments": {"path": name, "content": "once\n"}}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "work space"
    folder.mkdir()
    return folder


def test_pause_answer_and_go_on(deepchat: Deepchat, server: WireServer, workspace: Path) -> None:
    server.add(chat("I will write. ", tool_calls=[write_call()]), chat("It is written."))
    ran = deepchat("ask", "write a note", *at(server), "--workspace", str(workspace), "--jsonl")
    assert ran.code == 3
    ended = ran.lines[-1]
    assert (ended["outcome"], ended["stop_reason"]) == ("paused", "interaction")
    (pending,) = ended["pending"]
    assert set(pending) == {"id", "kind", "tool", "type", "summary"}
    assert (pending["kind"], pending["tool"], pending["type"]) == ("permission", "write", "write")
    assert not list(workspace.iterdir())
    assert deepchat.sessions()[0]["status"] == "waiting"

    answered = deepchat("answer", pending["id"], "--allow")
    assert (answered.code, answered.out) == (0, "It is written.\n")
    assert (workspace / "note.txt").read_text() == "once\n"
    results = [m for m in server.requests[1].json["messages"] if m["role"] == "tool"]
    assert len(results) == 1
    assert "note.txt" in results[0]["content"]

    (workspace / "note.txt").unlink()
    again = deepchat("answer", pending["id"], "--allow")
    assert again.code == 1
    assert not (workspace / "note.txt").exists()
    assert len(server.requests) == 2


def test_the_pause_says_how_to_answer(deepchat: Deepchat, server: WireServer, workspace: Path) -> None:
    server.add(chat("I will write.", tool_calls=[write_call()]))
    ran = deepchat("--data-dir", str(deepchat.data_dir), "ask", "go", *at(server), "--workspace", str(workspace))
    assert (ran.code, ran.out) == (3, "I will write.\n")
    assert "deepchat answer " in ran.err
    assert f"--data-dir {deepchat.data_dir}" in ran.err
    assert "note.txt" in ran.err


def test_a_refusal_is_told_to_the_model(deepchat: Deepchat, server: WireServer, workspace: Path) -> None:
    server.add(chat(tool_calls=[write_call()]), chat("Then not."))
    ran = deepchat("ask", "go", *at(server), "--workspace", str(workspace), "--jsonl")
    done = deepchat("answer", ran.lines[-1]["pending"][0]["id"], "--deny", "--why", "not in this folder")
    assert (done.code, done.out) == (0, "Then not.\n")
    assert "not in this folder" in server.requests[1].json["messages"][-1]["content"]
    assert not list(workspace.iterdir())


@pytest.mark.parametrize("policy", ["allow", "deny"])
def test_answers_given_ahead(deepchat: Deepchat, server: WireServer, workspace: Path, policy: str) -> None:
    calls = [write_call("a.txt", "call_a"), write_call("b.txt", "call_b")]
    server.add(chat("Writing.", tool_calls=calls), chat(tool_calls=[write_call("c.txt", "call_c")]), chat("Done."))
    ran = deepchat("ask", "go", *at(server), "--workspace", str(workspace), "--on-permission", policy, "--jsonl")
    assert ran.code == 0
    ended = [line for line in ran.lines if line["kind"] == "run_ended"]
    assert len(ended) == 1
    assert ended[0] == ran.lines[-1]
    wanted = "success" if policy == "allow" else "denied"
    assert [call["status"] for call in ended[0]["tool_calls"]] == [wanted] * 3
    assert ended[0]["text"] == "Writing.Done."
    expected = ["a.txt", "b.txt", "c.txt"] if policy == "allow" else []
    assert sorted(path.name for path in workspace.iterdir()) == expected


def test_text_of_several_rounds_stands_on_lines_of_its_own(
    deepchat: Deepchat, server: WireServer, workspace: Path
) -> None:
    server.add(chat("Writing.", tool_calls=[write_call()]), chat("Done."))
    ran = deepchat("ask", "go", *at(server), "--workspace", str(workspace), "--on-permission", "allow")
    assert (ran.code, ran.out) == (0, "Writing.\nDone.\n")
    assert "[write: success]" in ran.err


@pytest.mark.parametrize("second_answer", ["--allow", "--deny"])
def test_two_calls_are_answered_one_by_one_from_two_processes(
    deepchat: Deepchat, server: WireServer, workspace: Path, second_answer: str
) -> None:
    server.add(chat(tool_calls=[write_call("a.txt", "call_a"), write_call("b.txt", "call_b")]), chat("Done."))
    ran = deepchat("ask", "go", *at(server), "--workspace", str(workspace), "--jsonl")
    first, second = (item["id"] for item in ran.lines[-1]["pending"])
    half = deepchat("answer", first, "--allow", "--jsonl")
    assert half.code == 3
    assert [item["id"] for item in half.lines[-1]["pending"]] == [second]
    assert not list(workspace.iterdir()), "calls with effects wait for the last answer of their batch"
    assert deepchat("answer", second, second_answer).code == 0
    written = ["a.txt", "b.txt"] if second_answer == "--allow" else ["a.txt"]
    assert sorted(path.name for path in workspace.iterdir()) == written


def test_an_unknown_interaction_is_named(deepchat: Deepchat) -> None:
    ran = deepchat("answer", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "--allow")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.strip()
