"""``explain wire`` and ``doctor``: looking without touching."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deepchat_desktop.cli import run
from deepchat_desktop.cli.explain_wire import pieces
from tests.cli.conftest import Deepchat
from tests.fakes.chat_answers import chat


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    answer = chat("Grüße 世界", reasoning="hm", tool_calls=[{"id": "c1", "name": "read", "arguments": {"path": "ä"}}])
    file = tmp_path / "answer.sse"
    file.write_bytes(b"".join(step for step in answer.steps if isinstance(step, bytes)))
    return file


@pytest.mark.parametrize("cut", [[], ["--cut", "every_byte"], ["--cut", "7"]])
def test_the_fold_does_not_depend_on_the_cuts(
    recording: Path, cut: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["explain", "wire", "--api", "openai_chat", str(recording), "--json", *cut]) == 0
    folded = json.loads(capsys.readouterr().out)
    assert (folded["text"], folded["reasoning"], folded["stop"]) == ("Grüße 世界", "hm", "tool_use")
    assert folded["tool_calls"] == [{"id": "c1", "name": "read", "arguments": {"path": "ä"}}]
    assert folded["usage"] == {"input": 10, "output": 5, "cached": 0, "reasoning": 0, "cache_write": 0}
    assert folded["error"] is None


def test_a_recorded_refusal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body, headers = tmp_path / "body.json", tmp_path / "headers.json"
    body.write_text('{"error": {"message": "slow down"}}')
    headers.write_text('{"retry-after": "7"}')
    arguments = ["--api", "openai_chat", str(body), "--status", "429", "--headers", str(headers)]
    assert run(["explain", "wire", *arguments, "--json"]) == 0
    folded = json.loads(capsys.readouterr().out)
    assert (folded["stop"], folded["error"]["kind"], folded["retry_after_s"]) == ("error", "rate_limit", 7)


def test_words_for_people(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "wire", "--api", "openai_chat", str(recording)]) == 0
    out = capsys.readouterr().out
    assert "text:\nGrüße 世界\n" in out
    assert 'call: read({"path": "ä"})' in out


@pytest.mark.parametrize("text", ["[1]", "not json"])
def test_headers_must_be_an_object(
    recording: Path, tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    headers = tmp_path / "headers.json"
    headers.write_text(text)
    assert run(["explain", "wire", "--api", "openai_chat", str(recording), "--headers", str(headers)]) == 2
    assert "headers.json" in capsys.readouterr().err


def test_pieces_join_to_the_whole() -> None:
    assert b"".join(pieces(b"abcdefg", 3)) == b"abcdefg"
    assert list(pieces(b"", 1)) == []


def test_doctor_changes_nothing(deepchat: Deepchat) -> None:
    ran = deepchat("doctor", "--json")
    assert ran.code == 0
    assert ran.json["ok"] is True
    names = {check["name"] for check in ran.json["checks"]}
    assert names >= {"window (Qt)", "keychain", "data folder", "disk space", "database", "local model", "model servers"}
    assert not deepchat.data_dir.exists()
    assert "keychain" in deepchat("doctor").out
