"""The check of a provider: auth, quota, model and network told apart, against a real server."""

from typing import Any

import pytest

from deepchat_desktop.domain.catalogue import choose
from deepchat_desktop.domain.settings import ModelSettings, ProviderSettings
from deepchat_desktop.services.providers.base import Endpoint
from deepchat_desktop.services.providers.key_check import Checked, check
from deepchat_desktop.services.providers.openai_chat import OpenAIChat
from tests.fakes.chat_answers import chat
from tests.fakes.wire_server import Answer, WireServer, json_answer, model_list

pytestmark = pytest.mark.anyio


async def checked(server: WireServer, *models: str, wanted: str | None = None, **changes: Any) -> Checked:
    settings = ProviderSettings(
        id="p",
        name="P",
        api="openai_chat",
        base_url=server.base_url,
        models=tuple(ModelSettings(id=each) for each in models),
        **changes,
    )
    provider = OpenAIChat(Endpoint(base_url=server.base_url))
    try:
        return await check(provider, settings, wanted)
    finally:
        await provider.aclose()


def refusal(status: int, message: str, code: str = "") -> Answer:
    return json_answer({"error": {"message": message, "code": code}}, status)


async def test_a_good_key_is_asked_one_short_question() -> None:
    with WireServer([chat("OK")], routes={"/models": model_list(["a", "b"])}) as server:
        found = await checked(server, wanted="b")
        posts = [request for request in server.requests if request.method == "POST"]
    assert (found.kind, found.model, [model.id for model in found.models or ()]) == ("ok", "b", ["a", "b"])
    assert [(post.json["model"], post.json["max_tokens"]) for post in posts] == [("b", 16)]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (refusal(401, "Incorrect API key provided", "invalid_api_key"), "auth"),
        (refusal(429, "You exceeded your current quota", "insufficient_quota"), "quota"),
        (refusal(402, "Insufficient Balance"), "quota"),
        (refusal(429, "Rate limit reached"), "busy"),
        (refusal(404, "The model `a` does not exist", "model_not_found"), "model"),
        (refusal(400, "Unknown field"), "other"),
    ],
)
async def test_an_open_list_does_not_hide_what_is_wrong(answer: Answer, kind: str) -> None:
    with WireServer([answer], routes={"/models": model_list(["a"])}) as server:
        found = await checked(server)
    assert found.kind == kind
    assert found.words
    assert [model.id for model in found.models or ()] == ["a"]


async def test_a_refused_list_ends_the_check() -> None:
    with WireServer(routes={"/models": refusal(401, "no such key")}) as server:
        found = await checked(server, "a")
        assert [request.method for request in server.requests] == ["GET"]
    assert (found.kind, found.models) == ("auth", None)


async def test_a_server_without_a_list_is_asked_all_the_same() -> None:
    with WireServer([chat("OK")], routes={"/models": refusal(404, "Not Found")}) as server:
        found = await checked(server, "a")
    assert (found.kind, found.models, found.model) == ("ok", None, "a")


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        (Answer(steps=(b"<html><title>Not here</title></html>",), status=404), "address"),
        (refusal(404, "Not Found"), "address"),
        (refusal(404, "The model `a-1` does not exist", "model_not_found"), "model"),
        (refusal(500, "Internal error"), "server"),
    ],
)
async def test_nothing_found_at_all_is_the_address(question: Answer, kind: str) -> None:
    with WireServer([question], routes={"/models": refusal(404, "Not Found")}) as server:
        assert (await checked(server, "a-1")).kind == kind


async def test_an_address_without_anything_to_ask() -> None:
    with WireServer(routes={"/models": refusal(404, "Not Found")}) as server:
        found = await checked(server)
    assert (found.kind, found.code) == ("address", "bad_request")


async def test_a_web_page_is_no_list() -> None:
    page = Answer(steps=(b"<!doctype html><title>Router login</title>",), headers={"content-type": "text/html"})
    with WireServer(routes={"/models": page, "/chat/completions": page}) as server:
        found = await checked(server, "a")
    assert found.kind == "other"
    assert "Router login" in found.words


async def test_a_server_that_is_gone() -> None:
    with WireServer() as server:
        pass
    assert (await checked(server, "a")).kind == "network"


async def test_no_model_that_is_on() -> None:
    with WireServer(routes={"/models": model_list(["text-embedding-3-small"])}) as server:
        assert (await checked(server)).kind == "no_models"
    with WireServer(routes={"/models": model_list([])}) as server:
        assert (await checked(server)).kind == "no_models"


async def test_a_model_added_by_hand_is_asked() -> None:
    with WireServer([chat("OK")], routes={"/models": model_list([])}) as server:
        by_hand = choose(
            ProviderSettings(id="p", name="P", api="openai_chat", base_url=server.base_url), "mine", {"added": True}
        )
        assert (await checked(server, choices=by_hand.choices)).model == "mine"
