"""Diagnostics: the last exchange, bounded, without secrets, wherever a cut falls."""

import pytest

from deepchat_desktop.domain.prompt import ModelRequest, UserMessage
from deepchat_desktop.services.providers.base import Endpoint
from deepchat_desktop.services.providers.exchange import KEPT, LONGEST_KEY, SHOWN, ExchangeLog, Kept, report
from deepchat_desktop.services.providers.openai_chat import OpenAIChat
from deepchat_desktop.services.secrets_mask import mask, remember
from tests.fakes.chat_answers import chat
from tests.fakes.wire_server import Answer, WireServer, json_answer

KEY = "SENTINEL-KEY-NOT-A-REAL-ONE-0001"
ASK = ModelRequest(model="m", messages=(UserMessage(text="What is up?"),))


@pytest.fixture(autouse=True)
def _known_key() -> None:
    remember(KEY)


async def ask(server: WireServer, log: ExchangeLog, **more: object) -> str:
    async def key() -> str:
        return KEY

    endpoint = Endpoint(base_url=server.base_url, key=key, mask=mask, log=log, **more)  # type: ignore[arg-type]
    provider = OpenAIChat(endpoint)
    async for _event in provider.stream(ASK):
        pass
    await provider.aclose()
    assert log.last is not None
    return report(log.last, mask)


@pytest.mark.anyio
async def test_a_finished_round_is_told_without_secrets() -> None:
    log = ExchangeLog()
    with WireServer([chat("Not much.", usage=(3, 2))]) as server:
        text = await ask(server, log, headers={"X-Org": "hidden-too"})
    assert KEY not in text
    assert "hidden-too" not in text
    for part in ("POST http://127.0.0.1", '"What is up?"', "status 200", '"content": " much."', "[DONE]"):
        assert part in text
    assert "Authorization: •••" in text
    assert log.last is not None
    assert log.last.took_s is not None


@pytest.mark.anyio
async def test_a_refusal_is_told_with_the_servers_words() -> None:
    refusal = json_answer({"error": {"message": f"Incorrect API key provided: {KEY}"}}, 401)
    with WireServer([refusal]) as server:
        text = await ask(server, ExchangeLog())
    assert "status 401" in text
    assert "Incorrect API key provided: •••" in text
    assert KEY not in text


@pytest.mark.anyio
async def test_a_connection_that_broke_says_so() -> None:
    with WireServer([chat("a b c", end="drop")]) as server:
        text = await ask(server, ExchangeLog())
    assert "failed: The connection to" in text


@pytest.mark.anyio
async def test_a_server_that_is_not_there_is_told() -> None:
    with WireServer() as server:
        pass
    text = await ask(server, ExchangeLog())
    assert "cannot be reached" in text
    assert "status" not in text


@pytest.mark.anyio
async def test_a_long_answer_costs_one_append_a_read_and_no_more_memory() -> None:
    log = ExchangeLog()
    body = b"".join(b'data: {"choices":[{"delta":{"content":"x"}}]}\n\n' for _ in range(20_000))
    with WireServer([Answer(steps=(body, b"data: [DONE]\n\n"), cut=4096)]) as server:
        text = await ask(server, log)
    assert log.last is not None
    assert log.last.received.size == len(body) + 14
    assert KEPT <= sum(map(len, log.last.received._tail)) < 2 * KEPT + 65_536
    assert len(text) < 4 * SHOWN
    assert "bytes are left out" in text
    assert text.rstrip().endswith("[DONE]")


@pytest.mark.parametrize("size", [1, SHOWN, SHOWN + LONGEST_KEY, 2 * SHOWN, 100_000])
@pytest.mark.parametrize("piece", [7, 1000, 200_000])
def test_a_body_of_any_size_is_kept(size: int, piece: int) -> None:
    body = (b"0123456789" * (size // 10 + 1))[:size]
    kept = Kept()
    for start in range(0, size, piece):
        kept.add(body[start : start + piece])
    text = kept.text(mask)
    if size <= SHOWN + LONGEST_KEY:
        assert text == body.decode()
    assert text.startswith(body[:1].decode())
    assert text[-1] == body[-1:].decode()
    assert kept.size == size


@pytest.mark.parametrize("shift", range(0, len(KEY) + 2, 3))
@pytest.mark.parametrize("edge", [SHOWN, SHOWN + LONGEST_KEY, -SHOWN, -SHOWN - LONGEST_KEY])
def test_no_part_of_a_key_is_left_at_a_cut(edge: int, shift: int) -> None:
    size = 200_000
    at = (edge if edge > 0 else size + edge) - shift
    body = bytearray(b"." * size)
    body[at : at + len(KEY)] = KEY.encode()
    kept = Kept()
    for start in range(0, size, 50_000):
        kept.add(bytes(body[start : start + 50_000]))
    text = kept.text(mask)
    assert not any(KEY[i : i + 6] in text for i in range(len(KEY) - 6))


def test_secrets_in_an_address_are_masked() -> None:
    log = ExchangeLog()
    log.begin("GET", f"https://models.test/v1?key={KEY}&api-version=2024-10-21&sig=abc", {}, None, "proxy.test:3128")
    assert log.last is not None
    text = report(log.last, mask)
    assert "?key=•••&api-version=2024-10-21&sig=•••" in text
    assert "through the proxy proxy.test:3128" in text
