"""What holds for every body: cuts change nothing, nothing raises, one end, and it is the last event."""

import json
import random
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepchat_desktop.domain.accumulate import Answer, accumulate
from deepchat_desktop.domain.stream import (
    ProviderEvent,
    ReasoningDelta,
    Stop,
    StreamError,
    TextDelta,
    ToolCallChunk,
    ToolCallEnd,
    ToolCallStart,
)
from deepchat_desktop.services.providers.coalesce import coalesced
from deepchat_desktop.services.providers.openai_chat_decode import ChatDecoder
from deepchat_desktop.services.providers.openai_chat_finish import usage_of
from deepchat_desktop.services.providers.wire_errors import classify
from tests.fakes.chat_answers import DONE, chunk, event
from tests.services.providers.wire_cases import body_of, cases, random_cut

BODIES = [body_of(case) for case in cases("stream")]
WORDS = ["<think>", "</think>", "<", "</", "a", "\n", " ", "think>", "<thi", "nk>", "é🌍"]
CALLS = st.fixed_dictionaries(
    {},
    optional={
        "index": st.sampled_from([0, 1, None]),
        "id": st.sampled_from(["", "a", "b"]),
        "function": st.fixed_dictionaries(
            {},
            optional={
                "name": st.sampled_from(["", "f", "g"]),
                "arguments": st.sampled_from(["", "{", "}", '{"a":1}', "null", None, {"a": 1}, {}]),
            },
        ),
        "extra_content": st.just({"google": {"thought_signature": "S"}}),
    },
)
DELTAS = st.fixed_dictionaries(
    {},
    optional={
        "content": st.sampled_from([None, *WORDS]),
        "reasoning": st.sampled_from(["", "r1", "r2"]),
        "refusal": st.sampled_from([None, "no"]),
        "tool_calls": st.lists(CALLS, max_size=3),
        "reasoning_details": st.just([{"type": "reasoning.text", "text": "d", "index": 0}]),
    },
)
FINISHES = st.sampled_from(["stop", "length", "tool_calls", None])
NAMES = re.findall(
    r"\w+",
    "choices delta message content tool_calls function arguments name id index finish_reason usage error code "
    "prompt_tokens total_tokens reasoning_details images image_url url extra_content x_groq object type",
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(NAMES),
        inner,
        max_size=4,
    ),
    max_leaves=20,
)


def decode(pieces: list[bytes]) -> list[ProviderEvent]:
    decoder = ChatDecoder()
    events = [event for piece in pieces for event in decoder.feed(piece)]
    events += decoder.finish()
    assert decoder.feed(b"data: {}\n\n") == decoder.finish() == []
    return events


def check(events: list[ProviderEvent]) -> None:
    """One end, the last; no call without a start; every call ended once."""
    ends = [event for event in events if isinstance(event, Stop | StreamError)]
    assert ends == events[-1:]
    calls: dict[str, list[str]] = {}
    for item in events:
        if isinstance(item, ToolCallStart | ToolCallChunk | ToolCallEnd):
            calls.setdefault(item.key, []).append(item.kind.removeprefix("tool_call_"))
    for steps in calls.values():
        assert steps == ["start", *["chunk"] * (len(steps) - 2), "end"]
    assert all(event.text for event in events if isinstance(event, TextDelta | ReasoningDelta | ToolCallChunk))


def answer_of(events: list[ProviderEvent]) -> tuple[Answer, ProviderEvent]:
    answer = Answer()
    for number, item in enumerate(events):
        call_id = f"call-{item.key}" if isinstance(item, ToolCallStart) else str(number)
        answer = accumulate(answer, item, now=0, new_call_id=call_id).answer
    return answer, events[-1]


@settings(max_examples=150)
@given(st.lists(DELTAS, max_size=8), FINISHES, st.booleans(), st.randoms())
def test_any_cut_gives_the_same_answer(deltas: list[Any], finish: str | None, done: bool, rng: random.Random) -> None:
    body = b"".join([*map(chunk, deltas), chunk({}, finish), DONE if done else b""])
    whole = decode([body])
    check(whole)
    for pieces in ([body[i : i + 1] for i in range(len(body))], random_cut(body, rng)):
        events = decode(pieces)
        check(events)
        assert answer_of(events) == answer_of(whole)


@settings(max_examples=150)
@given(st.lists(JSON, max_size=5))
def test_any_json_is_survived(values: list[Any]) -> None:
    check(decode([b"".join(map(event, values))]))
    check(decode([json.dumps(values[0] if values else None).encode()]))
    for value in values:
        error = classify(None, {}, json.dumps(value).encode())
        assert len(error.message) <= 300


@settings(max_examples=200)
@given(st.binary(max_size=300), st.sampled_from([b"", b"data: ", b"{", b"[", b"event: error\ndata: "]))
def test_any_bytes_are_survived(noise: bytes, lead: bytes) -> None:
    check(decode([lead + noise]))
    classify(500, {"retry-after": noise.decode("latin-1")}, lead + noise)


@pytest.mark.parametrize("seed", range(5))
def test_damaged_answers_are_survived(seed: int) -> None:
    rng = random.Random(seed)
    for body in BODIES:
        damaged = bytearray(body)
        for _ in range(min(len(damaged), 4)):
            place = rng.randrange(len(damaged))
            if rng.random() < 0.5:
                del damaged[place : place + rng.randrange(20)]
                damaged += b" "
            else:
                damaged[place] = rng.randrange(256)
        check(decode(random_cut(bytes(damaged), rng)))


def test_deep_nesting_is_survived() -> None:
    check(decode([b"data: " + b"[" * 100_000 + b"\n\n", DONE]))
    check(decode([b"[" * 100_000]))
    call = {"index": 0, "id": "c", "function": {"name": "f", "arguments": "[" * 100_000}}
    events = decode([chunk({"tool_calls": [call]}), chunk({}, "stop"), DONE])
    check(events)
    assert isinstance(end := events[-2], ToolCallEnd)
    assert end.arguments is None


def test_adjacent_pieces_of_one_read_are_one_event() -> None:
    deltas = [{"content": "a"}, {"content": "b"}, {"reasoning": "c"}, {"content": "d"}]
    assert [event.model_dump() for event in ChatDecoder().feed(b"".join(map(chunk, deltas)))] == [
        {"kind": "text", "text": "ab"},
        {"kind": "reasoning", "text": "c"},
        {"kind": "text", "text": "d"},
    ]


def test_argument_pieces_of_different_calls_stay_apart() -> None:
    events: list[ProviderEvent] = [
        ToolCallChunk(key="0", text="a"),
        ToolCallChunk(key="0", text="b"),
        ToolCallChunk(key="1", text="c"),
    ]
    assert coalesced(events) == [ToolCallChunk(key="0", text="ab"), ToolCallChunk(key="1", text="c")]


def test_usage_that_is_no_number_counts_nothing() -> None:
    details = {"reasoning_tokens": True}
    usage = usage_of({"prompt_tokens": "12", "completion_tokens": -3, "completion_tokens_details": details})
    assert (usage.input, usage.output, usage.reasoning) == (0, 0, 0)
