"""Providers, their keys and models, and a local model file, from the command line."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Deepchat
from tests.fakes.chat_answers import chat
from tests.fakes.wire_server import WireServer, body_answer, json_answer, model_list

KEY = "SENTINEL-KEY-NOT-A-REAL-ONE-0001"


def add(deepchat: Deepchat, server: WireServer, *more: str) -> None:
    arguments = ["--api", "openai_chat", "--base-url", server.base_url, *more]
    assert deepchat("providers", "add", "My Box", *arguments).code == 0


def test_add_check_ask_remove(deepchat: Deepchat, server: WireServer) -> None:
    server.routes["/models"] = model_list(["alpha", "beta"])
    server.add(chat("From the default model."), chat("From the other."))
    add(deepchat, server, "--header", "X-Org=blue")
    assert deepchat("models", "check", "my-box", "--json").json == [
        {"provider": "my-box", "ok": True, "models": 2, "error": None}
    ]
    assert deepchat("ask", "hi").out == "From the default model.\n"
    assert deepchat("ask", "hi", "--model", "my-box/beta").out == "From the other.\n"
    asked = [request for request in server.requests if request.method == "POST"]
    assert [request.json["model"] for request in asked] == ["alpha", "beta"]
    assert asked[0].headers["x-org"] == "blue"
    assert "authorization" not in asked[0].headers
    rows = deepchat("models", "list", "--json").json
    assert [(row["provider"], row["id"]) for row in rows] == [("my-box", "alpha"), ("my-box", "beta")]
    assert deepchat("providers", "list", "--json").json[0]["id"] == "my-box"
    assert deepchat("providers", "remove", "my-box").code == 0


def test_a_name_is_given_once_and_must_be_known(deepchat: Deepchat, server: WireServer) -> None:
    add(deepchat, server)
    again = deepchat("providers", "add", "my box", "--api", "openai_chat", "--base-url", server.base_url, "--json")
    assert (again.code, again.json["error"]["kind"]) == (1, "config")
    for command in (["providers", "remove", "x"], ["models", "check", "x"], ["ask", "hi", "--model", "x/y"]):
        ran = deepchat(*command)
        assert ran.code == 1
        assert "no provider" in ran.err


def test_without_a_keychain_a_key_is_not_kept_and_the_way_out_is_named(deepchat: Deepchat, server: WireServer) -> None:
    add(deepchat, server)
    ran = deepchat("providers", "set-key", "my-box", stdin=f"{KEY}\n")
    assert (ran.code, ran.out) == (1, "")
    assert "--api-key-env" in ran.err
    assert KEY not in ran.err
    for file in (path for path in deepchat.data_dir.rglob("*") if path.is_file()):
        assert KEY.encode() not in file.read_bytes(), file.name
    settings = json.loads((deepchat.data_dir / "settings.json").read_text())
    assert settings["providers"][0]["key_backend"] is None


@pytest.mark.parametrize("line", ["", "\n", "two words\n", "bell\x07\n"])
def test_what_is_no_key_is_refused(deepchat: Deepchat, server: WireServer, line: str) -> None:
    add(deepchat, server)
    ran = deepchat("providers", "set-key", "my-box", stdin=line)
    assert ran.code == 2
    assert "nothing was kept" in ran.err


def test_a_key_for_a_server_without_encryption_is_refused(deepchat: Deepchat) -> None:
    deepchat("providers", "add", "far", "--api", "openai_chat", "--base-url", "http://model.test/v1")
    ran = deepchat("providers", "set-key", "far", stdin=f"{KEY}\n")
    assert ran.code == 1
    assert "https" in ran.err


def test_a_check_says_what_is_wrong(deepchat: Deepchat, server: WireServer) -> None:
    server.routes["/models"] = json_answer({"error": {"message": "no"}}, 401)
    add(deepchat, server)
    ran = deepchat("models", "check", "--json")
    assert ran.code == 1
    assert ran.json[0]["error"]["kind"] == "auth"


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (401, {"message": "Incorrect API key provided"}, "auth"),
        (429, {"message": "You exceeded your current quota", "code": "insufficient_quota"}, "quota"),
        (404, {"message": "The model `alpha` does not exist", "code": "model_not_found"}, "model_not_found"),
    ],
)
def test_a_check_tells_what_an_open_list_hides(
    deepchat: Deepchat, server: WireServer, status: int, error: dict[str, str], kind: str
) -> None:
    server.routes["/models"] = model_list(["alpha"])
    server.routes["/chat/completions"] = json_answer({"error": error}, status)
    add(deepchat, server)
    assert deepchat("models", "check", "my-box", "--json").json[0]["ok"]
    ran = deepchat("models", "check", "my-box", "--ask", "--json")
    assert (ran.code, ran.json[0]["ok"], ran.json[0]["models"], ran.json[0]["error"]["kind"]) == (1, False, 1, kind)


def test_a_check_names_the_kind_and_tells_a_wrong_address_from_a_wrong_model(
    deepchat: Deepchat, server: WireServer
) -> None:
    page = body_answer(b"<!DOCTYPE html><title>Welcome</title>", status=404)
    server.routes |= {"/models": page, "/chat/completions": page}
    add(deepchat, server)
    ran = deepchat("models", "check", "my-box", "--ask")
    assert ran.code == 1
    assert ran.out.startswith(f"my-box: bad_request: There is no such API at {server.base_url}.")
    server.close()
    ran = deepchat("models", "check", "my-box", "--ask", "--json")
    assert (ran.json[0]["error"]["kind"], ran.json[0]["error"]["retryable"]) == ("network", True)


def test_a_model_file_is_taken_and_checked(deepchat: Deepchat, tmp_path: Path) -> None:
    source = tmp_path / "tiny.gguf"
    source.write_bytes(b"GGUF" + b"\0" * 100)
    wrong = deepchat("models", "pull", "--from", str(source), "--sha256", "0" * 64)
    assert wrong.code == 1
    assert not list((deepchat.data_dir / "models").iterdir())
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    ran = deepchat("models", "pull", "--from", str(source), "--sha256", digest, "--json")
    assert (ran.code, ran.json["id"]) == (0, "tiny")
    assert deepchat("models", "list", "--json").json[0]["provider"] == "local"
    assert deepchat("models", "pull", "--if-missing", "--json").json["id"] == "tiny"
    not_a_model = tmp_path / "note.gguf"
    not_a_model.write_text("hello")
    ran = deepchat("models", "pull", "--from", str(not_a_model))
    assert ran.code == 1
    assert "GGUF" in ran.err


def test_a_picture_for_a_model_without_eyes_is_refused(deepchat: Deepchat, tmp_path: Path) -> None:
    model, picture = tmp_path / "tiny.gguf", tmp_path / "dot.png"
    model.write_bytes(b"GGUF" + b"\0" * 100)
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 20)
    deepchat("models", "pull", "--from", str(model))
    ran = deepchat("ask", "look", "--attach", str(picture))
    assert ran.code == 1
    assert "only text" in ran.err
    assert deepchat.sessions() == []


def test_a_damaged_model_file_is_an_error_in_words(deepchat: Deepchat, tmp_path: Path) -> None:
    model = tmp_path / "tiny.gguf"
    model.write_bytes(b"GGUF" + b"\0" * 100)
    deepchat("models", "pull", "--from", str(model))
    ran = deepchat("ask", "hi", "--jsonl")
    assert (ran.code, ran.lines[-1]["outcome"]) == (1, "error")
    assert "models pull" in ran.lines[-1]["error"]["message"] or "local" in ran.lines[-1]["error"]["message"]
