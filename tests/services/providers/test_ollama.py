"""Ollama's native API against a real server on loopback: what is sent, what is given up, what models can do."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from deepchat_desktop.domain.prompt import ModelCapabilities, ModelRequest, SystemMessage, UserMessage
from deepchat_desktop.domain.tools import ToolSpec
from deepchat_desktop.services.providers.base import Endpoint
from deepchat_desktop.services.providers.ndjson import LineSplitter
from deepchat_desktop.services.providers.ollama import Ollama
from deepchat_desktop.services.providers.ollama_request import context_length, request_body
from deepchat_desktop.services.providers.sse import MAX_EVENT_BYTES, EventTooLarge
from deepchat_desktop.services.providers.wire_fold import fold_events
from tests.fakes.wire_server import WireServer, body_answer, json_answer
from tests.services.providers.test_openai_chat_request import history_of
from tests.services.providers.wire_cases import json_of

TOOL = ToolSpec(name="w", description="d", parameters={"type": "object", "properties": {}})
ASK = ModelRequest(model="qwen3", messages=(UserMessage(text="hi"),), tools=(TOOL,))
ANSWER = b'{"message":{"content":"Hello"},"done":false}\n{"message":{"content":""},"done":true,"done_reason":"stop"}\n'


@asynccontextmanager
async def ollama(server: WireServer, **options: str) -> AsyncIterator[Ollama]:
    made = Ollama(Endpoint(server.base_url, options=options))
    try:
        yield made
    finally:
        await made.aclose()


async def folded(provider: Ollama, request: ModelRequest = ASK) -> dict[str, Any]:
    return fold_events([event async for event in provider.stream(request)])


@pytest.mark.anyio
async def test_a_model_without_tools_is_asked_without_them_from_then_on() -> None:
    refusal = json_of("ol-no-tools")
    answers = [json_answer(refusal["body"], status=400), body_answer(ANSWER), body_answer(ANSWER)]
    with WireServer(answers) as server:
        async with ollama(server) as provider:
            first, second = await folded(provider), await folded(provider)
    assert (first["text"], second["text"]) == ("Hello", "Hello")
    assert [request.path for request in server.requests] == ["/api/chat"] * 3
    assert ["tools" in request.json for request in server.requests] == [True, False, False]


@pytest.mark.anyio
async def test_the_context_length_is_the_user_s_or_one_that_holds_the_prompt() -> None:
    with WireServer([body_answer(ANSWER)], repeat_last=True) as server:
        async with ollama(server) as provider:
            await folded(provider)
        async with ollama(server, num_ctx="12000") as provider:
            await folded(provider)
    assert [request.json["options"]["num_ctx"] for request in server.requests] == [8192, 12000]


def test_a_long_prompt_gets_the_room_it_needs() -> None:
    case = json_of("ol-num-ctx")
    text = "word " * round(case["estimated_prompt_tokens"] * 3.9 / 5)
    request = ModelRequest(
        model=case["model"],
        messages=(SystemMessage(text=text), UserMessage(text="hi")),
        max_output=case["max_output"],
        capabilities=ModelCapabilities(context=case["model_info"]["context_length"]),
    )
    assert 16774 <= context_length(request) <= 40960
    assert context_length(request.model_copy(update={"capabilities": ModelCapabilities(context=10_000)})) == 10_000


@pytest.mark.anyio
async def test_models_are_listed_with_what_they_can_do() -> None:
    names = json_answer({"models": [{"name": "sees:4b"}, {"name": "old:1b"}, {"name": "sees:4b"}, {"no": "name"}]})
    shown = json_answer(
        {"capabilities": ["completion", "vision", "tools"], "model_info": {"gemma3.context_length": 131072}}
    )
    with WireServer([names, shown, json_answer({"error": "model not found"}, status=404)]) as server:
        async with ollama(server) as provider:
            sees, old = await provider.list_models()
    assert {request.path for request in server.requests} == {"/api/tags", "/api/show"}
    answered = next(model for model in (sees, old) if model.capabilities.context)
    assert answered.capabilities == ModelCapabilities(tools=True, vision=True, reasoning=False, context=131072)
    assert {sees.id, old.id} == {"sees:4b", "old:1b"}


def test_every_call_has_its_result_and_pictures_follow() -> None:
    orphan = request_body(ModelRequest(model="m", messages=history_of(json_of("rq-orphan-tool-call"))), None)
    calls = [call["id"] for said in orphan["messages"] for call in said.get("tool_calls", ())]
    results = [said["tool_call_id"] for said in orphan["messages"] if said["role"] == "tool"]
    assert calls == results != []
    case = json_of("rq-image-tool-result")
    sent = ModelRequest(model="m", messages=history_of(case))
    *_, first, second, pictures = request_body(sent, None)["messages"]
    assert [said["role"] for said in (first, second, pictures)] == ["tool", "tool", "user"]
    assert pictures["images"] == [case["history"][2]["content"][1]["b64"]]
    blind = request_body(sent.model_copy(update={"capabilities": ModelCapabilities(vision=False)}), None)
    assert not any("images" in said for said in blind["messages"])
    empty = request_body(ModelRequest(model="m", messages=history_of(json_of("rq-empty-assistant"))), None)
    assert [said["content"] for said in empty["messages"]] == ["a", "b", "c"]


LONG = ModelRequest(model="qwen3", messages=(SystemMessage(text="word " * 4000), UserMessage(text="hi")))


def counted(tokens: int | None) -> bytes:
    count = "" if tokens is None else f',"prompt_eval_count":{tokens}'
    return b'{"message":{"content":"x"},"done":true,"done_reason":"stop"' + count.encode() + b"}\n"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("read", "loaded", "warned"),
    [
        (2_100, {"models": [{"name": "qwen3:latest", "context_length": 4096}]}, True),
        (2_100, {"models": [{"name": "other", "context_length": 40_960}]}, True),
        (2_100, {"error": "no such thing"}, True),
        (2_100, {"models": [{"name": "qwen3:latest", "context_length": 40_960}]}, False),
        (4_000, {"models": []}, False),
        (None, {"models": []}, False),
    ],
)
async def test_a_prompt_that_lost_its_start_is_told(read: int | None, loaded: dict[str, Any], warned: bool) -> None:
    with WireServer([body_answer(counted(read))], routes={"/api/ps": json_answer(loaded)}) as server:
        async with ollama(server) as provider:
            events = [event async for event in provider.stream(LONG)]
    assert [event.kind for event in events if event.kind != "usage"] == ["text", *["warning"] * warned, "stop"]
    assert [request.path for request in server.requests][1:] == ["/api/ps"] * (read == 2_100)


def test_a_line_without_an_end_is_not_held_for_ever() -> None:
    splitter = LineSplitter()
    for _ in range(MAX_EVENT_BYTES >> 20):
        splitter.feed(b"a" * (1 << 20))
    with pytest.raises(EventTooLarge):
        splitter.feed(b"a")
