"""Invisible and reordering characters are shown; everything else is left alone."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from deepchat_desktop.domain.visible_text import MAX_JOINS, visible_exact, visible_prose


def test_prose_shows_bidi_controls_and_escapes() -> None:
    assert visible_prose("a\u202eb\u2066c\u2069") == "a‹U+202E›b‹U+2066›c‹U+2069›"
    assert visible_prose("\x1b[31mred\x07") == "‹U+001B›[31mred‹U+0007›"
    assert visible_prose("tag\U000e0041") == "tag‹U+E0041›"
    assert visible_prose("one\r\ntwo\tthree") == "one\ntwo\tthree"
    assert visible_prose("\ud800") == "‹U+D800›"


def test_prose_leaves_languages_and_emoji() -> None:
    for text in ("你好，世界", "👩‍👩‍👧 ❤️", "می‌خواهم", "שלום", "naïve"):
        assert visible_prose(text) == text


def test_exact_shows_what_has_no_ink() -> None:
    assert visible_exact("rm\u200b -rf\u00a0/") == "rm‹U+200B› -rf‹U+00A0›/"
    assert visible_exact("a\nb") == "a\nb"
    assert visible_exact("a\n\tb", multiline=False) == "a‹U+000A›‹U+0009›b"
    assert visible_exact("e" + "\u0301" * 6) == "e" + "\u0301" * 4 + "‹U+0301›" * 2


@given(st.text())
def test_the_result_holds_nothing_that_reorders(text: str) -> None:
    for shown in (visible_prose(text), visible_exact(text)):
        assert not [c for c in shown if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") and c not in "\n\t"]
        assert not set(shown) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126)))
def test_plain_text_stays(text: str) -> None:
    assert visible_prose(text) == text
    assert visible_exact(text) == text


def test_a_chain_of_joiners_without_end_is_broken_and_emoji_are_not() -> None:
    family = "👩🏽\u200d👩\u200d👧\u200d👦 🏳️\u200d🌈"
    assert visible_prose(family * 20) == family * 20
    assert visible_prose("👨\u200d👩\u200d👧" * 40) == "👨\u200d👩\u200d👧" * 40
    chain = "👩" + "\u200d👩" * 100
    shown = visible_prose(chain)
    assert shown.replace("‹U+200D›", "\u200d") == chain
    assert shown.count("‹U+200D›") == 100 // MAX_JOINS
    assert visible_prose("\u200d" * 40).count("‹U+200D›") == 2
