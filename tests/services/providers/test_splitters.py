"""The readers of lines and of arrays: any bytes in any cuts give what the whole gives, and nothing raises or grows."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepchat_desktop.services.providers.json_array import ArraySplitter, SseOrArraySplitter
from deepchat_desktop.services.providers.ndjson import LineSplitter
from deepchat_desktop.services.providers.sse import MAX_EVENT_BYTES, EventTooLarge
from tests.services.providers.wire_cases import random_cut

SIGNS = st.lists(
    st.sampled_from(
        [b"[", b"]", b"{", b"}", b'"', b"\\", b",", b":", b"\n", b"\r", b" ", b"a", b"data: ", b"\xff", b"1"]
    ),
    max_size=40,
).map(b"".join)
READERS = pytest.mark.parametrize("reader", [LineSplitter, ArraySplitter, SseOrArraySplitter])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.lists(st.dictionaries(st.text(max_size=3), VALUES, max_size=3), max_size=5)


def read(reader: type, pieces: list[bytes]) -> list[bytes]:
    splitter = reader()
    events = [event for piece in pieces for event in splitter.feed(piece)]
    return [data for _, data in [*events, *splitter.finish()]]


@READERS
@given(body=SIGNS | st.binary(max_size=60), rng=st.randoms(use_true_random=False))
def test_cuts_change_nothing(reader: type, body: bytes, rng: random.Random) -> None:
    whole = read(reader, [body])
    assert read(reader, [body[at : at + 1] for at in range(len(body))]) == whole
    assert read(reader, random_cut(body, rng)) == whole


@given(values=OBJECTS, indent=st.sampled_from([None, 0, 2]), ascii_only=st.booleans(), rng=st.randoms())
def test_an_array_gives_its_objects(
    values: list[object], indent: int | None, ascii_only: bool, rng: random.Random
) -> None:
    body = json.dumps(values, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "replace")
    assert [json.loads(data) for data in read(ArraySplitter, random_cut(body, rng))] == json.loads(body)


@given(values=OBJECTS, end=st.sampled_from([b"", b"\n", b"\r\n"]), rng=st.randoms())
def test_lines_give_their_objects(values: list[object], end: bytes, rng: random.Random) -> None:
    lines = [json.dumps(value).encode() for value in values]
    body = (b"\r\n" if end == b"\r\n" else b"\n").join(lines) + end
    assert [json.loads(data) for data in read(LineSplitter, random_cut(body, rng))] == values


def test_only_objects_directly_in_an_array_are_messages() -> None:
    assert read(ArraySplitter, [b'[1, "{}", [{"a": 1}], {"b": [{}]} , null, {"c": "]}"}] {"d": 1}']) == [
        b'{"b": [{}]}',
        b'{"c": "]}"}',
    ]


def test_an_object_without_an_end_is_not_held_for_ever() -> None:
    splitter = ArraySplitter()
    splitter.feed(b'[{"a":"')
    for _ in range((MAX_EVENT_BYTES >> 20) - 1):
        splitter.feed(b"a" * (1 << 20))
    with pytest.raises(EventTooLarge):
        splitter.feed(b"a" * (1 << 20))
