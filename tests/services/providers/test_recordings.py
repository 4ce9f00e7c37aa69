"""Recorded answers of real servers, from the folder that DEEPCHAT_WIRE_RECORDINGS names (no part of the source)."""

import hashlib
import json
from typing import Any

import pytest

from deepchat_desktop.services.providers.model_list import models_of
from deepchat_desktop.services.providers.wire_errors import classify
from deepchat_desktop.services.providers.wire_fold import fold
from tests.services.providers.wire_cases import RECORDINGS, cuts, readable, server_tool_differences

INDEX = RECORDINGS / "index.json"
pytestmark = pytest.mark.skipif(
    not INDEX.is_file(), reason="0 recordings: DEEPCHAT_WIRE_RECORDINGS names no folder of recorded answers"
)


def recorded(folder: str = "") -> list[dict[str, Any]]:
    path = RECORDINGS / folder / "index.json"
    return json.loads(path.read_text(encoding="utf-8"))["files"] if path.is_file() else []


STREAMS = recorded()
LOCAL_STYLES = {
    "/v1/chat/completions": "openai_chat",
    "/v1/responses": "openai_responses",
    "/v1/messages": "anthropic",
}
LOCAL = [{**entry, "api": LOCAL_STYLES[entry["path"]]} for entry in recorded("local") if entry["status"] == 200]


def test_the_folder_is_not_empty() -> None:
    print(f"{len(STREAMS)} recorded streams, {len(recorded('errors'))} errors, {len(LOCAL)} local")
    assert len(STREAMS) >= 130
    assert len(recorded("errors")) >= 30


def counted(usage: dict[str, int] | None) -> dict[str, int] | None:
    return None if usage is None else {name: count for name, count in usage.items() if count}


@pytest.mark.parametrize("entry", readable(STREAMS))
def test_a_recorded_stream(entry: dict[str, Any]) -> None:
    body = (RECORDINGS / entry["file"]).read_bytes()
    results = [fold(entry["api"], pieces) for pieces in cuts(body, seed=len(body))]
    assert all(result == results[0] for result in results)
    result, want = results[0], entry["expected"]
    assert result["text"] == want["text"]
    assert len(result["reasoning"]) == want["reasoning_chars"]
    if want["reasoning_sha256"]:
        assert hashlib.sha256(result["reasoning"].encode()).hexdigest() == want["reasoning_sha256"]
    assert result["stop"] in (want["stop"], *want["stop_also_ok"])
    assert counted(result["usage"]) == counted(want["usage"])
    assert bool(result["error"]) == (result["stop"] == "error")
    names = ("id", "name", "arguments")
    assert result["tool_calls"] == [{name: call[name] for name in names} for call in want["tool_calls"]]
    if "spliced" not in want.get("note", ""):  # what was open at the splice is dropped, and ends as cut off
        assert result.get("incomplete_tool_calls", []) == want.get("incomplete_tool_calls", [])
    assert result.get("refusal", False) == want.get("refusal", False)
    assert len(result.get("images", ())) == want["images"]
    assert server_tool_differences(result, want["server_tools"]) == []


@pytest.mark.parametrize("entry", recorded("errors"), ids=lambda entry: entry["file"])
def test_a_recorded_error(entry: dict[str, Any]) -> None:
    error = classify(entry["status"], {}, (RECORDINGS / "errors" / entry["file"]).read_bytes())
    assert (error.error, error.retryable) == (entry["klass"], entry["retryable"])
    assert 0 < len(error.message) <= 300


@pytest.mark.parametrize("entry", readable(LOCAL))
def test_a_recording_of_the_local_server(entry: dict[str, Any]) -> None:
    result = fold(entry["api"], [(RECORDINGS / "local" / entry["file"]).read_bytes()])
    assert result["stop"] in ("max_tokens",) if "length" in entry["file"] else ("complete", "max_tokens")
    assert result["text"]
    assert result["error"] is None


def test_errors_of_the_local_server() -> None:
    folder = RECORDINGS / "local"
    overflow = classify(400, {}, (folder / "llamacpp__400__context.json").read_bytes())
    loading = classify(503, {}, (folder / "llamacpp__503__loading.json").read_bytes())
    assert overflow.error == "context_overflow"
    assert (loading.error, loading.retryable) == ("overloaded", True)


@pytest.mark.parametrize(
    "name", ["copilot", "deepseek", "groq", "llamacpp", "mistral", "openai", "openrouter", "venice"]
)
def test_a_recorded_list_of_models(name: str) -> None:
    value = json.loads((RECORDINGS / "models" / f"{name}__models.json").read_text(encoding="utf-8"))
    models = models_of(value)
    assert len(models) == len({item["id"] for item in value["data"]})
    told = sum(1 for model in models if model.capabilities.context)
    assert told == 0 if name in ("deepseek", "openai") else told > len(models) / 2
