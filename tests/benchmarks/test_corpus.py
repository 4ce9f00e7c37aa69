"""The conversation that is measured with is the same everywhere and has what answers have."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

import pytest

from benchmarks.message_list import corpus

CHECK = 0xab04e6f


def test_the_same_seed_gives_the_same_conversation() -> None:
    texts = corpus.texts(200)
    assert texts == corpus.texts(200)
    assert texts != corpus.texts(200, seed=1)
    assert zlib.crc32("\0".join(texts).encode()) == CHECK, "a changed corpus makes old figures incomparable"


def test_it_has_all_kinds_of_blocks_in_both_languages() -> None:
    text = "\n\n".join(corpus.texts(400))
    for kind in (r"^#{2,4} ", r"^> ", r"^- ", r"^1\. ", r"^\| --- ", r"^   - ", "[\u4e00-\u9fff]{4}", r"\*\*\w+\*\*"):
        assert re.search(kind, text, re.MULTILINE), kind
    for language in corpus.CODE:
        assert f"```{language}\n" in text
    lengths = [fence.count("\n") for fence in re.findall(r"```\w+\n(.*?)\n```", text, re.DOTALL)]
    assert min(lengths) >= 4
    assert max(lengths) <= 79


@pytest.mark.slow
def test_ten_thousand_messages_are_about_twelve_megabytes() -> None:
    assert 11e6 < sum(len(text.encode()) for text in corpus.texts()) < 13.5e6


@pytest.mark.parametrize("kind", ["mixed", "code", "paragraph", "table", "list"])
def test_a_stream_is_cut_without_loss(kind: str) -> None:
    text = corpus.stream_text(kind, 5_000)
    tokens = corpus.cut(text)
    assert "".join(tokens) == text
    assert 5_000 <= len(text) < 5_100
    assert 2 < len(text) / len(tokens) < 5 or kind in {"mixed", "paragraph", "list"}
    if kind != "mixed":
        assert "\n\n" not in text or kind == "code"


def test_what_is_saved_comes_back_as_messages(tmp_path: Path) -> None:
    corpus.save(tmp_path / "corpus.json", 10)
    messages = corpus.messages(tmp_path / "corpus.json")
    assert [message.role for message in messages] == ["user", "assistant"] * 5
    assert [message.blocks[0].text for message in messages] == corpus.texts(10)
    languages = {re.match(r"```(\w+)", message.blocks[0].text) for message in corpus.warm_messages()}
    assert len([found for found in languages if found]) == len(corpus.CODE)
