"""Finding whatever the case: places hold where folding makes a letter longer."""

import random
import sys
from itertools import pairwise

import pytest

from deepchat_desktop.domain import find
from deepchat_desktop.domain.blocks import ReasoningBlock, TextBlock, ToolCallBlock
from deepchat_desktop.domain.find import Needle, texts_of


@pytest.mark.parametrize(
    ("words", "text", "hits"),
    [
        ("retry", "Retry, RETRY and reTry", ["Retry", "RETRY", "reTry"]),
        ("strasse", "Die Straße, die STRASSE", ["Straße", "STRASSE"]),
        ("STRAẞE", "straße strasse", ["straße", "strasse"]),
        ("s", "ß", ["ß"]),
        ("ss", "ßß", ["ß", "ß"]),
        ("after", "ßßß İİ after", ["after"]),
        ("i", "İx", ["İ"]),
        ("İ", "i̇ and İ", ["i̇", "İ"]),
        ("ffi", "eﬃcient", ["ﬃ"]),
        ("城市", "老城市和新城市", ["城市", "城市"]),
        ("ΣΊΣΥΦΟΣ", "σίσυφος", ["σίσυφος"]),
        ("k", "K", ["K"]),
        ("aa", "aaaa", ["aa", "aa"]),
        ("🎉", "x🎉y", ["🎉"]),
        ("absent", "present", []),
        ("", "anything", []),
    ],
)
def test_hits_are_pieces_of_the_text(words: str, text: str, hits: list[str]) -> None:
    needle = Needle(words)
    assert [text[start:end] for start, end in needle.ranges(text)] == hits
    assert needle.count(text, text.casefold()) == len(hits)


def test_places_agree_with_folding_letter_by_letter() -> None:
    chance = random.Random(7)
    letters = "aAsSßẞİiIﬃfFkK中 "
    for _ in range(2_000):
        text = "".join(chance.choice(letters) for _ in range(chance.randrange(30)))
        words = "".join(chance.choice(letters) for _ in range(chance.randrange(1, 4)))
        found = Needle(words).ranges(text)
        for start, end in found:
            assert words.casefold() in text[start:end].casefold()
        assert all(before[1] <= after[0] for before, after in pairwise(found))
        assert bool(found) == (words.casefold() in text.casefold())
        assert Needle(words).count(text, text.casefold()) == len(found)


def test_the_table_of_letters_that_grow_is_whole() -> None:
    assert max(c for c in range(sys.maxunicode + 1) if len(chr(c).casefold()) > 1) == find._LAST_LONGER


def test_all_that_is_read_can_be_found() -> None:
    call = ToolCallBlock(call_id="c", name="read", arguments={"path": "a\nb", "n": 1}, result="out")
    assert texts_of(call) == ("read", "path:\na\nb\nn: 1", "out")
    assert texts_of(ToolCallBlock(call_id="c", name="read", arguments_text='{"pa')) == ("read", '{"pa', "")
    assert texts_of(TextBlock(text="t")) == texts_of(ReasoningBlock(text="t")) == ("t",)
