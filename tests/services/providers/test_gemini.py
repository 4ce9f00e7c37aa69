"""Gemini: what is sent where, what is given up, and what a list tells."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from deepchat_desktop.domain.blocks import CarryBlock
from deepchat_desktop.domain.prompt import (
    AssistantMessage,
    ModelCapabilities,
    ModelRequest,
    PromptCall,
    PromptMessage,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from deepchat_desktop.domain.tools import ToolSpec
from deepchat_desktop.services.providers.base import Endpoint
from deepchat_desktop.services.providers.gemini import Gemini, models_of
from deepchat_desktop.services.providers.gemini_messages import NO_SIGNATURE
from deepchat_desktop.services.providers.gemini_request import request_body
from deepchat_desktop.services.providers.wire_fold import fold_events
from tests.fakes.wire_server import WireServer, body_answer, json_answer
from tests.services.providers.test_openai_chat_request import history_of
from tests.services.providers.test_recordings import INDEX
from tests.services.providers.wire_cases import RECORDINGS, json_of

TOOL = ToolSpec(name="shot", description="d", parameters={"type": "object", "properties": {"a": {"type": "object"}}})
ASK = UserMessage(text="hi")
CALLS = (
    PromptCall(id="ours1", name="shot", arguments={"p": "."}, arguments_text='{"p": "."}'),
    PromptCall(id="ours2", name="ls", arguments={}, arguments_text="{}"),
)
RESULTS = (ToolMessage(call_id="ours1", name="shot", text="ok"), ToolMessage(call_id="ours2", name="ls", text="a"))
OWN_PARTS = [
    {"text": "I look."},
    {"functionCall": {"name": "shot", "args": {"p": "."}, "id": "given"}, "thoughtSignature": "U2ln"},
    {"functionCall": {"name": "ls"}},
    {"text": "", "thoughtSignature": "bGFzdA=="},
]
SIGNED = AssistantMessage(
    text="I look.", calls=CALLS, carry=(CarryBlock(family="mine", data={"role": "model", "parts": OWN_PARTS}),)
)
ANSWER = b'data: {"candidates":[{"content":{"parts":[{"text":"Hello"}]},"finishReason":"STOP"}]}\r\n\r\n'


def body_for(*messages: PromptMessage, model: str = "gemini-2.5-flash", **more: Any) -> dict[str, Any]:
    refused = frozenset(more.pop("refused", ()))
    return request_body(ModelRequest(model=model, messages=messages, **more), "mine", refused)


def address(base_url: str, model: str = "m", **options: str) -> str:
    return Gemini(Endpoint(base_url, options=options))._url(ModelRequest(model=model, messages=(ASK,)))


@asynccontextmanager
async def gemini(server: WireServer, key: str = "AIza") -> AsyncIterator[Gemini]:
    async def get_key() -> str:
        return key

    made = Gemini(Endpoint(server.origin, family="mine", key=get_key))
    try:
        yield made
    finally:
        await made.aclose()


async def folded(provider: Gemini, request: ModelRequest) -> dict[str, Any]:
    return fold_events([event async for event in provider.stream(request)])


# Addresses


@pytest.mark.parametrize(
    ("base_url", "path"),
    [
        ("https://generativelanguage.googleapis.com", "/v1beta/models/m"),
        ("https://generativelanguage.googleapis.com/v1beta/", "/v1beta/models/m"),
        ("https://generativelanguage.googleapis.com/v1beta/openai/", "/v1beta/models/m"),
        ("https://proxy.test/google/v1beta/models", "/google/v1beta/models/m"),
        ("https://proxy.test/v1/models/other:streamGenerateContent", "/v1/models/m"),
        (
            "https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/us-central1",
            "/v1/projects/p/locations/us-central1/publishers/google/models/m",
        ),
        ("https://aiplatform.googleapis.com", "/v1/publishers/google/models/m"),
        ("https://aiplatform.googleapis.com/v1/publishers/google", "/v1/publishers/google/models/m"),
    ],
)
def test_a_base_url_leads_to_the_model(base_url: str, path: str) -> None:
    host = "/".join(base_url.split("/")[:3])
    assert address(base_url) == f"{host}{path}:streamGenerateContent?alt=sse"


def test_addresses_take_options_queries_and_exact_ones() -> None:
    vertex = address("https://europe-west4-aiplatform.googleapis.com/v1beta1", project="p 1", location="europe-west4")
    assert "/v1beta1/projects/p%201/locations/europe-west4/publishers/google/models/m:" in vertex
    regions = {"europe-west4-aiplatform": "europe-west4", "aiplatform": "global", "aiplatform.eu.rep": "eu"}
    for host, place in regions.items():
        here = address(f"https://{host}.googleapis.com", project="p")
        assert f"/v1/projects/p/locations/{place}/publishers/google/models/m:" in here
    assert address("https://a.test/v1?route=x", "models/gemini-x") == (
        "https://a.test/v1/models/gemini-x:streamGenerateContent?route=x&alt=sse"
    )
    assert address("https://a.test/just/this#") == "https://a.test/just/this"
    assert "/v1beta/tunedModels/own%2Fx:" in address("https://a.test", "tunedModels/own/x")


def test_a_key_goes_into_the_header_that_its_server_reads() -> None:
    adapter = Gemini(Endpoint("https://a.test"))
    assert adapter._auth_headers("AIza", "https://a.test/v1beta/models/m:x") == {"x-goog-api-key": "AIza"}
    vertex = "https://x-aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/google/models/m:x"
    assert adapter._auth_headers("token", vertex) == {"Authorization": "Bearer token"}
    assert adapter._auth_headers("ya29.token", "https://a.test/v1beta/models/m:x") == {
        "Authorization": "Bearer ya29.token"
    }


# Histories


def test_signed_parts_go_back_as_they_came_and_responses_name_the_ids_that_were_given() -> None:
    body = body_for(ASK, SIGNED, *reversed(RESULTS), tools=(TOOL,))
    assert body["contents"][1] == {"role": "model", "parts": OWN_PARTS}
    assert [part["functionResponse"] for part in body["contents"][2]["parts"]] == [
        {"name": "shot", "id": "given", "response": {"result": "ok"}},
        {"name": "ls", "response": {"result": "a"}},
    ]


@pytest.mark.parametrize(
    "changed",
    [
        SIGNED.model_copy(update={"carry": (SIGNED.carry[0].model_copy(update={"family": "another"}),)}),
        SIGNED.model_copy(update={"calls": CALLS[:1]}),
        SIGNED.model_copy(update={"calls": tuple(reversed(CALLS))}),
        SIGNED.model_copy(update={"text": "I look. Elsewhere."}),
    ],
)
def test_parts_of_others_and_of_another_answer_do_not_go_back(changed: AssistantMessage) -> None:
    for model, dummies in (("gemini-2.5-flash", 0), ("gemini-3-flash-preview", 1)):
        body = body_for(ASK, changed, *RESULTS, tools=(TOOL,), model=model)
        text = json.dumps(body)
        assert "U2ln" not in text
        assert "given" not in text
        assert text.count(NO_SIGNATURE) == dummies
        calls = [part for part in body["contents"][1]["parts"] if "functionCall" in part]
        assert ("thoughtSignature" in calls[0]) == bool(dummies)


def test_histories_that_broke_clients() -> None:
    empty = body_for(*history_of(json_of("rq-empty-assistant")))["contents"]
    assert [turn["role"] for turn in empty] == ["user"]
    assert [part["text"] for part in empty[0]["parts"]] == ["a", "b", "c"]
    orphan = body_for(*history_of(json_of("rq-orphan-tool-call")), tools=(TOOL,))["contents"]
    calls = [part for turn in orphan for part in turn["parts"] if "functionCall" in part]
    answers = [part for turn in orphan for part in turn["parts"] if "functionResponse" in part]
    assert len(calls) == len(answers) > 0


def test_pictures_of_results_stand_where_the_model_takes_them() -> None:
    case = history_of(json_of("rq-image-tool-result"))
    older = body_for(*case, tools=(TOOL,))["contents"][2]["parts"]
    assert [next(iter(part)) for part in older] == ["functionResponse", "functionResponse", "inlineData"]
    assert older[2]["inlineData"]["mimeType"] == "image/png"
    newer = body_for(*case, tools=(TOOL,), model="gemini-3-pro-preview")["contents"][2]["parts"]
    assert [next(iter(part)) for part in newer] == ["functionResponse", "functionResponse"]
    assert newer[0]["functionResponse"]["parts"] == [older[2]]
    blind = body_for(*case, tools=(TOOL,), capabilities=ModelCapabilities(vision=False))
    assert "inlineData" not in json.dumps(blind)


def test_without_tools_calls_travel_as_text() -> None:
    text = json.dumps(body_for(ASK, SIGNED, *RESULTS))
    assert "functionCall" not in text
    assert "functionResponse" not in text
    assert "[Result of shot]" in text


# Thinking


@pytest.mark.parametrize(
    ("model", "effort", "config"),
    [
        ("gemini-2.0-flash", None, None),
        ("gemini-2.5-flash", None, {"includeThoughts": True}),
        ("gemini-2.5-flash", "none", {"includeThoughts": False, "thinkingBudget": 0}),
        ("gemini-2.5-pro", "none", {"includeThoughts": False, "thinkingBudget": 128}),
        ("gemini-2.5-pro", "max", {"includeThoughts": True, "thinkingBudget": 32768}),
        ("gemini-3-flash-preview", "minimal", {"includeThoughts": True, "thinkingLevel": "minimal"}),
        ("gemini-3.1-pro-preview", "minimal", {"includeThoughts": True, "thinkingLevel": "low"}),
        ("gemini-3.1-pro-preview", "xhigh", {"includeThoughts": True, "thinkingLevel": "high"}),
        ("gemini-2.5-flash-image", None, None),
        ("gemma-4-31b-it", "high", None),
    ],
)
def test_each_generation_is_asked_to_think_in_its_own_way(model: str, effort: str | None, config: Any) -> None:
    body = body_for(ASK, model=model, reasoning_effort=effort)
    assert body.get("generationConfig", {}).get("thinkingConfig") == config


# What is given up


def refusal(text: str) -> Any:
    return json_answer({"error": {"code": 400, "message": text, "status": "INVALID_ARGUMENT"}}, status=400)


@pytest.mark.anyio
@pytest.mark.parametrize("words", ["Corrupted thought signature.", "Function call is missing a thought_signature."])
async def test_a_signature_that_nobody_can_read_is_left_out_once(words: str) -> None:
    request = ModelRequest(model="m", messages=(ASK, SIGNED, *RESULTS), tools=(TOOL,))
    with WireServer([refusal(words), body_answer(ANSWER), body_answer(ANSWER)]) as server:
        async with gemini(server) as provider:
            first, second = await folded(provider, request), await folded(provider, request)
    assert (first["text"], second["text"]) == ("Hello", "Hello")
    kept = ["U2ln" in sent.body.decode() for sent in server.requests]
    stand_ins = [sent.body.decode().count(NO_SIGNATURE) for sent in server.requests]
    assert (kept, stand_ins) == ([True, False, True], [0, 1, 0])


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("words", "gone", "instead"),
    [
        ("function_declarations[0].parameters.properties[a]: should be non-empty", '"parameters":', "JsonSchema"),
        ("Function calling is not enabled for models/m", "functionDeclarations", '"text":"hi"'),
        ("Developer instruction is not enabled for models/m", "systemInstruction", "Be brief"),
        ("Thinking level MEDIUM is not supported for this model.", "thinkingLevel", "includeThoughts"),
        ("Unable to submit request because thinking is not supported", "thinkingConfig", "maxOutputTokens"),
    ],
)
async def test_what_a_model_refuses_is_left_out_from_then_on(words: str, gone: str, instead: str) -> None:
    request = ModelRequest(
        model="gemini-3-x",
        messages=(SystemMessage(text="Be brief."), ASK),
        tools=(TOOL,),
        max_output=9,
        reasoning_effort="medium",
    )
    with WireServer([refusal(words), body_answer(ANSWER), body_answer(ANSWER)]) as server:
        async with gemini(server) as provider:
            texts = [(await folded(provider, request))["text"] for _ in range(2)]
    sent = [each.body.decode() for each in server.requests]
    assert texts == ["Hello", "Hello"]
    assert [gone in body for body in sent] == [True, False, False]
    assert all(instead in body for body in sent[1:])
    assert {each.path for each in server.requests} == {"/v1beta/models/gemini-3-x:streamGenerateContent?alt=sse"}
    assert {each.headers["x-goog-api-key"] for each in server.requests} == {"AIza"}


@pytest.mark.anyio
async def test_other_bad_requests_are_told_and_not_repeated() -> None:
    with WireServer([refusal("API key not valid. Please pass a valid API key.")]) as server:
        async with gemini(server) as provider:
            result = await folded(provider, ModelRequest(model="m", messages=(ASK,), tools=(TOOL,)))
    assert (result["error"]["kind"], len(server.requests)) == ("auth", 1)


@pytest.mark.anyio
async def test_an_array_is_read_as_it_comes() -> None:
    chunks = b'[{"candidates":[{"content":{"parts":[{"text":"He"}]}}]}\n,\n' + ANSWER[6:].strip() + b"]"
    with WireServer([body_answer(chunks, cut=7)]) as server:
        async with gemini(server) as provider:
            result = await folded(provider, ModelRequest(model="m", messages=(ASK,)))
    assert (result["text"], result["stop"]) == ("HeHello", "complete")


# The list


def test_a_list_tells_limits_and_thinking() -> None:
    able = {
        "name": "models/g",
        "displayName": "G",
        "inputTokenLimit": 9,
        "outputTokenLimit": 3,
        "thinking": True,
        "supportedGenerationMethods": ["generateContent"],
    }
    embeds = {"name": "models/e", "supportedGenerationMethods": ["embedContent"]}
    model, other = models_of({"models": [able, embeds, {"no": "name"}, able]})
    assert (model.id, model.name, model.chat) == ("g", "G", None)
    assert model.capabilities == ModelCapabilities(reasoning=True, context=9, max_output=3)
    assert (other.id, other.chat) == ("e", False)
    assert models_of({"publisherModels": [{"name": "publishers/google/models/x"}]})[0].id == "x"


@pytest.mark.skipif(not INDEX.is_file(), reason="no folder of recorded answers")
def test_a_recorded_list() -> None:
    value = json.loads((RECORDINGS / "models" / "gemini__models.json").read_text(encoding="utf-8"))
    models = models_of(value)
    assert len(models) == len(value["models"])
    assert sum(1 for model in models if model.capabilities.context) > len(models) / 2
    assert {model.id for model in models if model.chat is False} >= {"gemini-embedding-001", "imagen-4.0-generate-001"}
