"""``ask`` as a user and a script see it: the answer, the events, the exit codes, the sessions it leaves."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Deepchat, at
from tests.fakes.chat_answers import chat
from tests.fakes.wire_server import WireServer

RUN_ENDED_KEYS = [
    "kind",
    "session_id",
    "message_id",
    "outcome",
    "stop_reason",
    "text",
    "reasoning",
    "tool_calls",
    "usage",
    "rounds",
    "tool_call_count",
    "error",
    "pending",
]


def test_the_answer_goes_to_stdout_and_all_else_to_stderr(deepchat: Deepchat, server: WireServer) -> None:
    server.add(chat("Hello from the server.", reasoning="let me think"))
    ran = deepchat("ask", "Say hello to all of us", *at(server))
    assert (ran.code, ran.out) == (0, "Hello from the server.\n")
    assert "reasoning" in ran.err
    session = deepchat("sessions", "list", "--json").json[0]
    assert set(session) == {"id", "title", "status", "created_at", "updated_at", "messages"}
    assert (session["title"], session["status"], session["messages"]) == ("Say hello to all of us", "idle", 2)
    assert len(server.requests) == 1, "no request for a title"


def test_jsonl_is_one_object_a_line_with_run_ended_last(deepchat: Deepchat, server: WireServer) -> None:
    server.add(chat("one two three", reasoning="hm", usage=(11, 7)))
    ran = deepchat("ask", "hi", *at(server), "--jsonl")
    assert ran.code == 0
    assert all("kind" in line for line in ran.lines)
    ended = ran.lines[-1]
    assert [line["kind"] for line in ran.lines].count("run_ended") == 1
    assert list(ended) == RUN_ENDED_KEYS
    assert (ended["outcome"], ended["stop_reason"], ended["text"]) == ("completed", "complete", "one two three")
    assert (ended["reasoning"], ended["error"], ended["pending"]) == ("hm", None, [])
    assert ended["usage"] == {"input": 11, "output": 7, "cached": 0, "reasoning": 0, "cache_write": 0}


def test_a_session_goes_on_and_remembers_its_server(deepchat: Deepchat, server: WireServer) -> None:
    server.add(chat("The first."), chat("The second."))
    session = deepchat("ask", "first question", *at(server), "--system", "Be short.", "--jsonl").lines[-1]["session_id"]
    ran = deepchat("ask", "-", "--session", session, stdin="second question\n")
    assert (ran.code, ran.out) == (0, "The second.\n")
    sent = server.requests[1].json["messages"]
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "user"]
    shown = deepchat("sessions", "show", session, "--json").json
    assert [message["role"] for message in shown["messages"]] == ["user", "assistant"] * 2
    keys = {"id", "role", "status", "outcome", "stop_reason", "text", "blocks", "usage", "parent", "variant"}
    assert all(set(message) == keys for message in shown["messages"])
    assert shown["messages"][3]["parent"] == shown["messages"][2]["id"]


def test_the_key_of_a_variable_is_sent_and_kept_nowhere(deepchat: Deepchat, server: WireServer) -> None:
    key = "SENTINEL-KEY-NOT-A-REAL-ONE-0001"
    server.add(chat("ok"))
    ran = deepchat("ask", "hi", *at(server), "--api-key-env", "MY_VARIABLE", "--jsonl", MY_VARIABLE=key)
    assert ran.code == 0
    assert server.requests[0].headers["authorization"] == f"Bearer {key}"
    assert key not in ran.out + ran.err
    for file in (path for path in deepchat.data_dir.rglob("*") if path.is_file()):
        assert key.encode() not in file.read_bytes(), file.name


def test_attachments_travel(deepchat: Deepchat, server: WireServer, tmp_path: Path) -> None:
    server.add(chat("seen"))
    note, picture = tmp_path / "note.txt", tmp_path / "dot.bin"
    note.write_text("inside\n```\nfence\n```\n")
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 20)
    ran = deepchat("ask", "look", *at(server), "--attach", str(note), "--attach", str(picture))
    assert ran.code == 0
    content = server.requests[0].json["messages"][-1]["content"]
    assert "````\ninside" in content[0]["text"]
    assert content[1]["image_url"]["url"].startswith("data:image/png;base64,")


def test_other_files_are_refused_before_anything_is_sent(
    deepchat: Deepchat, server: WireServer, tmp_path: Path
) -> None:
    for name, data in {"x.png": b"\x00\x01binary", "big.txt": b"a" * 1_000_001}.items():
        (tmp_path / name).write_bytes(data)
        ran = deepchat("ask", "look", *at(server), "--attach", str(tmp_path / name))
        assert (ran.code, ran.out) == (2, "")
        assert name in ran.err
    assert not server.requests
    assert not deepchat.data_dir.exists()


def test_ctrl_c_stops_and_keeps_what_came(deepchat: Deepchat, server: WireServer) -> None:
    server.add(chat("first second third", hold_after=1))
    process = deepchat.start("ask", "hi", *at(server))
    assert process.stdout is not None
    assert process.stdout.read(5) == "first"
    process.send_signal(signal.SIGINT)
    _out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Stopped" in err
    assert "Traceback" not in err
    answer = deepchat.sessions()[0]["messages"][1]
    assert (answer["text"], answer["outcome"], answer["stop_reason"]) == ("first", "aborted", "user_stop")
    assert server.requests[0].hung_up.wait(30)


def test_ctrl_c_while_the_server_says_nothing(deepchat: Deepchat, server: WireServer) -> None:
    server.add(chat("never", hold_after=0))
    process = deepchat.start("ask", "hi", *at(server), "--jsonl")
    server.wait_for_requests(1)
    process.send_signal(signal.SIGINT)
    out, _err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert json.loads(out.splitlines()[-1])["outcome"] == "aborted"


def test_a_reader_that_goes_away_does_not_end_the_answer(deepchat: Deepchat, server: WireServer) -> None:
    server.add(chat("first second third", hold_after=1))
    process = deepchat.start("ask", "hi", *at(server))
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.read(5) == "first"
    process.stdout.close()
    server.release("hold")
    assert process.wait(30) == 0
    assert process.stderr.read() == ""
    process.stderr.close()
    answer = deepchat.sessions()[0]["messages"][1]
    assert answer["text"] == "first second third"


def test_the_answer_comes_as_it_is_made(deepchat: Deepchat, server: WireServer) -> None:
    server.add(chat("early late", hold_after=1))
    process = deepchat.start("ask", "hi", *at(server))
    assert process.stdout is not None
    assert process.stdout.read(5) == "early"  # the server still holds the rest
    server.release("hold")
    out, _err = process.communicate(timeout=30)
    assert (process.returncode, out) == (0, " late\n")


def test_qt_is_never_loaded(deepchat: Deepchat, server: WireServer) -> None:
    server.add(chat("ok"))
    program = (
        "import sys\nfrom deepchat_desktop.__main__ import main\ncode = main(sys.argv[1:])\n"
        "sys.exit(code or any(name.startswith(('PySide6', 'qasync')) for name in sys.modules))"
    )
    argv = [*deepchat.argv()[:1], "-c", program, "ask", "hi", *at(server)]
    done = subprocess.run(argv, env=deepchat.env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr


@pytest.mark.parametrize("flag", [["--no-tools"], ["--mode", "chat"]])
def test_chat_mode_offers_no_tools(deepchat: Deepchat, server: WireServer, tmp_path: Path, flag: list[str]) -> None:
    server.add(chat("ok"), chat("ok"))
    deepchat("ask", "hi", *at(server), "--workspace", str(tmp_path), *flag)
    deepchat("ask", "hi", *at(server), "--workspace", str(tmp_path))
    assert "tools" not in server.requests[0].json
    assert {tool["function"]["name"] for tool in server.requests[1].json["tools"]} >= {"read", "write"}


def test_limits_reach_the_server(deepchat: Deepchat, server: WireServer) -> None:
    server.add(chat("cut", finish="length"))
    ran = deepchat("ask", "hi", *at(server), "--context", "2048", "--max-output", "100")
    assert ran.code == 0
    assert "output limit" in ran.err
    assert 100 in server.requests[0].json.values()
