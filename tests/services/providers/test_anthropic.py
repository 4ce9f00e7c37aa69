"""The messages adapter: what it sends, what it gives up when it is refused, and what it keeps to send back."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from deepchat_desktop.domain.accumulate import Answer as Accumulated
from deepchat_desktop.domain.accumulate import accumulate
from deepchat_desktop.domain.blocks import CarryBlock, ImageBlock
from deepchat_desktop.domain.prompt import (
    AssistantMessage,
    ModelCapabilities,
    ModelRequest,
    PromptCall,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from deepchat_desktop.domain.stream import ProviderEvent
from deepchat_desktop.domain.tools import ToolSpec
from deepchat_desktop.domain.turns import assistant_prompts
from deepchat_desktop.services.providers.anthropic import Anthropic, models_of, thinking_types
from deepchat_desktop.services.providers.anthropic_request import DEFAULT_OUTPUT, refused_field, request_body
from deepchat_desktop.services.providers.base import Endpoint
from deepchat_desktop.services.providers.tool_names import wire_name
from deepchat_desktop.services.providers.wire_fold import fold, fold_events
from tests.fakes.wire_server import Answer, WireServer, body_answer, json_answer
from tests.services.providers.test_openai_chat_request import SIGHTED, history_of
from tests.services.providers.wire_cases import body_of, cases, json_of

ASK = UserMessage(text="hi")
TOOL = ToolSpec(name="ls", description="Lists.", parameters={"type": "object", "properties": {}})
MARK = {"type": "ephemeral"}
LIST = {
    "data": [
        {
            "id": "claude-new",
            "display_name": "Claude New",
            "max_input_tokens": 1_000_000,
            "max_tokens": 128_000,
            "capabilities": {
                "image_input": {"supported": True},
                "thinking": {
                    "supported": True,
                    "types": {"adaptive": {"supported": True}, "enabled": {"supported": False}},
                },
            },
        },
        {
            "id": "claude-old",
            "capabilities": {"thinking": {"supported": True, "types": {"enabled": {"supported": True}}}},
        },
        {"id": "plain"},
        {"id": "plain"},
        {"no": "id"},
    ]
}


def sse(*events: dict[str, Any]) -> bytes:
    return b"".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events)


def answer(text: str = "ok") -> bytes:
    return sse(
        {"type": "message_start", "message": {"usage": {"input_tokens": 3}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": text}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    )


def body_for(messages: tuple[Any, ...], *, refused: frozenset[str] = frozenset(), **more: Any) -> dict[str, Any]:
    return request_body(ModelRequest(**{"model": "m", "messages": messages, **more}), "mine", refused)


def unmarked(value: Any) -> Any:
    """Return a body without its marks for the cache."""
    if isinstance(value, dict):
        return {name: unmarked(part) for name, part in value.items() if name != "cache_control"}
    return [unmarked(part) for part in value] if isinstance(value, list) else value


def signed_round(case_id: str = "an-signature") -> tuple[bytes, list[dict[str, Any]]]:
    """Return a recorded answer and the blocks that must go back."""
    case = next(case for case in cases("stream") if case["id"] == case_id)
    return body_of(case), case["expected"]["carry"]["content"]


@pytest.fixture
async def connect() -> AsyncIterator[Any]:
    made: list[Anthropic] = []

    def make(server: WireServer, key: str | None = None, family: str = "mine", **more: Any) -> Anthropic:
        async def get_key() -> str | None:
            return key

        made.append(Anthropic(Endpoint(base_url=server.base_url, family=family, key=get_key, **more)))
        return made[-1]

    yield make
    for provider in made:
        await provider.aclose()


async def ask(provider: Anthropic, messages: tuple[Any, ...] = (ASK,), **more: Any) -> list[ProviderEvent]:
    return [event async for event in provider.stream(ModelRequest(**{"model": "m", "messages": messages, **more}))]


def said_by(events: list[ProviderEvent], status: str = "success") -> list[Any]:
    """Return what a history keeps of an answer whose calls were carried out."""
    state = Accumulated()
    for number, event in enumerate(events):
        state = accumulate(state, event, now=0, new_call_id=str(number)).answer
    calls = {"status": status, "result": "done"}
    blocks = [b.model_copy(update=calls) if b.kind == "tool_call" else b for b in state.blocks]
    return list(assistant_prompts(tuple(blocks)))


@pytest.mark.anyio
async def test_signed_reasoning_goes_back_byte_for_byte_to_its_model_alone(connect: Any) -> None:
    recorded, content = signed_round()
    with WireServer([body_answer(recorded, cut=7)] + [body_answer(answer())] * 3) as server:
        provider = connect(server)
        history = (ASK, *said_by(await ask(provider, tools=(TOOL,))))
        await ask(provider, history, tools=(TOOL,))
        await ask(provider, history, tools=(TOOL,), model="another")
        await ask(connect(server, family="theirs"), history, tools=(TOOL,))
        same, *others = [request.json["messages"] for request in server.requests[1:]]
    assert same[1] == {"role": "assistant", "content": content}
    assert same[2]["content"][0]["type"] == "tool_result"
    for other in others:
        assert [block["type"] for block in other[1]["content"]] == ["tool_use"]


@pytest.mark.anyio
async def test_reasoning_that_is_not_taken_is_given_up_once(connect: Any) -> None:
    recorded, _ = signed_round()
    text = "messages.1.content.0: Invalid `signature` in `thinking` block"
    refusal = json_answer({"type": "error", "error": {"type": "invalid_request_error", "message": text}}, 400)
    with WireServer([body_answer(recorded), refusal, body_answer(answer()), body_answer(answer())]) as server:
        provider = connect(server)
        history = (ASK, *said_by(await ask(provider, tools=(TOOL,))))
        for _ in range(2):
            events = await ask(provider, history, tools=(TOOL,), reasoning_effort="low")
            assert fold_events(events)["text"] == "ok"
        sent = [("R3dk" in request.body.decode(), "thinking" in request.json) for request in server.requests[1:]]
    assert sent == [(True, True), (False, False), (True, True)]


@pytest.mark.parametrize(
    "text",
    [
        "messages.3.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
        "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
    ],
)
def test_both_words_for_reasoning_that_is_missing_or_changed(text: str) -> None:
    error = json.dumps({"error": {"type": "invalid_request_error", "message": text}}).encode()
    assert refused_field(error, body_for((ASK,), reasoning_effort="low")) == "reasoning blocks"


@pytest.mark.anyio
async def test_a_way_of_thinking_that_is_refused_is_remembered(connect: Any) -> None:
    text = '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive".'
    refusal = json_answer({"error": {"type": "invalid_request_error", "message": text}}, 400)
    with WireServer([refusal, body_answer(answer()), body_answer(answer())]) as server:
        provider = connect(server)
        for _ in range(2):
            await ask(provider, reasoning_effort="high", temperature=0.3)
        bodies = [request.json for request in server.requests]
    assert [body["thinking"]["type"] for body in bodies] == ["enabled", "adaptive", "adaptive"]
    assert bodies[0]["thinking"]["budget_tokens"] < bodies[0]["max_tokens"]
    assert bodies[1]["output_config"] == {"effort": "high"}
    assert not any("temperature" in body for body in bodies)


@pytest.mark.anyio
async def test_the_list_says_how_a_model_is_asked_to_think(connect: Any) -> None:
    with WireServer([body_answer(answer())] * 3, routes={"/models": json_answer(LIST)}) as server:
        provider = connect(server, key="k")
        await provider.list_models()
        for model in ("claude-new", "claude-old", "claude-opus-4-8"):
            await ask(provider, reasoning_effort="low", model=model)
        asked = server.requests
    assert asked[0].path == "/v1/models?limit=1000"
    assert [request.json["thinking"]["type"] for request in asked[1:]] == ["adaptive", "enabled", "adaptive"]


def test_models_with_what_they_can_do() -> None:
    new, old, plain = models_of(LIST)
    assert (new.id, new.name) == ("claude-new", "Claude New")
    want = ModelCapabilities(vision=True, reasoning=True, context=1_000_000, max_output=128_000)
    assert new.capabilities == want
    assert (old.capabilities.reasoning, plain.capabilities) == (True, ModelCapabilities())
    assert thinking_types(LIST)["claude-old"] == {"enabled"}
    assert models_of([]) == models_of({"data": "x"}) == ()


@pytest.mark.parametrize(
    ("model", "more", "want"),
    [
        ("claude-sonnet-4-5-20250929", {}, "enabled"),
        ("claude-opus-4-20250514", {}, "enabled"),
        ("claude-opus-4-7", {}, "adaptive"),
        ("claude-sonnet-5", {}, "adaptive"),
        ("claude-haiku-10-20300101", {}, "adaptive"),
        ("m", {"reasoning_effort": "none"}, None),
        ("m", {"reasoning_effort": None}, None),
        ("m", {"capabilities": ModelCapabilities(reasoning=False)}, None),
        ("m", {"max_output": 1500}, None),
    ],
)
def test_who_is_asked_to_think_and_how(model: str, more: dict[str, Any], want: str | None) -> None:
    body = body_for((ASK,), **{"model": model, "reasoning_effort": "max", "temperature": 0.5, **more})
    assert body.get("thinking", {}).get("type") == want
    assert ("temperature" in body) == (want is None)
    if want == "enabled":
        assert 1024 <= body["thinking"]["budget_tokens"] < body["max_tokens"]


def test_no_way_of_thinking_is_asked_for_when_both_were_refused() -> None:
    both = frozenset({"thinking.adaptive", "thinking.enabled"})
    assert "thinking" not in body_for((ASK,), reasoning_effort="low", refused=both)


def test_a_limit_is_always_sent() -> None:
    assert body_for((ASK,))["max_tokens"] == DEFAULT_OUTPUT
    assert body_for((ASK,), capabilities=ModelCapabilities(max_output=9))["max_tokens"] == 9
    assert body_for((ASK,), capabilities=ModelCapabilities(max_output=9), max_output=5)["max_tokens"] == 5


def test_a_temperature_goes_before_a_top_p() -> None:
    assert "top_p" not in body_for((ASK,), temperature=0.0, top_p=0.5)
    assert body_for((ASK,), top_p=0.5)["top_p"] == 0.5


def test_where_the_cache_may_end() -> None:
    history = (SystemMessage(text="Be brief."), ASK, AssistantMessage(text="Hello."), UserMessage(text="And?"))
    body = body_for(history, tools=(TOOL, TOOL.model_copy(update={"name": "rm"})))
    assert [tool.get("cache_control") for tool in body["tools"]] == [None, MARK]
    assert body["system"][-1]["cache_control"] == MARK
    marked = [block.get("cache_control") for message in body["messages"] for block in message["content"]]
    assert marked == [None, None, MARK]
    assert "cache_control" not in json.dumps(body_for(history, tools=(TOOL,), refused=frozenset({"cache_control"})))


def test_a_block_that_goes_back_is_never_marked() -> None:
    paused = CarryBlock(family="mine", data={"content": [{"type": "server_tool_use", "id": "s", "name": "w"}]})
    body = body_for((ASK, AssistantMessage(carry=(paused,))))
    assert body["messages"][1]["content"] == paused.data["content"]
    assert body["messages"][0]["content"][0]["cache_control"] == MARK


def test_nobody_speaks_twice_and_nothing_is_blank() -> None:
    history = (ASK, UserMessage(text=" \n"), UserMessage(text="you"), AssistantMessage(text="\n"),
               AssistantMessage(text="Yes"), AssistantMessage(text="and  \n"))
    messages = unmarked(body_for(history))["messages"]
    assert messages == [
        {"role": "user", "content": [{"type": "text", "text": "hi"}, {"type": "text", "text": "you"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Yes"}, {"type": "text", "text": "and"}]},
    ]


def test_cases_of_requests() -> None:
    empty = unmarked(body_for(history_of(json_of("rq-empty-assistant"))))["messages"]
    assert all(block["text"].strip() for message in empty for block in message["content"])
    assert [message["role"] for message in empty] == ["user"]
    orphan = body_for(history_of(json_of("rq-orphan-tool-call")), tools=(TOOL,))["messages"]
    results = [b for message in orphan for b in message["content"] if b["type"] == "tool_result"]
    calls = [b["id"] for message in orphan for b in message["content"] if b["type"] == "tool_use"]
    assert [result["tool_use_id"] for result in results] == calls
    assert any(result.get("is_error") for result in results)
    assert [message["role"] for message in orphan][:3] == ["user", "assistant", "user"]
    case = json_of("rq-image-tool-result")
    picture = case["history"][2]["content"][1]["b64"]
    seen = body_for(history_of(case), capabilities=SIGHTED, tools=(TOOL,))["messages"][-1]["content"]
    assert seen[0]["content"][1]["source"] == {"type": "base64", "media_type": "image/png", "data": picture}
    blind = body_for(history_of(case), capabilities=ModelCapabilities(vision=False), tools=(TOOL,))
    assert picture not in json.dumps(blind)
    names = [f"{tool['server']}__{tool['name']}" for tool in json_of("rq-tool-names")["tools"]]
    tools = body_for((ASK,), tools=tuple(ToolSpec(name=name, description="", parameters={}) for name in names))["tools"]
    assert [tool["name"] for tool in tools] == [wire_name(name) for name in names]


def called(call_id: str, **arguments: Any) -> PromptCall:
    return PromptCall(id=call_id, name="ls", arguments=arguments, arguments_text=json.dumps(arguments))


def test_calls_have_objects_and_ids_that_differ() -> None:
    said = AssistantMessage(calls=(called("a:1", p="x"), called("a:1"), called("")))
    results = tuple(ToolMessage(call_id=call.id, name="ls", text=str(n)) for n, call in enumerate(said.calls))
    _, asked, told = body_for((ASK, said, *results, UserMessage(text="so?")), tools=(TOOL,))["messages"]
    assert [block["id"] for block in asked["content"]] == ["a_1", "a_1_1", "call_2"]
    assert [block["input"] for block in asked["content"]] == [{"p": "x"}, {}, {}]
    assert [block["type"] for block in told["content"]] == ["tool_result"] * 3 + ["text"]
    assert [block["content"][0]["text"] for block in told["content"][:3]] == ["0", "1", "2"]


def test_without_tools_calls_travel_as_text() -> None:
    picture = ImageBlock(media_type="image/png", data="iVBORw0KGgo=")
    result = ToolMessage(call_id="c", name="ls", text="a.txt", images=(picture,))
    body = unmarked(body_for((ASK, AssistantMessage(text="I look.", calls=(called("c", p="."),)), result)))
    _, said, told = body["messages"]
    assert said["content"] == [{"type": "text", "text": 'I look.\n[Called ls with {"p": "."}]'}]
    assert [block.get("text") for block in told["content"]] == ["[Result of ls]", "a.txt", None]
    assert "tools" not in body


@pytest.mark.anyio
async def test_the_key_goes_in_both_headers_to_other_hosts_and_once_to_its_own(connect: Any) -> None:
    with WireServer([body_answer(answer())] * 2) as server:
        await ask(connect(server, key="sk-1"))
        await ask(connect(server, key="sk-1", headers={"X-Api-Key": "own", "anthropic-version": "2030-01-01"}))
        first, second = [request.headers for request in server.requests]
        own = connect(server)._auth_headers("k", "https://api.anthropic.com/v1/messages")
        assert server.requests[0].path == "/v1/messages"
    assert (first["x-api-key"], first["authorization"]) == ("sk-1", "Bearer sk-1")
    assert first["anthropic-version"] == "2023-06-01"
    assert (second["x-api-key"], second["anthropic-version"]) == ("own", "2030-01-01")
    assert own == {"x-api-key": "k"}


@pytest.mark.parametrize(
    ("message", "want"),
    [
        ("temperature: Extra inputs are not permitted", "temperature"),
        ("`temperature` is deprecated for this model.", "temperature"),
        ("system.0.cache_control: Extra inputs are not permitted", "cache_control"),
        ("This server does not support tools", "tools"),
        ("max_tokens: 99999 > 8192, which is the maximum allowed number of output tokens", None),
        ("prompt is too long: 209000 tokens > 200000 maximum", None),
    ],
)
def test_what_a_refusal_is_about(message: str, want: str | None) -> None:
    error = json.dumps({"type": "error", "error": {"type": "invalid_request_error", "message": message}}).encode()
    body = body_for((ASK,), tools=(TOOL,), temperature=0.3)
    assert refused_field(error, body) == want
    if want:
        left = json.dumps(body_for((ASK,), tools=(TOOL,), temperature=0.3, refused=frozenset({want})))
        assert f'"{want}"' not in left


@pytest.mark.anyio
async def test_an_overload_and_a_cut_connection(connect: Any) -> None:
    busy = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    half = answer("Hello").partition(b"event: message_delta")[0]
    with WireServer([json_answer(busy, 529), Answer(steps=(half,), framing="close")]) as server:
        provider = connect(server)
        refused, cut = fold_events(await ask(provider)), fold_events(await ask(provider))
    assert (refused["error"]["kind"], refused["error"]["retryable"]) == ("overloaded", True)
    assert (cut["text"], cut["error"]["kind"]) == ("Hello", "truncated_stream")


def test_one_json_object_instead_of_a_stream() -> None:
    content = [{"type": "text", "text": "a"}, {"type": "tool_use", "id": "c", "name": "f", "input": {"x": 1}}]
    usage = {"input_tokens": 2, "cache_read_input_tokens": 5, "output_tokens": 3}
    body = {"type": "message", "content": content, "stop_reason": "tool_use", "usage": usage}
    result = fold("anthropic", [json.dumps(body).encode()])
    assert (result["text"], result["stop"]) == ("a", "tool_use")
    assert result["tool_calls"] == [{"id": "c", "name": "f", "arguments": {"x": 1}}]
    assert (result["usage"]["input"], result["usage"]["cached"]) == (7, 5)
