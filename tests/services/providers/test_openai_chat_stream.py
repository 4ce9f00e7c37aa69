"""The adapter against a real server on loopback: what it sends, and what it makes of good and bad connections."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest

from deepchat_desktop.domain.errors import ProviderError, SecretsError
from deepchat_desktop.domain.prompt import ModelRequest, UserMessage
from deepchat_desktop.domain.stream import ProviderEvent, Stop, StreamError, TextDelta, ToolCallEnd, ToolCallStart
from deepchat_desktop.domain.tools import ToolSpec
from deepchat_desktop.services.providers.base import Endpoint, Timeouts
from deepchat_desktop.services.providers.openai_chat import OpenAIChat
from deepchat_desktop.services.providers.transport import Pace
from deepchat_desktop.services.providers.wire_fold import fold_events
from tests.fakes.chat_answers import DONE, chat, chunk
from tests.fakes.wire_server import Answer, Close, Drop, Gate, Pause, WireServer, body_answer, json_answer, model_list
from tests.services.providers.wire_cases import cases, differences

pytestmark = pytest.mark.anyio
KEY = "SENTINEL-KEY-NOT-A-REAL-ONE-0001"
CASES = [case for case in cases("stream") if case["api"] == "openai_chat"]
ASK = ModelRequest(model="m", messages=(UserMessage(text="hi"),))


async def key() -> str:
    return KEY


@pytest.fixture
async def connect() -> AsyncIterator[Any]:
    made: list[OpenAIChat] = []

    def make(server: WireServer | None, **more: Any) -> OpenAIChat:
        fields = {"key": key, "mask": lambda text: text.replace(KEY, "***")} | more
        made.append(OpenAIChat(Endpoint(**({"base_url": server.base_url} if server else {}) | fields)))
        return made[-1]

    yield make
    for provider in made:
        await provider.aclose()


async def ask(provider: OpenAIChat, request: ModelRequest = ASK) -> list[ProviderEvent]:
    return [event async for event in provider.stream(request)]


def last_error(events: list[ProviderEvent]) -> StreamError:
    assert isinstance(events[-1], StreamError)
    assert sum(isinstance(event, Stop | StreamError) for event in events) == 1
    return events[-1]


async def test_a_round_over_real_http(connect: Any) -> None:
    with WireServer([chat("Hello there", reasoning="hm", usage=(3, 4))]) as server:
        result = fold_events(await ask(connect(server, headers={"X-Title": "t"})))
    assert (result["text"], result["reasoning"], result["stop"]) == ("Hello there", "hm", "complete")
    assert result["usage"] == {"input": 3, "output": 4, "cached": 0, "reasoning": 0, "cache_write": 0}
    (request,) = server.requests
    assert (request.method, request.path) == ("POST", "/v1/chat/completions")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["x-title"] == "t"
    assert request.headers["content-type"] == "application/json"
    assert request.json["stream"] is True


@pytest.mark.parametrize("case", CASES[::6], ids=lambda case: case["id"])
async def test_cases_over_real_http(connect: Any, case: dict[str, Any]) -> None:
    from tests.services.providers.wire_cases import body_of

    with WireServer([body_answer(body_of(case), cut=7)]) as server:
        assert differences(fold_events(await ask(connect(server))), case["expected"]) == []


async def test_a_connection_is_used_again_and_not_after_a_stop_of_keeping(connect: Any) -> None:
    with WireServer([chat("a")], repeat_last=True) as server:
        provider = connect(server)
        await ask(provider)
        await ask(provider)
        assert server.connections == 1
        fresh = connect(server, keepalive=False)
        await ask(fresh)
        await ask(fresh)
        assert server.connections == 3


async def test_a_dead_kept_connection_is_replaced_silently_once(connect: Any) -> None:
    with WireServer([chat("a"), Answer(no_answer=True), chat("b")]) as server:
        provider = connect(server)
        await ask(provider)
        assert fold_events(await ask(provider))["text"] == "b"
        first, second, third = server.requests
        assert (first.connection, second.connection, third.connection) == (0, 0, 1)
        assert second.body == third.body
        assert second.headers.pop("connection") == third.headers.pop("connection")
        assert second.headers == third.headers


async def test_a_dead_new_connection_is_an_error(connect: Any) -> None:
    with WireServer([chat("a"), Answer(no_answer=True), Answer(no_answer=True), Answer(no_answer=True)]) as server:
        provider = connect(server)
        await ask(provider)
        error = last_error(await ask(provider))
        assert (error.error, error.retryable) == ("network", True)
        assert len(server.requests) == 3
        assert last_error(await ask(connect(server))).error == "network"
        assert len(server.requests) == 4


async def test_text_comes_before_the_server_has_sent_the_rest_even_compressed(connect: Any) -> None:
    steps = (chunk({"content": "那个 🌍 "}), Gate("second"), chunk({"content": "日本語 é"}, "stop"), DONE)
    with WireServer([Answer(steps=steps, gzip=True)]) as server:
        text = []
        async with aclosing(connect(server).stream(ASK)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    text.append(event.text)
                    server.release("second")
        assert text == ["那个 🌍 ", "日本語 é"]
        assert server.requests[0].headers["accept-encoding"] == "gzip, deflate"


async def test_leaving_the_stream_hangs_up(connect: Any) -> None:
    with WireServer([chat("a b c", hold_after=2)]) as server:
        async with aclosing(connect(server).stream(ASK)) as events:
            async for _ in events:
                break
        assert await asyncio.to_thread(server.requests[0].hung_up.wait, 10)


async def test_cancelling_hangs_up(connect: Any) -> None:
    with WireServer([chat("a b c", hold_after=2)]) as server:
        seen = asyncio.Event()

        async def run() -> None:
            async for _ in connect(server).stream(ASK):
                seen.set()

        task = asyncio.ensure_future(run())
        await seen.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(server.requests[0].hung_up.wait, 10)


async def test_silence_before_the_first_byte_is_a_timeout(connect: Any) -> None:
    headers_only = Answer(steps=(Gate("never"),))
    with WireServer([headers_only]) as server:
        error = last_error(await ask(connect(server, timeouts=Timeouts(first_byte=0.2, idle=30))))
    assert (error.error, error.retryable) == ("timeout", True)


async def test_silence_in_the_middle_is_a_timeout_and_keeps_the_text(connect: Any) -> None:
    with WireServer([chat("some text", hold_after=2, tool_calls=[{"id": "c", "name": "f"}])]) as server:
        events = await ask(connect(server, timeouts=Timeouts(first_byte=30, idle=0.2)))
    assert last_error(events).error == "timeout"
    assert fold_events(events)["text"] == "some text"


async def test_comments_are_life_and_there_is_no_total_limit(connect: Any) -> None:
    beats = tuple(step for _ in range(8) for step in (Pause(0.1), b": ping\n\n"))
    with WireServer([Answer(steps=(*beats, chunk({"content": "ok"}, "stop"), DONE))]) as server:
        events = await ask(connect(server, timeouts=Timeouts(first_byte=0.4, idle=0.4)))
    assert fold_events(events)["text"] == "ok"


async def test_a_slow_first_byte_is_fine(connect: Any) -> None:
    with WireServer([Answer(steps=(Pause(0.3), chunk({"content": "ok"}, "stop"), DONE))]) as server:
        events = await ask(connect(server, timeouts=Timeouts(first_byte=30, idle=0.1)))
    assert fold_events(events)["stop"] == "complete"


async def test_a_server_that_never_closes_after_its_finish_reason(
    connect: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deepchat_desktop.services.providers.http_provider.END_IDLE_S", 0.1)
    with WireServer([Answer(steps=(chunk({"content": "ok"}, "stop"), Gate("never")))]) as server:
        assert fold_events(await ask(connect(server)))["stop"] == "complete"


@pytest.mark.parametrize(("end", "want"), [(Drop(), "network"), (Close(), "network")])
async def test_a_broken_connection_keeps_the_text_and_runs_nothing(connect: Any, end: Drop | Close, want: str) -> None:
    call = {"index": 0, "id": "c", "function": {"name": "f", "arguments": '{"a":1}'}}
    steps = (chunk({"content": "half"}), chunk({"tool_calls": [call]}), Gate("seen"), end)
    with WireServer([Answer(steps=steps)]) as server:
        events = []
        async for event in connect(server).stream(ASK):
            events.append(event)
            if isinstance(event, ToolCallStart):
                server.release("seen")
    result = fold_events(events)
    assert result["text"] == "half"
    assert result["tool_calls"] == []
    assert last_error(events).error == want


async def test_an_end_without_an_end_mark(connect: Any) -> None:
    with WireServer([chat("half", end="eof")]) as server:
        error = last_error(await ask(connect(server)))
    assert (error.error, error.retryable) == ("truncated_stream", True)


async def test_errors_keep_status_and_wait_and_lose_the_key(connect: Any) -> None:
    body = {"error": {"message": f"slow down, {KEY}", "type": "tokens", "code": "rate_limit_exceeded"}}
    with WireServer([json_answer(body, 429, {"retry-after": "7"})]) as server:
        error = last_error(await ask(connect(server)))
    assert (error.error, error.status, error.retry_after_s) == ("rate_limit", 429, 7)
    assert error.message == "slow down, ***"
    with WireServer([body_answer(b"data: " + json.dumps(body).encode() + b"\n\n")]) as server:
        assert KEY not in last_error(await ask(connect(server))).message


async def test_a_redirect_is_not_followed(connect: Any) -> None:
    with WireServer([chat("stolen")]) as other:
        there = Answer(status=302, headers={"location": other.base_url + "/chat/completions"}, framing="length")
        with WireServer([there]) as server:
            error = last_error(await ask(connect(server)))
        assert error.error == "bad_request"
        assert "redirect" in error.message
        assert other.requests == []


@pytest.mark.parametrize(
    ("base_url", "more"),
    [
        ("http://models.example.test/v1", {}),
        ("http://192.0.2.7:8080", {}),
        ("http://models.example.test/v1", {"key": None, "headers": {"X-Api-Key": KEY}}),
        ("http://models.example.test/v1?api_key=" + KEY, {"key": None}),
    ],
)
async def test_a_key_never_leaves_over_plain_http(connect: Any, base_url: str, more: dict[str, Any]) -> None:
    if more.get("key", key) is None:
        more = {**more, "key": no_key}
    provider = connect(None, base_url=base_url, **more)
    error = last_error(await ask(provider))
    assert error.error == "bad_request"
    assert "unencrypted" in error.message
    assert KEY not in error.message
    with pytest.raises(ProviderError, match="unencrypted"):
        await provider.list_models()


async def no_key() -> None:
    return None


@pytest.mark.parametrize("base_url", ["", "ftp://x", "http://", "nonsense", "http://a b/", "http://[::1"])
async def test_a_base_url_that_is_none(connect: Any, base_url: str) -> None:
    assert last_error(await ask(connect(None, base_url=base_url))).error == "bad_request"


async def test_a_key_that_cannot_be_sent(connect: Any) -> None:
    async def odd() -> str:
        return "schlüssel\n"

    with WireServer() as server:
        error = last_error(await ask(connect(server, key=odd)))
        assert error.error == "bad_request"
        assert server.requests == []


async def test_a_keychain_that_fails_is_an_error_of_the_stream(connect: Any) -> None:
    async def locked() -> str:
        raise SecretsError("The keychain is locked. Unlock it and try again.")

    with WireServer() as server:
        provider = connect(server, key=locked)
        error = last_error(await ask(provider))
        assert (error.error, error.message) == ("auth", "The keychain is locked. Unlock it and try again.")
        with pytest.raises(ProviderError, match="keychain is locked"):
            await provider.list_models()
        assert server.requests == []


async def test_an_own_authorization_header_is_sent_alone(connect: Any) -> None:
    with WireServer([chat("a")]) as server:
        await ask(connect(server, headers={"authorization": "Token own"}))
        assert server.requests[0].headers["authorization"] == "Token own"


async def test_nobody_there(connect: Any) -> None:
    with WireServer() as server:
        gone = server.base_url
    error = last_error(await ask(connect(None, base_url=gone + "?key=SENTINEL")))
    assert (error.error, error.retryable) == ("network", True)
    assert "SENTINEL" not in error.message


async def test_a_field_the_server_does_not_know_is_dropped_once_and_remembered(connect: Any) -> None:
    refusal = json_answer({"error": {"message": "Unrecognized argument: stream_options"}}, 400)
    with WireServer([refusal, chat("a"), chat("b")]) as server:
        provider = connect(server)
        assert fold_events(await ask(provider))["text"] == "a"
        assert fold_events(await ask(provider))["text"] == "b"
        assert ["stream_options" in request.json for request in server.requests] == [True, False, False]


async def test_a_server_that_refuses_for_ever_is_asked_no_more(connect: Any) -> None:
    refusal = json_answer({"error": {"message": "Unrecognized argument: stream_options"}}, 400)
    with WireServer([refusal], repeat_last=True) as server:
        assert last_error(await ask(connect(server))).error == "bad_request"
        assert len(server.requests) == 2


async def test_tool_names_are_led_back(connect: Any) -> None:
    with WireServer() as server:
        request = ASK.model_copy(update={"tools": (ToolSpec(name="fs/read.file", description="", parameters={}),)})
        provider = connect(server)
        await ask(provider, request)
        wire = server.requests[0].json["tools"][0]["function"]["name"]
        server.add(chat(tool_calls=[{"id": "c", "name": wire, "arguments": {"a": 1}}]))
        names = [event.name for event in await ask(provider, request) if isinstance(event, ToolCallStart | ToolCallEnd)]
    assert wire != "fs/read.file"
    assert names == ["fs/read.file"] * 2


async def test_lone_surrogates_do_not_fail_a_request(connect: Any) -> None:
    with WireServer([chat("a")]) as server:
        request = ASK.model_copy(update={"messages": (UserMessage(text="a\udcffb 日本"),)})
        assert fold_events(await ask(connect(server), request))["stop"] == "complete"
        assert server.requests[0].json["messages"][0]["content"] == "a?b 日本"


async def test_models_are_listed(connect: Any) -> None:
    models = model_list(["plain", {"id": "llama", "meta": {"n_ctx": 4096, "n_ctx_train": 40960}}])
    with WireServer(routes={"/models": models}) as server:
        found = await connect(server).list_models()
    assert [model.id for model in found] == ["plain", "llama"]
    assert found[1].capabilities.context == 4096
    assert (server.requests[0].method, server.requests[0].path) == ("GET", "/v1/models")


async def test_a_refused_list_is_an_error(connect: Any) -> None:
    refusal = json_answer({"error": {"message": f"Incorrect API key {KEY}", "code": "invalid_api_key"}}, 401)
    with WireServer(routes={"/models": refusal}) as server, pytest.raises(ProviderError) as caught:
        await connect(server).list_models()
    assert caught.value.code == "auth"
    assert KEY not in caught.value.user_message


async def test_no_log_at_any_level_holds_the_key_or_the_text(connect: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with WireServer([chat("answer-text"), json_answer({"error": {"message": "m"}}, 401)]) as server:
        provider = connect(server, base_url=server.base_url + "?key=SENTINEL-QUERY")
        await ask(provider)
        await ask(provider)
    everything = "\n".join(f"{record.name} {record.getMessage()} {record.args}" for record in caplog.records)
    for secret in (KEY, "SENTINEL-QUERY", "uthorization", "answer-text"):
        assert secret not in everything


async def test_a_fast_stream_comes_whole(connect: Any) -> None:
    words = ["w "] * 3000
    steps = tuple(chunk({"content": word}) for word in words)
    with WireServer([Answer(steps=(*steps, chunk({}, "stop"), DONE))]) as server:
        events = await ask(connect(server))
    assert fold_events(events)["text"] == "".join(words)
    assert isinstance(events[-1], Stop)


async def test_reading_rests_only_after_four_milliseconds() -> None:
    times = iter([0.0, 0.003, 0.005, 0.02, 0.021])
    pace = Pace(lambda: next(times))
    assert [await pace.rest() for _ in range(3)] == [False, True, False]


async def test_a_round_on_the_qt_loop(connect: Any, qt_loop: Any) -> None:
    with WireServer([chat("Hello there", hold_after=1), chat("x", hold_after=0)]) as server:
        events = []
        async for event in connect(server).stream(ASK):
            events.append(event)
            server.release("hold")
        assert fold_events(events)["text"] == "Hello there"
        silent = connect(server, timeouts=Timeouts(first_byte=30, idle=0.2))
        server.add(chat("a b", end="stall"))
        await ask(silent)
        assert last_error(await ask(silent)).error == "timeout"
