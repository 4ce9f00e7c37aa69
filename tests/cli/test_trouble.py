"""Bad servers, bad folders, bad moments: each ends with a sentence that says what to do, and nothing typed is lost."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Deepchat, at
from tests.fakes.chat_answers import chat, chunk
from tests.fakes.wire_server import Answer, Close, Gate, WireServer, json_answer

HTML = Answer(steps=(b"<html><body>Not here</body></html>",), headers={"content-type": "text/html"}, framing="length")


def ask(deepchat: Deepchat, server: WireServer, *more: str, **env: str) -> tuple[int, dict[str, Any], str]:
    ran = deepchat("ask", "my question", *at(server), "--jsonl", *more, **env)
    (session,) = deepchat.sessions()
    assert session["messages"][0]["text"] == "my question", "what was typed is kept"
    return ran.code, ran.lines[-1], ran.err


def test_no_model_yet_names_the_three_ways(deepchat: Deepchat) -> None:
    ran = deepchat("ask", "hi")
    assert (ran.code, ran.out) == (1, "")
    for way in ("models pull", "providers add", "--base-url"):
        assert way in ran.err


def test_a_wrong_key(deepchat: Deepchat, server: WireServer) -> None:
    key = "SENTINEL-KEY-NOT-A-REAL-ONE-0001"
    refusal = {"message": f"Incorrect API key provided: {key}", "code": "invalid_api_key"}
    server.add(json_answer({"error": refusal}, 401))
    code, ended, _err = ask(deepchat, server, "--api-key-env", "MY_KEY", MY_KEY=key)
    assert (code, ended["outcome"], ended["error"]["kind"]) == (1, "error", "auth")
    assert key not in str(ended)
    assert len(server.requests) == 1, "a refused key is not tried again"


@pytest.mark.parametrize("status", [200, 404])
def test_html_instead_of_an_answer(deepchat: Deepchat, server: WireServer, status: int) -> None:
    server.add(*[Answer(**{**vars(HTML), "status": status})] * 3)
    code, ended, _err = ask(deepchat, server)
    assert (code, ended["outcome"]) == (1, "error")
    assert ended["error"]["message"]


def test_nobody_at_the_address(deepchat: Deepchat) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    ran = deepchat("ask", "hi", "--api", "openai_chat", "--base-url", f"http://127.0.0.1:{port}/v1", "--model-id", "m")
    assert (ran.code, ran.out) == (1, "")
    assert f"127.0.0.1:{port}" in ran.err


@pytest.mark.parametrize("steps", [(Gate("never"),), (chunk({"content": "half an answer"}), Gate("never"))])
def test_a_server_that_hangs(deepchat: Deepchat, server: WireServer, steps: tuple[Any, ...]) -> None:
    server.add(*[Answer(steps=steps)] * 3)
    code, ended, _err = ask(deepchat, server, DEEPCHAT_TIMEOUTS="2,0.3,0.3")
    assert (code, ended["error"]["kind"]) == (1, "timeout")
    assert ended["text"] == ("half an answer" if len(steps) == 2 else "")


def test_an_answer_cut_in_the_middle(deepchat: Deepchat, server: WireServer) -> None:
    server.add(Answer(steps=(chunk({"content": "half an answer"}), Close())))
    code, ended, _err = ask(deepchat, server)
    assert (code, ended["outcome"], ended["text"]) == (1, "error", "half an answer")
    assert ended["error"]["kind"] in ("truncated_stream", "network")
    assert len(server.requests) == 1, "what was shown is never asked for again"


def test_a_busy_server_is_tried_again_and_said(deepchat: Deepchat, server: WireServer) -> None:
    server.add(json_answer({"error": {"message": "slow down"}}, 429), chat("Now."))
    ran = deepchat("ask", "hi", *at(server))
    assert (ran.code, ran.out) == (0, "Now.\n")
    assert "Trying again" in ran.err


def test_a_key_never_goes_over_plain_http(deepchat: Deepchat) -> None:
    arguments = ["--api", "openai_chat", "--base-url", "http://model.test/v1", "--model-id", "m", "--api-key-env", "K"]
    ran = deepchat("ask", "hi", *arguments, K="SENTINEL-KEY-NOT-A-REAL-ONE-0001")
    assert (ran.code, ran.out) == (1, "")
    assert "https" in ran.err


def test_an_unusable_data_folder(deepchat: Deepchat, server: WireServer, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ran = deepchat("ask", "hi", *at(server), "--data-dir", str(tmp_path / "file" / "data"))
    assert (ran.code, ran.out) == (1, "")
    assert "--data-dir" in ran.err
    assert not server.requests


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_data_folder(deepchat: Deepchat, server: WireServer) -> None:
    server.add(chat("kept"))
    assert deepchat("ask", "hi", *at(server)).code == 0
    for path in (*deepchat.data_dir.iterdir(), deepchat.data_dir):
        path.chmod(0o500 if path.is_dir() else 0o400)
    try:
        assert deepchat("ask", "hi", *at(server)).code == 1
        assert deepchat("sessions", "list", "--json").code == 0
    finally:
        deepchat.data_dir.chmod(0o700)


def test_a_second_writer_is_told_and_readers_work_beside(deepchat: Deepchat, server: WireServer) -> None:
    server.add(chat("first second", hold_after=1))
    first = deepchat.start("ask", "hi", *at(server))
    assert first.stdout is not None
    assert first.stdout.read(5) == "first"
    second = deepchat("ask", "me too", *at(server), "--jsonl")
    assert second.code == 1
    assert second.lines[-1]["error"]["kind"] == "store_busy"
    assert "is running with this data folder" in second.err
    assert deepchat("sessions", "list", "--json").json[0]["status"] == "generating"
    server.release("hold")
    assert first.communicate(timeout=30)[0] == " second\n"
    assert first.returncode == 0


def test_a_killed_answer_is_marked_and_goes_on(deepchat: Deepchat, server: WireServer) -> None:
    server.add(chat("first second", hold_after=1), chat("The rest."))
    process = deepchat.start("ask", "hi", *at(server))
    assert process.stdout is not None
    assert process.stdout.read(5) == "first"
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=30)
    (session,) = deepchat.sessions()
    ran = deepchat("continue", session["id"])
    assert (ran.code, ran.out) == (0, "The rest.\n")
    statuses = [message["status"] for message in deepchat.sessions()[0]["messages"]]
    assert statuses == ["done", "interrupted", "done", "done"]


def test_a_corrupt_database_is_left_as_it_is(deepchat: Deepchat, server: WireServer) -> None:
    deepchat.data_dir.mkdir(mode=0o700)
    database = deepchat.data_dir / "deepchat.db"
    database.write_bytes(b"this is no database" * 300)
    before = database.read_bytes()
    for command in (["ask", "hi", *at(server)], ["sessions", "list"]):
        ran = deepchat(*command)
        assert (ran.code, ran.out) == (1, "")
        assert "deepchat.db" in ran.err
    doctor = deepchat("doctor", "--json")
    assert doctor.code == 1
    assert {check["name"]: check["state"] for check in doctor.json["checks"]}["database"] == "error"
    assert database.read_bytes() == before


def test_a_newer_database_is_not_touched(deepchat: Deepchat, server: WireServer) -> None:
    server.add(chat("ok"))
    deepchat("ask", "hi", *at(server))
    with sqlite3.connect(deepchat.data_dir / "deepchat.db") as database:
        database.execute("PRAGMA user_version=9999")
    database.close()
    ran = deepchat("ask", "hi", *at(server), "--jsonl")
    assert (ran.code, ran.lines[-1]["error"]["kind"]) == (1, "store_newer")
    assert len(server.requests) == 1


def test_an_unknown_session(deepchat: Deepchat, server: WireServer) -> None:
    for command in (["sessions", "show", "X"], ["sessions", "delete", "X"]):
        ran = deepchat(*command, "--json")
        assert (ran.code, ran.json["error"]["kind"], ran.json["error"]["retryable"]) == (1, "not_found", False)
        assert ran.json["error"]["message"] in ran.err
    for command in (["continue", "X"], ["ask", "hi", "--session", "X"]):
        ran = deepchat(*command)
        assert ran.code == 1
        assert ran.err.strip()
