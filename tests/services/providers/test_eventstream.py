"""The reader of AWS's binary events: any cuts give the same messages, any damage is told and nothing is waited for."""

import json
import random
import re
import struct
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepchat_desktop.services.providers.bedrock_decode import ConverseDecoder
from deepchat_desktop.services.providers.eventstream import DAMAGED, EventStreamSplitter
from deepchat_desktop.services.providers.sse import MAX_EVENT_BYTES, EventTooLarge, SseEvent
from deepchat_desktop.services.providers.wire_fold import fold
from tests.services.providers.test_decoder_properties import check
from tests.services.providers.wire_cases import aws_frame, body_of, cases, random_cut

HELLO = aws_frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "Hello"}})
STOP = aws_frame("messageStop", {"stopReason": "end_turn"})
BODY = body_of(next(case for case in cases("stream_events") if case["id"] == "own-bedrock-reasoning"))
NAMES = st.sampled_from(
    ["messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop", "metadata", "", "new"]
)
FIELDS = re.findall(
    r"\w+",
    "contentBlockIndex start delta toolUse toolResult toolUseId name type input text reasoningContent signature "
    "redactedContent stopReason usage inputTokens outputTokens output message content",
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", "a", "{", "{}", "tool_use", "server_tool_use"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4),
    max_leaves=15,
)


def split(pieces: list[bytes]) -> list[SseEvent]:
    splitter = EventStreamSplitter()
    return [event for piece in pieces for event in splitter.feed(piece)] + splitter.finish()


def raw_frame(headers: bytes, payload: bytes = b"{}", size: int | None = None) -> bytes:
    """Return a message with these header bytes; ``size`` is told instead of the right one."""
    total = 16 + len(headers) + len(payload) if size is None else size
    prelude = struct.pack(">II", total, len(headers))
    message = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + payload
    return message + struct.pack(">I", zlib.crc32(message))


def header(name: str, kind: int, value: bytes) -> bytes:
    return bytes([len(name)]) + name.encode() + bytes([kind]) + value


@settings(max_examples=200)
@given(st.lists(st.tuples(NAMES, st.binary(max_size=60)), max_size=6), st.randoms(use_true_random=False))
def test_any_cut_gives_the_same_messages(messages: list[tuple[str, bytes]], rng: random.Random) -> None:
    body = b"".join(
        raw_frame(header(":event-type", 7, struct.pack(">H", len(name)) + name.encode()), data)
        for name, data in messages
    )
    want = [SseEvent(name, data) for name, data in messages]
    for pieces in ([body], [body[at : at + 1] for at in range(len(body))], random_cut(body, rng)):
        assert split(pieces) == want


@settings(max_examples=300)
@given(st.integers(0, len(BODY) - 1), st.integers(1, 255), st.integers())
def test_one_wrong_byte_is_always_found(place: int, change: int, seed: int) -> None:
    body = bytearray(BODY)
    body[place] ^= change
    rng = random.Random(seed)
    events = split(random_cut(bytes(body), rng))
    assert events[-1].name == DAMAGED
    assert events[:-1] == split([BODY])[: len(events) - 1]
    result = fold("bedrock", random_cut(bytes(body), rng))
    if result["stop"] == "error":  # else the end was told before the damage
        looks_like_json = body[:1] in (b"{", b"[", b"<")  # read as one value then, which has no end
        assert looks_like_json or (result["error"]["kind"], result["error"]["retryable"]) == ("network", True)
        assert result["tool_calls"] == []


@settings(max_examples=200)
@given(st.integers(0, len(BODY) - 1), st.integers())
def test_an_end_anywhere_is_told(size: int, seed: int) -> None:
    events = split(random_cut(BODY[:size], random.Random(seed)))
    assert events == split([BODY])[: len(events)]
    assert fold("bedrock", [BODY[:size]])["stop"] in ("error", "tool_use")


@settings(max_examples=300)
@given(st.binary(max_size=300), st.integers(1, 40))
def test_any_bytes(noise: bytes, size: int) -> None:
    for body in (noise, HELLO + noise, raw_frame(noise[:120]), raw_frame(noise[:9], noise[9:])):
        split([body])
        decoder = ConverseDecoder()
        events = [event for at in range(0, len(body), size) for event in decoder.feed(body[at : at + size])]
        check(events + decoder.finish())


@settings(max_examples=300)
@given(st.lists(st.tuples(NAMES, VALUES), max_size=8))
def test_any_values_in_sound_messages(messages: list[tuple[str, Any]]) -> None:
    decoder = ConverseDecoder()
    body = b"".join(aws_frame(name, value) for name, value in messages)
    check([*decoder.feed(body), *decoder.finish()])


def test_a_wrong_size_is_not_waited_for() -> None:
    broken = struct.pack(">III", 1 << 31, 4, 0)
    assert [event.name for event in split([HELLO + broken])] == ["contentBlockDelta", DAMAGED]
    assert fold("bedrock", [HELLO + broken + HELLO]) == {
        **fold("bedrock", [HELLO]),
        "error": {
            "kind": "network",
            "retryable": True,
            "message": "The answer arrived damaged: its checksum is wrong.",
        },
    }


def test_a_message_too_large_is_refused_before_it_comes() -> None:
    prelude = struct.pack(">II", MAX_EVENT_BYTES + 1, 0)
    with pytest.raises(EventTooLarge):
        EventStreamSplitter().feed(prelude + struct.pack(">I", zlib.crc32(prelude)))
    result = fold("bedrock", [prelude + struct.pack(">I", zlib.crc32(prelude))])
    assert "32 MB" in result["error"]["message"]


@pytest.mark.parametrize(
    "headers",
    [
        b"\x05abc",
        header("a", 7, b"\xff\xff"),
        header("a", 10, b""),
        header("a", 255, b""),
        header("a", 4, b"\x00"),
        b"\x00",
    ],
)
def test_headers_that_do_not_fit_are_damage(headers: bytes) -> None:
    assert split([raw_frame(headers)]) == [SseEvent(DAMAGED, b"{}")]


def test_headers_of_every_type_are_passed_over() -> None:
    fixed = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
    headers = b"".join(header("x", kind, b"\x01" * size) for kind, size in fixed.items())
    headers += header("b", 6, b"\x00\x02ab") + header(":event-type", 7, b"\x00\x04stop")
    assert split([raw_frame(headers)]) == [SseEvent("stop", b"{}")]


@pytest.mark.parametrize(
    ("name", "kind", "retryable"),
    [
        ("throttlingException", "rate_limit", True),
        ("serviceUnavailableException", "overloaded", True),
        ("modelStreamErrorException", "server", True),
        ("internalServerException", "server", True),
        ("modelTimeoutException", "timeout", True),
        ("validationException", "bad_request", False),
        ("accessDeniedException", "auth", False),
        ("resourceNotFoundException", "model_not_found", False),
        ("serviceQuotaExceededException", "quota", False),
    ],
)
def test_an_exception_ends_the_answer(name: str, kind: str, retryable: bool) -> None:
    start = {"toolUse": {"toolUseId": "t", "name": "f"}}
    call = aws_frame("contentBlockStart", {"contentBlockIndex": 1, "start": start})
    body = HELLO + call + aws_frame(name, {"message": "It did not work."}, "exception") + STOP
    for pieces in ([body], [body[at : at + 1] for at in range(len(body))]):
        result = fold("bedrock", pieces)
        error = {"kind": kind, "retryable": retryable, "message": "It did not work."}
        assert (result["text"], result["error"], result["tool_calls"]) == ("Hello", error, [])
        assert [call["name"] for call in result["incomplete_tool_calls"]] == ["f"]


def test_a_full_window_inside_the_stream() -> None:
    body = aws_frame("validationException", {"message": "Input is too long for requested model."}, "exception")
    assert fold("bedrock", [body])["error"]["kind"] == "context_overflow"


def test_an_error_without_a_payload() -> None:
    headers = header(":message-type", 7, b"\x00\x05error") + header(":error-code", 7, b"\x00\x03Bad")
    headers += header(":error-message", 7, b"\x00\x05sorry")
    assert fold("bedrock", [raw_frame(headers, b"")])["error"]["message"] == "sorry"


def test_one_json_object_instead_of_a_stream() -> None:
    content = [
        {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "S"}}},
        {"text": "a"},
        {"toolUse": {"toolUseId": "t", "name": "f", "input": {"x": 1}}},
    ]
    whole = {"output": {"message": {"role": "assistant", "content": content}}, "stopReason": "tool_use"}
    result = fold("bedrock", [json.dumps({**whole, "usage": {"inputTokens": 3, "outputTokens": 4}}).encode()])
    assert (result["text"], result["reasoning"], result["stop"]) == ("a", "hm", "tool_use")
    assert result["tool_calls"] == [{"id": "t", "name": "f", "arguments": {"x": 1}}]
    assert result["carry"] == {"content": content}
    assert fold("bedrock", [b'{"message": "no"}'])["error"]["message"] == "no"
