"""The scripted server as a process of its own, as the tests of the real program use it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from deepchat_desktop.domain.prompt import ModelRequest, UserMessage
from deepchat_desktop.services.providers.base import Endpoint
from deepchat_desktop.services.providers.registry import make_provider
from deepchat_desktop.services.providers.wire_fold import fold_events

ROOT = Path(__file__).parents[3]
SCRIPT = {
    "models": ["a", {"id": "b", "max_model_len": 32}],
    "answers": [
        {"chat": {"text": "one", "usage": [1, 2]}, "match": "first"},
        {"chat": {"tool_calls": [{"id": "c", "name": "f", "arguments": {"a": 1}}]}, "cut": 5, "gzip": True},
        {"status": 429, "headers": {"retry-after": "3"}, "steps": ["{}"]},
        {"steps": [": hi\n\n", {"pause": 0.01}, {"b64": "ZGF0YTogW0RPTkVdCgo="}]},
        {"steps": ["data: {}\n\n", {"drop": True}]},
        {"json": {"choices": [{"message": {"content": "whole"}, "finish_reason": "stop"}]}},
        {"no_answer": True},
        {"no_answer": True},
    ],
}


@pytest.mark.anyio
async def test_a_script_is_played_by_a_process(tmp_path: Path) -> None:
    script, log = tmp_path / "script.json", tmp_path / "requests.jsonl"
    script.write_text(json.dumps(SCRIPT), encoding="utf-8")
    program = [sys.executable, "-m", "tests.fakes.wire_server", str(script)]
    command = [*program, "--requests", str(log), "--until-stdin-closes"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        provider = make_provider("openai_chat", Endpoint(base_url=f"http://127.0.0.1:{int(process.stdout.readline())}"))
        results = []
        for text in ("second", "first", "x", "x", "x", "x", "x"):
            request = ModelRequest(model="m", messages=(UserMessage(text=text),))
            results.append(fold_events([event async for event in provider.stream(request)]))
        models = await provider.list_models()
        await provider.aclose()
        process.stdin.close()
        assert process.wait(30) == 0
    called, said, limited, empty, dropped, whole, dead = results
    assert said["text"] == "one"
    assert called["tool_calls"] == [{"id": "c", "name": "f", "arguments": {"a": 1}}]
    assert limited["retry_after_s"] == 3
    assert (empty["stop"], dropped["error"]["kind"], dead["error"]["kind"]) == ("complete", "network", "network")
    assert whole["text"] == "whole"
    assert [model.capabilities.context for model in models] == [None, 32]
    requests = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert "second" in requests[0]["body"]
    assert requests[-1]["path"] == "/v1/models"
