"""Bedrock's Converse against a real server on loopback: addresses, requests, what models do not take, the lists."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from deepchat_desktop.domain.blocks import CarryBlock
from deepchat_desktop.domain.errors import ConfigError, ProviderError
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
from deepchat_desktop.services.providers.base import Endpoint
from deepchat_desktop.services.providers.bedrock import Bedrock, models_of
from deepchat_desktop.services.providers.bedrock_request import request_body
from deepchat_desktop.services.providers.wire_fold import fold_events
from tests.fakes.wire_server import Answer, WireServer, body_answer, json_answer
from tests.services.providers.test_openai_chat_request import SIGHTED, history_of
from tests.services.providers.wire_cases import aws_frame, body_of, cases, json_of

CLAUDE, NOVA, TITAN = "us.anthropic.claude-haiku-4-5-20251001-v1:0", "us.amazon.nova-2-lite-v1:0", "amazon.titan-text"
SYSTEM, ASK = SystemMessage(text="Be brief."), UserMessage(text="hi")
TOOL = ToolSpec(name="ls", description="Lists.", parameters={"type": "object", "properties": {}})
POINT = {"cachePoint": {"type": "default"}}
ANSWER = b"".join(
    [
        aws_frame("messageStart", {"role": "assistant"}),
        aws_frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "ok"}}),
        aws_frame("contentBlockStop", {"contentBlockIndex": 0}),
        aws_frame("messageStop", {"stopReason": "end_turn"}),
        aws_frame("metadata", {"usage": {"inputTokens": 3, "outputTokens": 1}}),
    ]
)
MODELS = {
    "modelSummaries": [
        {
            "modelId": "amazon.nova-lite-v1:0",
            "modelName": "Nova Lite",
            "inputModalities": ["TEXT", "IMAGE"],
            "outputModalities": ["TEXT"],
            "responseStreamingSupported": True,
            "inferenceTypesSupported": ["ON_DEMAND"],
            "modelLifecycle": {"status": "ACTIVE"},
        },
        {
            "modelId": "anthropic.claude-x-v1:0",
            "modelName": "Claude X",
            "inputModalities": ["TEXT"],
            "outputModalities": ["TEXT"],
            "responseStreamingSupported": True,
            "inferenceTypesSupported": ["INFERENCE_PROFILE"],
        },
        {"modelId": "picture", "outputModalities": ["IMAGE"], "responseStreamingSupported": True},
        {"modelId": "slow", "outputModalities": ["TEXT"], "responseStreamingSupported": False},
    ]
}
PROFILES = {
    "inferenceProfileSummaries": [
        {
            "inferenceProfileId": "us.anthropic.claude-x-v1:0",
            "inferenceProfileName": "US Claude X",
            "models": [{"modelArn": "arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-x-v1:0"}],
        },
        {"inferenceProfileId": "us.picture", "models": [{"modelArn": "arn:aws:bedrock:::foundation-model/picture"}]},
    ]
}


def binary(body: bytes = ANSWER, cut: int | None = None) -> Answer:
    return Answer(steps=(body,), headers={"content-type": "application/vnd.amazon.eventstream"}, cut=cut)


def refusal(message: str) -> Answer:
    return json_answer({"message": message}, 400, {"x-amzn-errortype": "ValidationException"})


@pytest.fixture
async def connect() -> AsyncIterator[Any]:
    made: list[Bedrock] = []

    def make(server: WireServer, key: str | None = None) -> Bedrock:
        async def get_key() -> str | None:
            return key

        made.append(Bedrock(Endpoint(base_url=server.origin, family="mine", key=get_key)))
        return made[-1]

    yield make
    for provider in made:
        await provider.aclose()


async def ask(provider: Bedrock, messages: tuple[Any, ...] = (ASK,), **more: Any) -> list[ProviderEvent]:
    return [event async for event in provider.stream(ModelRequest(**{"model": CLAUDE, "messages": messages, **more}))]


def body_for(messages: tuple[Any, ...], *, refused: frozenset[str] = frozenset(), **more: Any) -> dict[str, Any]:
    return request_body(ModelRequest(**{"model": "m", "messages": messages, **more}), "mine", refused)


def url_of(base_url: str, region: str = "", model: str = CLAUDE) -> tuple[str, str]:
    provider = Bedrock(Endpoint(base_url, options={"region": region}))
    return provider._url(ModelRequest(model=model, messages=(ASK,))), provider._list_url()


@pytest.mark.parametrize(
    ("base_url", "region", "want"),
    [
        ("https://bedrock-runtime.us-east-1.amazonaws.com", "", "https://bedrock{}.us-east-1.amazonaws.com"),
        (" https://bedrock-runtime.us-east-1.amazonaws.com/ ", "eu-west-3", "https://bedrock{}.eu-west-3.amazonaws.com"),
        ("https://bedrock-runtime-fips.us-west-2.amazonaws.com", "", "https://bedrock{}-fips.us-west-2.amazonaws.com"),
        ("https://proxy.test/aws", "eu-west-3", "https://proxy.test/aws"),
        ("https://proxy.test/model/x/converse-stream", "", "https://proxy.test"),
    ],
)
def test_an_address_of_each_service(base_url: str, region: str, want: str) -> None:
    asked, listed = url_of(base_url, region)
    assert asked == want.format("-runtime") + "/model/us.anthropic.claude-haiku-4-5-20251001-v1%3A0/converse-stream"
    assert listed == want.format("") + "/foundation-models?byOutputModality=TEXT"


def test_odd_addresses() -> None:
    arn = "arn:aws:bedrock:us-east-1:1:application-inference-profile/a b"
    assert url_of("https://h.test", model=arn)[0].endswith("application-inference-profile%2Fa%20b/converse-stream")
    assert url_of("https://h.test/exactly/this#")[0] == "https://h.test/exactly/this"
    for region in ("no region", "x/y@evil.test", "a.b"):
        with pytest.raises(ConfigError):
            url_of("https://bedrock-runtime.us-east-1.amazonaws.com", region)
    with pytest.raises(ConfigError):
        url_of("bedrock")


@pytest.mark.anyio
async def test_a_round_over_the_wire(connect: Any) -> None:
    with WireServer([binary(cut=1)]) as server:
        result = fold_events(await ask(connect(server, key="absk"), (SYSTEM, ASK), max_output=9, temperature=0.5))
        (request,) = server.requests
    assert (result["text"], result["stop"], result["usage"]["input"]) == ("ok", "complete", 3)
    assert request.path == "/model/us.anthropic.claude-haiku-4-5-20251001-v1%3A0/converse-stream"
    assert request.headers["authorization"] == "Bearer absk"
    assert request.headers["accept"].startswith("application/vnd.amazon.eventstream")
    assert request.json == {
        "messages": [{"role": "user", "content": [{"text": "hi"}, POINT]}],
        "system": [{"text": "Be brief."}, POINT],
        "inferenceConfig": {"maxTokens": 9, "temperature": 0.5},
    }


@pytest.mark.anyio
async def test_signed_reasoning_goes_back_to_its_model_alone(connect: Any) -> None:
    case = next(case for case in cases("stream_events") if case["id"] == "own-bedrock-reasoning")
    with WireServer([binary(body_of(case), cut=5), binary(), binary()]) as server:
        provider = connect(server)
        carried = [event for event in await ask(provider, tools=(TOOL,)) if event.kind == "carry"]
        call = PromptCall(id="t1", name="ls", arguments={"p": "."}, arguments_text='{"p":"."}')
        parts = tuple(CarryBlock(family=part.family, model=part.model, data=part.data) for part in carried)
        said = AssistantMessage(text="Now.", calls=(call,), carry=parts)
        history = (ASK, said, ToolMessage(call_id="t1", name="ls", text="a"))
        for model in (CLAUDE, NOVA):
            await ask(provider, history, tools=(TOOL,), model=model)
        same, other = [request.json["messages"][1]["content"] for request in server.requests[1:]]
    assert same == case["expected"]["carry"]["content"]
    assert other == [{"text": "Now."}, {"toolUse": {"toolUseId": "t1", "name": "ls", "input": {"p": "."}}}]


@pytest.mark.parametrize(
    ("message", "sent", "left"),
    [
        ("This model doesn't support tool use in streaming mode.", "toolConfig", "toolConfig"),
        ("Malformed input: cachePoint is not supported for this model", "cachePoint", "cachePoint"),
        ("The model returned: `temperature` is deprecated for this model.", "temperature", "temperature"),
        ("Malformed input request: #: extraneous key [thinking] is not permitted", "budget_tokens", "budget_tokens"),
    ],
)
@pytest.mark.anyio
async def test_what_a_model_does_not_take_is_given_up_and_remembered(
    connect: Any, message: str, sent: str, left: str
) -> None:
    thinks: dict[str, Any] = {"reasoning_effort": "low"} if sent == "budget_tokens" else {"temperature": 0.5}
    with WireServer([refusal(message), binary(), binary()]) as server:
        provider = connect(server)
        for _ in range(2):
            assert fold_events(await ask(provider, (SYSTEM, ASK), tools=(TOOL,), **thinks))["text"] == "ok"
        bodies = [request.body.decode() for request in server.requests]
    assert sent in bodies[0]
    assert [left in body for body in bodies[1:]] == [False, False]


@pytest.mark.anyio
async def test_instructions_that_are_not_taken_apart_go_in_front(connect: Any) -> None:
    with WireServer([refusal("This model doesn't support system prompts."), binary()]) as server:
        await ask(connect(server), (SYSTEM, ASK), model=TITAN)
        first, second = [request.json for request in server.requests]
    assert first["system"] == [{"text": "Be brief."}]
    assert second == {"messages": [{"role": "user", "content": [{"text": "Be brief."}, {"text": "hi"}]}]}


@pytest.mark.anyio
async def test_other_refusals_are_told(connect: Any) -> None:
    words = {
        "The provided model identifier is invalid.": "model_not_found",
        "Input is too long for requested model.": "context_overflow",
        "Invocation of model ID x with on-demand throughput isn\u2019t supported.": "bad_request",
    }
    answers = [refusal(message) for message in words]
    answers += [json_answer({"Message": "The key has expired"}, 403), json_answer({"message": "Slow down"}, 429)]
    with WireServer(answers) as server:
        provider = connect(server)
        errors = [fold_events(await ask(provider))["error"] for _ in answers]
    assert [error["kind"] for error in errors] == [*words.values(), "auth", "rate_limit"]
    assert [error["message"] for error in errors[:3]] == list(words)
    assert errors[3]["message"] == "The key has expired"


@pytest.mark.anyio
async def test_a_cut_connection_keeps_the_text(connect: Any) -> None:
    half = Answer(steps=(ANSWER[: ANSWER.index(b"messageStop")],), framing="close")
    with WireServer([half]) as server:
        result = fold_events(await ask(connect(server)))
    assert (result["text"], result["error"]["kind"]) == ("ok", "truncated_stream")


@pytest.mark.anyio
async def test_the_lists_of_models_and_profiles(connect: Any) -> None:
    routes = {"/foundation-models": json_answer(MODELS), "/inference-profiles": json_answer(PROFILES)}
    with WireServer(routes=routes) as server:
        nova, claude = await connect(server, key="k").list_models()
    assert (nova.id, nova.name, nova.capabilities.vision) == ("amazon.nova-lite-v1:0", "Nova Lite", True)
    assert (claude.id, claude.name, claude.capabilities.vision) == ("us.anthropic.claude-x-v1:0", "US Claude X", False)
    refused = WireServer(routes={"/foundation-models": json_answer({"Message": "no"}, 403)})
    with refused as server, pytest.raises(ProviderError) as caught:
        await connect(server, key="k").list_models()
    assert caught.value.code == "auth"
    assert models_of([], None) == models_of({"modelSummaries": [1, {}]}, {"inferenceProfileSummaries": [{}]}) == ()


def test_where_the_cache_may_end() -> None:
    assert body_for((SYSTEM, ASK), model=CLAUDE, tools=(TOOL,))["toolConfig"]["tools"][-1] == POINT
    nova = body_for((SYSTEM, ASK), model=NOVA, tools=(TOOL,))
    assert POINT not in nova["toolConfig"]["tools"]
    assert nova["system"][-1] == nova["messages"][0]["content"][-1] == POINT
    assert "cachePoint" not in json.dumps(body_for((SYSTEM, ASK), model=TITAN, tools=(TOOL,)))


@pytest.mark.parametrize(
    ("model", "want"),
    [
        (CLAUDE, {"thinking": {"type": "enabled", "budget_tokens": 7168}}),
        ("anthropic.claude-opus-4-7-v1", {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}}),
        (NOVA, {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "high"}}),
        (TITAN, None),
    ],
)
def test_each_model_is_asked_to_think_in_its_way(model: str, want: dict[str, Any] | None) -> None:
    body = body_for((ASK,), model=model, reasoning_effort="high", temperature=0.5)
    assert body.get("additionalModelRequestFields") == want
    limits = body["inferenceConfig"]
    assert limits == ({"maxTokens": 8192} if want and "thinking" in want else {"temperature": 0.5})


def test_cases_of_requests() -> None:
    empty = body_for(history_of(json_of("rq-empty-assistant")))["messages"]
    assert all(block["text"].strip() for message in empty for block in message["content"])
    orphan = body_for(history_of(json_of("rq-orphan-tool-call")), tools=(TOOL,))["messages"]
    blocks = [block for message in orphan for block in message["content"]]
    calls = [block["toolUse"]["toolUseId"] for block in blocks if "toolUse" in block]
    results = [block["toolResult"] for block in blocks if "toolResult" in block]
    assert [result["toolUseId"] for result in results] == calls
    assert "error" in [result.get("status") for result in results]
    case = json_of("rq-image-tool-result")
    picture = case["history"][2]["content"][1]["b64"]
    seen = body_for(history_of(case), capabilities=SIGHTED, tools=(TOOL,))["messages"][-1]["content"]
    assert seen[0]["toolResult"]["content"][1] == {"image": {"format": "png", "source": {"bytes": picture}}}
    blind = body_for(history_of(case), capabilities=ModelCapabilities(vision=False), tools=(TOOL,))
    assert picture not in json.dumps(blind)


def test_without_tools_no_call_is_in_the_request() -> None:
    call = PromptCall(id="c", name="ls", arguments={}, arguments_text="{}")
    body = body_for((ASK, AssistantMessage(calls=(call,)), ToolMessage(call_id="c", name="ls", text="a.txt")))
    assert "toolConfig" not in body
    assert body["messages"][1:] == [
        {"role": "assistant", "content": [{"text": "[Called ls with {}]"}]},
        {"role": "user", "content": [{"text": "[Result of ls]"}, {"text": "a.txt"}]},
    ]


@pytest.mark.anyio
async def test_an_answer_is_compressed_or_not(connect: Any) -> None:
    packed = Answer(steps=(ANSWER,), headers={"content-type": "application/vnd.amazon.eventstream"}, gzip=True)
    with WireServer([packed, body_answer(b"<html><title>Sign in</title></html>")]) as server:
        provider = connect(server)
        fine, page = fold_events(await ask(provider)), fold_events(await ask(provider))
    assert fine["text"] == "ok"
    assert "Sign in" in page["error"]["message"]
