"""The responses adapter: what it sends, what it gives up when it is refused, and what it makes of odd answers."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from deepchat_desktop.domain.blocks import CarryBlock
from deepchat_desktop.domain.prompt import AssistantMessage, ModelCapabilities, ModelRequest, PromptCall, UserMessage
from deepchat_desktop.domain.stream import ProviderEvent
from deepchat_desktop.domain.tools import ToolSpec
from deepchat_desktop.services.providers.base import Endpoint
from deepchat_desktop.services.providers.openai_responses import OpenAIResponses
from deepchat_desktop.services.providers.openai_responses_request import refused_field, request_body
from deepchat_desktop.services.providers.tool_names import wire_name
from deepchat_desktop.services.providers.wire_fold import fold, fold_events
from tests.fakes.wire_server import Answer, WireServer, body_answer, json_answer
from tests.services.providers.test_openai_chat_request import SIGHTED, history_of
from tests.services.providers.wire_cases import body_of, cases, json_of

URL = "https://host.test/v1/responses"
ASK = UserMessage(text="hi")


def sse(*events: dict[str, Any]) -> bytes:
    return b"".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events)


def text(piece: str, place: int = 0) -> dict[str, Any]:
    return {"type": "response.output_text.delta", "output_index": place, "content_index": 0, "delta": piece}


def completed(**more: Any) -> dict[str, Any]:
    return {"type": "response.completed", "response": {"status": "completed", **more}}


def carried_history(family: str) -> tuple[Any, ...]:
    """Return a history with the round of ``rs-reasoning-carry``."""
    case = next(case for case in cases("stream") if case["id"] == "rs-reasoning-carry")
    data = fold("openai_responses", [body_of(case)])["carry"]
    call = PromptCall(id="call_1", name="add", arguments={}, arguments_text="{}")
    return (ASK, AssistantMessage(calls=(call,), carry=(CarryBlock(family=family, data=data),)))


def body_for(messages: tuple[Any, ...], *, refused: frozenset[str] = frozenset(), url: str = URL, **more: Any) -> Any:
    return request_body(ModelRequest(model="m", messages=messages, **more), url, "mine", refused)


@pytest.fixture
async def connect() -> AsyncIterator[Any]:
    made: list[OpenAIResponses] = []

    def make(server: WireServer) -> OpenAIResponses:
        made.append(OpenAIResponses(Endpoint(base_url=server.base_url, family="mine")))
        return made[-1]

    yield make
    for provider in made:
        await provider.aclose()


async def ask(provider: OpenAIResponses, messages: tuple[Any, ...] = (ASK,), **more: Any) -> list[ProviderEvent]:
    return [event async for event in provider.stream(ModelRequest(model="m", messages=messages, **more))]


@pytest.mark.parametrize(
    ("model", "capabilities", "want"),
    [
        ("gpt-5.4-mini", ModelCapabilities(), True),
        ("o3", ModelCapabilities(), True),
        ("anything", ModelCapabilities(reasoning=True), True),
        ("gpt-4.1-mini", ModelCapabilities(), False),
        ("gpt-4o", ModelCapabilities(), False),
    ],
)
def test_encrypted_reasoning_is_asked_of_reasoning_models_alone(
    model: str, capabilities: ModelCapabilities, want: bool
) -> None:
    request = ModelRequest(model=model, messages=(ASK,), capabilities=capabilities, temperature=0.5)
    body = request_body(request, URL, "mine")
    assert ("include" in body) == ("reasoning" in body) == want
    assert ("temperature" in body) != want
    assert body["store"] is False


def test_reasoning_goes_back_in_front_of_its_calls_without_ids() -> None:
    items = body_for(carried_history("mine"))["input"]
    assert [item["type"] for item in items] == ["message", "reasoning", "function_call", "function_call_output"]
    assert items[1]["encrypted_content"] == "gAAA"
    assert not any("id" in item for item in items)
    for other in (body_for(carried_history("other")), body_for(carried_history("mine"), refused={"reasoning items"})):
        assert "gAAA" not in json.dumps(other)
        assert [item["type"] for item in other["input"]] == ["message", "function_call", "function_call_output"]


def test_reasoning_stays_away_when_its_calls_have_changed() -> None:
    asked, said = carried_history("mine")
    items = body_for((asked, said.model_copy(update={"calls": (), "text": "t"})))["input"]
    assert [item["type"] for item in items] == ["message", "message"]


def test_cases_of_requests() -> None:
    empty = body_for(history_of(json_of("rq-empty-assistant")))["input"]
    assert [item["content"][0]["text"] for item in empty] == ["a", "b", "c"]
    orphan = body_for(history_of(json_of("rq-orphan-tool-call")))["input"]
    assert [item.get("call_id") for item in orphan] == [None, None, "c1", "c2", "c1", "c2", None]
    assert orphan[5]["output"].startswith("Error: ")
    case = json_of("rq-image-tool-result")
    picture = case["history"][2]["content"][1]["b64"]
    seen = body_for(history_of(case), capabilities=SIGHTED)["input"][-2:]
    assert seen[0]["output"][1]["image_url"] == f"data:image/png;base64,{picture}"
    assert [item["call_id"] for item in seen] == ["c1", "c2"]
    blind = body_for(history_of(case), capabilities=ModelCapabilities(vision=False))["input"]
    assert picture not in json.dumps(blind)
    names = [f"{tool['server']}__{tool['name']}" for tool in json_of("rq-tool-names")["tools"]]
    tools = body_for((ASK,), tools=tuple(ToolSpec(name=name, description="", parameters={}) for name in names))["tools"]
    assert [tool["name"] for tool in tools] == [wire_name(name) for name in names]
    assert all(tool["strict"] is False for tool in tools)


def test_openai_finds_its_cache_again() -> None:
    one, two = (body_for((ASK, *more), url="https://api.openai.com/v1/responses") for more in ((), (ASK,)))
    assert one["prompt_cache_key"] == two["prompt_cache_key"]
    assert "prompt_cache_key" not in body_for((ASK,))


@pytest.mark.parametrize(
    ("error", "want"),
    [
        ({"code": "unsupported_parameter", "param": "reasoning.summary", "message": "x"}, "reasoning.summary"),
        ({"message": "Your organization must be verified to generate reasoning summaries."}, "reasoning.summary"),
        ({"message": "Unknown parameter: 'include'", "param": "include"}, "include"),
        ({"message": "Encrypted content is not supported with this model: reasoning.encrypted_content"}, "include"),
        ({"message": "max_output_tokens is too large", "param": "max_output_tokens", "code": "invalid_value"}, None),
    ],
)
def test_what_a_refusal_is_about(error: dict[str, str], want: str | None) -> None:
    sent = body_for((ASK,), reasoning_effort="high", max_output=3)
    assert refused_field(json.dumps({"error": error}).encode(), sent) == want
    if want:
        head, _, tail = want.partition(".")
        left = body_for((ASK,), reasoning_effort="high", refused=frozenset({want})).get(head, {})
        assert (tail not in left) if tail else left == {}


@pytest.mark.anyio
async def test_reasoning_that_nobody_can_read_is_given_up_once(connect: Any) -> None:
    error = {"code": "invalid_encrypted_content", "message": "The encrypted content could not be verified."}
    refusal = {"error": error}
    answer = body_answer(sse(text("ok"), completed()))
    with WireServer([json_answer(refusal, 400), answer, answer]) as server:
        provider = connect(server)
        for _ in range(2):
            assert fold_events(await ask(provider, carried_history("mine")))["text"] == "ok"
        had = [b"gAAA" in request.body for request in server.requests]
    assert had == [True, False, True]


@pytest.mark.anyio
async def test_the_same_refusal_again_is_an_error(connect: Any) -> None:
    refusal = json_answer({"error": {"code": "invalid_encrypted_content", "message": "encrypted content"}}, 400)
    with WireServer([refusal], repeat_last=True) as server:
        assert fold_events(await ask(connect(server), carried_history("mine")))["error"]["kind"] == "bad_request"
        assert len(server.requests) == 2


@pytest.mark.anyio
async def test_a_refused_field_is_left_out_and_remembered(connect: Any) -> None:
    refusal = {"error": {"code": "unsupported_parameter", "param": "include", "message": "Unsupported: include"}}
    answer = body_answer(sse(text("ok"), completed()))
    with WireServer([json_answer(refusal, 400), answer, answer]) as server:
        provider = connect(server)
        for _ in range(2):
            await ask(provider, reasoning_effort="low")
        assert ["include" in request.json for request in server.requests] == [True, False, False]
        assert server.requests[0].path == "/v1/responses"


def test_the_whole_text_completes_the_pieces() -> None:
    whole = {"type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": "Hello you"}
    assert fold("openai_responses", [sse(text("Hel"), text("lo."), whole, completed())])["text"] == "Hello you"
    other = {**whole, "text": "Something else"}
    assert fold("openai_responses", [sse(text("Hel"), text("lo."), other, completed())])["text"] == "Hello."


def test_an_answer_that_comes_only_at_the_end() -> None:
    output = [
        {"type": "message", "content": [{"type": "output_text", "text": "a"}]},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": '{"x":1}'},
    ]
    for body in (sse(completed(output=output)), json.dumps({"status": "completed", "output": output}).encode()):
        result = fold("openai_responses", [body])
        assert (result["text"], result["stop"]) == ("a", "tool_use")
        assert result["tool_calls"] == [{"id": "c", "name": "f", "arguments": {"x": 1}}]


def test_a_cut_answer_runs_nothing() -> None:
    item = {"type": "function_call", "call_id": "c", "name": "f", "arguments": ""}
    added = {"type": "response.output_item.added", "output_index": 0, "item": item}
    whole = {"type": "response.output_item.done", "output_index": 0, "item": {**item, "arguments": "{}"}}
    result = fold("openai_responses", [sse(added, whole)])
    assert result["error"]["kind"] == "truncated_stream"
    assert result["tool_calls"] == []
    assert len(result["incomplete_tool_calls"]) == 1
    why = {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}
    filtered = fold("openai_responses", [sse({"type": "response.incomplete", "response": why})])
    assert filtered["error"]["kind"] == "content_filter"


@pytest.mark.anyio
async def test_a_cut_connection_keeps_the_text(connect: Any) -> None:
    with WireServer([Answer(steps=(sse(text("Hel"), text("lo")),), framing="close")]) as server:
        result = fold_events(await ask(connect(server)))
    assert (result["text"], result["error"]["kind"]) == ("Hello", "truncated_stream")
