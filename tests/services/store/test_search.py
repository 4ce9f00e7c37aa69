"""Search finds any substring, Chinese and English, newest first, and only what is there."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepchat_desktop.domain.blocks import ReasoningBlock, TextBlock
from deepchat_desktop.services.store import Store
from tests.services.store.values import a_message, a_session


def found(store: Store, query: str, limit: int = 50) -> list[str | None]:
    return [hit.message_id for hit in store.read_now(lambda tx: tx.sessions.search(query, limit))]


@pytest.fixture
def library(store: Store) -> Store:
    texts = {
        "en": "The quick brown fox, parse_json2 and MixedCase",
        "zh": "今天天气很好，我们去公园散步。",
        "odd": 'say "hi" 100%_sure \\ back * AND (x)',
    }
    store.write_now(lambda tx: tx.sessions.add(a_session(title="Fox hunting 公司", updated_at=5)))
    for name, text in texts.items():
        store.write_now(lambda tx, name=name, text=text: tx.messages.add(a_message(name, text)))
    return store


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("brown", ["en"]),
        ("BROWN", ["en"]),
        ("son2", ["en"]),  # inside an identifier
        ("_j", ["en"]),  # an underscore is no wildcard
        ("0%_", ["odd"]),
        ("0%", ["odd"]),
        ("天气", ["zh"]),
        ("天", ["zh"]),
        ("公园散", ["zh"]),
        ("公", [None, "zh"]),  # a title, then a message
        ("fox", [None, "en"]),
        ('"hi"', ["odd"]),
        ("\\", ["odd"]),
        ("\\ b", ["odd"]),
        ("AND (", ["odd"]),
        ("*", ["odd"]),
        ("nowhere", []),
        ("", []),
        ("  ", []),
    ],
)
def test_queries(library: Store, query: str, expected: list[str | None]) -> None:
    assert found(library, query) == expected


def test_newest_come_first_up_to_the_limit(chat: Store) -> None:
    for number in range(6):
        chat.write_now(lambda tx, n=number: tx.messages.add(a_message(f"n{n}", f"needle {n}")))
    assert found(chat, "needle", 4) == ["n5", "n4", "n3", "n2"]
    assert found(chat, "ne", 2) == ["n5", "n4"]
    assert found(chat, "needle", 0) == []


def test_the_index_follows_saves_and_leaves_streams_alone(chat: Store) -> None:
    streaming = a_message("m2", "", status="streaming")
    chat.write_now(lambda tx: tx.messages.add(streaming))
    chat.write_now(lambda tx: tx.messages.save_blocks("m2", {0: TextBlock(text="first words", open=True)}))
    assert found(chat, "first") == []
    blocks = (ReasoningBlock(text="hidden thought"), TextBlock(text="final words"))
    chat.write_now(lambda tx: tx.messages.save(streaming.model_copy(update={"status": "done", "blocks": blocks})))
    assert found(chat, "final") == ["m2"]
    assert found(chat, "hidden") == []
    edited = streaming.model_copy(update={"status": "done", "blocks": (TextBlock(text="other"),)})
    chat.write_now(lambda tx: tx.messages.save(edited))
    assert found(chat, "final") == []
    assert found(chat, "other") == ["m2"]
    chat.write_now(lambda tx: tx.messages.delete("m2"))
    assert found(chat, "other") == []


def test_a_snippet_is_one_short_line_around_the_place(chat: Store) -> None:
    chat.write_now(lambda tx: tx.messages.add(a_message("m2", "x" * 500 + "\n the NEEDLE\nlies " + "y" * 500)))
    (hit,) = chat.read_now(lambda tx: tx.sessions.search("needle"))
    assert "the NEEDLE lies" in hit.snippet
    assert hit.snippet.startswith("…")
    assert hit.snippet.endswith("…")
    assert len(hit.snippet) <= 162


@settings(deadline=None, max_examples=30)
@given(st.text(st.sampled_from("ab\x00\ud800\ufdd0\"%_\\'中"), min_size=1, max_size=12), st.data())
def test_every_part_of_a_text_is_found(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    part = text[start : data.draw(st.integers(start + 1, len(text)))]
    with TemporaryDirectory() as folder:
        store = Store.open(Path(folder))
        store.write_now(lambda tx: tx.sessions.add(a_session()))
        store.write_now(lambda tx: tx.messages.add(a_message("m", text)))
        assert found(store, part) == ["m"]
        store.close_now()
