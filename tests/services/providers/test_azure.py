"""Azure's addresses and headers, and the wire that a resource speaks."""

from typing import Any

import pytest

from deepchat_desktop.domain.prompt import ModelRequest, UserMessage
from deepchat_desktop.services.providers.azure import azure_url
from deepchat_desktop.services.providers.base import Endpoint
from deepchat_desktop.services.providers.registry import make_provider
from deepchat_desktop.services.providers.wire_fold import fold_events
from tests.fakes.wire_server import WireServer, body_answer, json_answer, model_list
from tests.services.providers.test_openai_responses import completed, sse, text
from tests.services.providers.wire_cases import DATA

HOST = "https://r.openai.azure.com"
CLASSIC = {"api_version": "2024-10-21"}
ASK = ModelRequest(model="gpt-4o", messages=(UserMessage(text="hi"),))


async def key() -> str:
    return "K"


@pytest.mark.parametrize(
    ("base_url", "options", "want"),
    [
        (HOST, {}, f"{HOST}/openai/v1/chat/completions"),
        (f"{HOST}/openai/v1/", {}, f"{HOST}/openai/v1/chat/completions"),
        (f"{HOST}/openai", {}, f"{HOST}/openai/v1/chat/completions"),
        (HOST, CLASSIC, f"{HOST}/openai/deployments/dep%201/chat/completions?api-version=2024-10-21"),
        (
            f"{HOST}/openai/deployments/own/chat/completions?api-version=2025-01-01",
            {},
            f"{HOST}/openai/deployments/own/chat/completions?api-version=2025-01-01",
        ),
    ],
)
def test_addresses(base_url: str, options: dict[str, str], want: str) -> None:
    assert azure_url(Endpoint(base_url=base_url, options=options), "/chat/completions", "dep 1") == want


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("options", "path", "model", "header"),
    [
        ({}, "/openai/v1/chat/completions", "gpt-4o", ("api-key", "K")),
        ({"auth": "bearer", "deployment": "d"}, "/openai/v1/chat/completions", "d", ("authorization", "Bearer K")),
        (
            {**CLASSIC, "deployment:gpt-4o": "e", "deployment": "d"},
            "/openai/deployments/e/chat/completions?api-version=2024-10-21",
            "e",
            ("api-key", "K"),
        ),
    ],
)
async def test_chat(options: dict[str, str], path: str, model: str, header: tuple[str, str]) -> None:
    body = (DATA / "fin-azure-first-chunk.sse").read_bytes()
    with WireServer([body_answer(body, cut=9)]) as server:
        provider = make_provider("azure", Endpoint(base_url=server.origin, options=options, key=key))
        result = fold_events([event async for event in provider.stream(ASK)])
        await provider.aclose()
        (request,) = server.requests
    assert (result["text"], result["stop"]) == ("Hey", "complete")
    assert (request.path, request.json["model"]) == (path, model)
    assert request.headers[header[0]] == header[1]
    assert not {"api-key", "authorization"} - {header[0]} & request.headers.keys()


@pytest.mark.anyio
async def test_responses_and_the_list() -> None:
    options = {**CLASSIC, "wire": "responses"}
    with WireServer([body_answer(sse(text("ok"), completed()))], routes={"/models": model_list(["a"])}) as server:
        provider = make_provider("azure", Endpoint(base_url=server.origin, options=options, key=key))
        result = fold_events([event async for event in provider.stream(ASK)])
        models = await provider.list_models()
        await provider.aclose()
        paths = [request.path for request in server.requests]
    assert result["text"] == "ok"
    assert [model.id for model in models] == ["a"]
    assert paths == [f"/openai/{end}?api-version=2024-10-21" for end in ("responses", "models")]


@pytest.mark.anyio
async def test_a_filtered_prompt_is_said_so() -> None:
    error: dict[str, Any] = {
        "code": "content_filter",
        "message": "The response was filtered.",
        "innererror": {"content_filter_result": {"hate": {"filtered": True, "severity": "high"}}},
    }
    with WireServer([json_answer({"error": error}, 400)]) as server:
        provider = make_provider("azure", Endpoint(base_url=server.origin, key=key))
        result = fold_events([event async for event in provider.stream(ASK)])
        await provider.aclose()
    assert result["error"]["kind"] == "content_filter"
