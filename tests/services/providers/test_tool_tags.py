"""Calls in the text of a model: found whatever the cuts, never shown in part, and told from talk about them."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepchat_desktop.services.providers.tool_tags import MAX_CALL_CHARS, Piece, TagParser

CALL = '<function_call>{"name": "ls"}</function_call>'
BODY = ("call", '{"name": "ls"}')


def parsed(*texts: str) -> list[Piece]:
    """Return the pieces of a text, those of text joined."""
    parser = TagParser()
    pieces = [piece for text in texts for piece in parser.feed(text)] + parser.flush()
    joined: list[Piece] = []
    for kind, text in pieces:
        if kind == "text" and joined and joined[-1][0] == "text":
            joined[-1] = ("text", joined[-1][1] + text)
        else:
            joined.append((kind, text))
    return joined


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Hello <b>", [("text", "Hello <b>")]),
        (f"I look.\n{CALL}\n", [("text", "I look.\n"), BODY]),
        (f"{CALL}\n\n{CALL} Done.", [BODY, BODY, ("text", "Done.")]),
        ("<tool_call>x</tool_call>", [("call", "x")]),
        ("<tool_call>x</function_call>", [("call", "x")]),
        (f"```json\n{CALL}\n```\nDone.", [BODY, ("text", "Done.")]),
        (f"~~~\n\n  {CALL}\n{CALL}\n~~~", [BODY, BODY]),
        (f"```\n{CALL}\nmore\n{CALL}\n```", [BODY, ("text", f"more\n{CALL}\n```")]),
        (f"```xml\n<!-- how -->\n{CALL}\n```\n{CALL}", [("text", f"```xml\n<!-- how -->\n{CALL}\n```\n"), BODY]),
        (f"Write `{CALL}`.", [("text", f"Write `{CALL}`.")]),
        (f"````\n```\n{CALL}\n````\n{CALL}", [("text", f"````\n```\n{CALL}\n````\n"), BODY]),
        ("A <function_result> is what comes back.", [("text", "A <function_result> is what comes back.")]),
        (f"{CALL}<function_result>made up</function_result> so", [BODY]),
        ('<tool_call>{"a": "</tool_call>"}</tool_call>x', [("call", '{"a": "</tool_call>"}'), ("text", "x")]),
        ('<function_call>{"a": "\\"</function_call>"}</function_call>', [("call", '{"a": "\\"</function_call>"}')]),
        (f'<function_call>{{"a": "b}}</function_call> then\n{CALL}', [("call", '{"a": "b}'), ("text", "then\n"), BODY]),
        ('Wait <function_call>{"na', [("text", "Wait "), ("cut", '{"na')]),
        ("Wait <function_ca", [("text", "Wait <function_ca")]),
        ("```json\n", [("text", "```json\n")]),
    ],
)
def test_a_text_is_taken_apart(text: str, pieces: list[Piece]) -> None:
    assert parsed(text) == pieces
    assert parsed(*text) == pieces


WORDS = st.lists(
    st.sampled_from(
        ["<function_call>", "</function_call>", "<tool_call>", "</tool_call>", "<function_result>", "```", "~~~", "`",
         "\n", " ", '"', "\\", '{"name": "ls"}', "word", "<", "<func", "json", "````", "\n```\n", "é🌍", "</"]
    ),
    max_size=14,
).map("".join)


@settings(max_examples=400)
@given(WORDS, st.randoms(use_true_random=False))
def test_any_cut_gives_the_same_pieces(text: str, rng: random.Random) -> None:
    whole = parsed(text)
    assert parsed(*text) == whole
    cuts = sorted(rng.randrange(len(text) + 1) for _ in range(5))
    assert parsed(*(text[start:end] for start, end in pairwise([0, *cuts, len(text)]))) == whole


@given(st.lists(st.sampled_from(["word ", "<b> ", "a < b ", "\n"]), max_size=5).map("".join), st.integers(1, 9))
def test_no_part_of_a_tag_is_ever_shown(lead: str, size: int) -> None:
    parser, text = TagParser(), f"{lead}{CALL}"
    shown = ""
    for at in range(0, len(text), size):
        shown += "".join(said for kind, said in parser.feed(text[at : at + size]) if kind == "text")
        assert lead.startswith(shown)


def test_a_call_without_an_end_is_not_held_for_ever() -> None:
    parser = TagParser()
    parser.feed("<function_call>")
    pieces = [piece for _ in range(MAX_CALL_CHARS // 10_000 + 1) for piece in parser.feed("a" * 10_000)]
    assert [kind for kind, _ in pieces] == ["call"]
