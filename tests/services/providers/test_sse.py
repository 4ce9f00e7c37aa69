"""The splitter of server-sent events: the same events from every cut, and no body that grows without bound."""

import collections
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepchat_desktop.services.providers import sse
from deepchat_desktop.services.providers.sse import EventTooLarge, SseEvent, SseSplitter

LINES = st.sampled_from(
    [b"data: a", b"data:b", b"data:  c", b"data", b": x", b":", b"event: error", b"id: 1", b"", "data: 那🌍".encode()]
)
ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])


def split(pieces: list[bytes]) -> list[SseEvent]:
    splitter = SseSplitter()
    events = [event for piece in pieces for event in splitter.feed(piece)]
    return events + splitter.finish()


@given(st.lists(st.tuples(LINES, ENDS)), st.lists(st.integers(0, 200)))
def test_cuts_do_not_matter(lines: list[tuple[bytes, bytes]], places: list[int]) -> None:
    body = b"".join(line + end for line, end in lines)
    marks = sorted({0, len(body), *(place for place in places if place < len(body))})
    pieces = [body[start:end] for start, end in itertools.pairwise(marks)]
    assert split(pieces) == split([body]) == split([body[i : i + 1] for i in range(len(body))])


def test_fields_and_line_ends() -> None:
    body = b"\xef\xbb\xbf: hi\r\nevent: error\rdata: 1\ndata:2\n\nid: 7\nretry: 3\ndata:  3\r\n\r\nevent: x\n\ndata: 4"
    splitter = SseSplitter()
    events = splitter.feed(body) + splitter.finish()
    assert events == [("error", b"1\n2"), ("", b" 3"), ("", b"4")]
    assert splitter.comments == 1


def test_a_byte_order_mark_may_be_cut() -> None:
    assert split([b"\xef", b"\xbb", b"\xbfdata: 1\n", b"\n"]) == [("", b"1")]


@pytest.mark.parametrize("piece", [b"x" * 50, b"data: " + b"y" * 44 + b"\n"])
def test_an_endless_event_is_refused(piece: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "MAX_EVENT_BYTES", 1000)
    splitter = SseSplitter()
    with pytest.raises(EventTooLarge):
        collections.deque(map(splitter.feed, itertools.repeat(piece, 100)), maxlen=0)


def test_many_small_events_in_one_read_are_fine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "MAX_EVENT_BYTES", 1000)
    assert len(SseSplitter().feed(b"data: 1\n\n" * 1000)) == 1000
