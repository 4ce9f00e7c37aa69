"""Rounds through real proxies on loopback, and the user's own limit."""

import socket
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import pytest

from deepchat_desktop.domain.prompt import ModelRequest, UserMessage
from deepchat_desktop.domain.settings import ProxySettings
from deepchat_desktop.domain.stream import ProviderEvent, RateLimited, StreamError
from deepchat_desktop.services.providers.base import Endpoint
from deepchat_desktop.services.providers.openai_chat import OpenAIChat
from deepchat_desktop.services.providers.rate_limit import RateLimit
from deepchat_desktop.services.providers.wire_fold import fold_events
from deepchat_desktop.services.proxy import ProxyResolver
from tests.fakes.chat_answers import chat
from tests.fakes.socks_server import socks_server
from tests.fakes.wire_server import WireServer

pytestmark = pytest.mark.anyio
FAR = "http://model.example/v1"
ASK = ModelRequest(model="m", messages=(UserMessage(text="hi"),))


async def password() -> str:
    return "s3cret-proxy"


@asynccontextmanager
async def provider(base_url: str, proxy: ProxySettings, **more: Any) -> AsyncIterator[OpenAIChat]:
    made = OpenAIChat(Endpoint(base_url, route=ProxyResolver(lambda: proxy, password).route, **more))
    try:
        yield made
    finally:
        await made.aclose()


async def ask(made: OpenAIChat) -> list[ProviderEvent]:
    return [event async for event in made.stream(ASK)]


async def test_an_http_proxy_gets_the_request_with_its_own_login() -> None:
    with WireServer([chat("through")]) as server:
        where = ProxySettings(mode="custom", address=f"127.0.0.1:{server.port}", user="me")
        async with provider(FAR, where) as made:
            assert fold_events(await ask(made))["text"] == "through"
    (request,) = server.requests
    assert request.path == f"{FAR}/chat/completions"
    assert request.headers["proxy-authorization"].startswith("Basic ")


async def test_a_socks_proxy_resolves_the_name() -> None:
    with WireServer([chat("through")]) as server:
        async with socks_server(server.port) as socks:
            where = ProxySettings(mode="custom", address=f"socks5h://127.0.0.1:{socks.port}", user="me")
            async with provider(FAR, where) as made:
                assert fold_events(await ask(made))["text"] == "through"
    assert socks.asked == ["model.example"]
    assert socks.logins == [("me", "s3cret-proxy")]


async def test_a_dead_proxy_is_named_and_its_password_is_not() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        async with provider(FAR, ProxySettings(mode="custom", address=f"127.0.0.1:{port}", user="me")) as made:
            error = (await ask(made))[-1]
    assert isinstance(error, StreamError)
    assert error.error == "network"
    assert f"through the proxy 127.0.0.1:{port}" in error.message
    assert "s3cret" not in error.message


async def test_an_unusable_proxy_sends_nothing() -> None:
    async with provider(FAR, ProxySettings(mode="custom", address="socks4://127.0.0.1:1")) as made:
        error = (await ask(made))[-1]
    assert isinstance(error, StreamError)
    assert error.error == "bad_request"
    assert "socks4" in error.message


async def test_a_change_counts_for_the_next_request() -> None:
    choice = [ProxySettings(mode="none")]
    with WireServer([chat("one")]) as near, WireServer([chat("two")]) as far:
        made = OpenAIChat(Endpoint(FAR, route=ProxyResolver(lambda: choice[0], password).route))
        choice[0] = ProxySettings(mode="custom", address=f"127.0.0.1:{near.port}")
        first = fold_events(await ask(made))["text"]
        choice[0] = ProxySettings(mode="custom", address=f"127.0.0.1:{far.port}")
        second = fold_events(await ask(made))["text"]
        await made.aclose()
    assert (first, second) == ("one", "two")


async def test_the_user_s_limit_is_kept_and_told() -> None:
    with WireServer([chat("a")], repeat_last=True) as server:
        async with provider(server.base_url, ProxySettings(mode="none"), requests_per_minute=600) as made:
            first, second = await ask(made), await ask(made)
    assert not any(isinstance(event, RateLimited) for event in first)
    assert isinstance(second[0], RateLimited)
    assert 0 < second[0].wait_s <= 0.1
    assert len(server.requests) == 2


async def test_who_is_stopped_while_waiting_sends_nothing_and_gives_the_turn_back() -> None:
    with WireServer([chat("a")], repeat_last=True) as server:
        async with provider(server.base_url, ProxySettings(mode="none"), requests_per_minute=1) as made:
            await ask(made)
            async with aclosing(made.stream(ASK)) as events:  # type: ignore[type-var]
                assert isinstance(await anext(events), RateLimited)
    assert len(server.requests) == 1


async def test_turns_are_spaced_and_a_cancelled_last_one_is_free_again() -> None:
    import asyncio

    limit = RateLimit(per_minute=1)
    await limit.turn()
    before = limit.delay_s()
    waiting = asyncio.ensure_future(limit.turn())
    await asyncio.sleep(0)
    assert limit.delay_s() > before
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert limit.delay_s() <= before
    assert RateLimit(None).delay_s() == 0
