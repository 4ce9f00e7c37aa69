"""A provider that pauses in the middle of its own tools is sent what it said and asked to go on, a few times."""

from __future__ import annotations

import json
from typing import Any

import pytest

from deepchat_desktop.domain.messages import Connection
from deepchat_desktop.services.runtime.loop import MAX_PAUSES
from tests.fakes.wire_server import Answer, body_answer
from tests.services.runtime.conftest import Bench

pytestmark = pytest.mark.anyio


def answer(*blocks: dict[str, Any], stop: str) -> Answer:
    """Return a stream of whole content blocks."""
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {"usage": {"input_tokens": 3}}}]
    for index, block in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events.append({"type": "content_block_stop", "index": index})
    events.append({"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 2}})
    events.append({"type": "message_stop"})
    lines = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]
    return body_answer("".join(lines).encode())


def said(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


SEARCH = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}}


async def run(bench: Bench, *answers: Answer) -> tuple[str, str, list[Any]]:
    bench.server.add(*answers)
    connection = Connection(provider="ad-hoc", model="m", api="anthropic", base_url=bench.server.base_url)
    session = await bench.session(connection=connection)
    ended = await bench.core.runtime.process_message(session.id, "go")
    (_, message) = await bench.messages(session)
    text = "".join(block.text for block in message.blocks if block.kind == "text")
    return ended.outcome, text, [request.json["messages"] for request in bench.server.requests]


@pytest.mark.parametrize("first", [(said("Searching. "), SEARCH), (SEARCH,)])
async def test_a_paused_answer_goes_on(bench: Bench, first: tuple[dict[str, Any], ...]) -> None:
    paused, rest = answer(*first, stop="pause_turn"), answer(said("Found it."), stop="end_turn")
    outcome, text, requests = await run(bench, paused, rest)
    assert outcome == "completed"
    assert text.endswith("Found it.")
    assert [message["role"] for message in requests[1]] == ["user", "assistant"]
    sent_back = [{key: block[key] for key in block if key != "cache_control"} for block in requests[1][-1]["content"]]
    assert sent_back[-1] == SEARCH


async def test_what_was_said_after_a_pause_is_not_lost_later(bench: Bench) -> None:
    paused = answer(said("Searching. "), SEARCH, stop="pause_turn")
    bench.server.add(paused, answer(said("Found it."), stop="end_turn"), answer(said("Bye."), stop="end_turn"))
    connection = Connection(provider="ad-hoc", model="m", api="anthropic", base_url=bench.server.base_url)
    session = await bench.session(connection=connection)
    await bench.core.runtime.process_message(session.id, "go")
    await bench.core.runtime.process_message(session.id, "thanks")
    history = bench.server.requests[2].json["messages"][1]["content"]
    assert [block.get("text", block["type"]) for block in history] == ["Searching. ", "server_tool_use", "Found it."]


async def test_a_provider_that_only_pauses_is_not_asked_for_ever(bench: Bench) -> None:
    outcome, text, requests = await run(bench, *[answer(said("a"), stop="pause_turn")] * (MAX_PAUSES + 3))
    assert outcome == "completed"
    assert len(requests) == MAX_PAUSES + 1
    assert text == "a" * (MAX_PAUSES + 1)
