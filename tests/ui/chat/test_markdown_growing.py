"""Reading a part that grows gives what reading it anew gives, and costs what came."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepchat_desktop.ui.blocks.markdown_growing import GrowingPart
from deepchat_desktop.ui.blocks.markdown_parse import References, parse, parse_part
from deepchat_desktop.ui.blocks.scanner import Scanner, scan
from tests.ui.chat.test_markdown_items import SOURCES

WORDS = st.sampled_from(
    ["word ", "two words, ", "**bold** ", "*it", "* ", "_a_ ", "snake_case ", "`co de` ", "[link](http://x.y) ",
     "[1] ", "[x ", "]( ", "$5 and $10 ", "$x$ ", "~~s~~ ", "\\* ", "中文。", "文字，更多 ", "http://a.b/c ", "a@b.co ",
     "\n", "  \n", "www.x.org ", "AT&T ", "&amp; ", "![i](u) ", "<b> ", "\n> ", "\n===\n", "\n- ", "[^1]",
     "[a]: /u\n", "[a]", "```", "| a | b |\n|---|---|\n", "| 1 | 2 |\n", "\u202e "]
)  # fmt: skip
ROWS = st.sampled_from(
    ["| 1 | 2 |\n", "| **a | b** |\n", "| x |\n", "1 | 2 | 3\n", "| `a|b` | c\\|d |\n", "text\n", "\n", "|\n"]
)
ENTRIES = st.sampled_from(
    ["- a\n", "- [ ] t\n", "1. one\n", "2) two\n", "  - deep\n", "   text\n", "\n", "lazy\n", " - b\n", "- - x\n",
     "- ```\n", "  ```\n", "* c\n", "- **b\n", "-\n", "10. t\n", "- [a]: /u\n", "- [a]\n"]
)  # fmt: skip


def many(pieces: st.SearchStrategy[str], head: str = "") -> st.SearchStrategy[str]:
    return st.lists(pieces, max_size=24).map(lambda chosen: head + "".join(chosen))


@settings(max_examples=250)
@given(
    st.one_of(many(WORDS), many(ROWS, "| h | *k* |\n|:--|---:|\n"), many(ENTRIES), SOURCES),
    st.lists(st.integers(1, 30), max_size=20),
)
def test_growing_step_by_step_is_reading_anew(source: str, steps: list[int]) -> None:
    scanner, growing, at = Scanner(), GrowingPart(), 0
    for step in [*steps, len(source)]:
        at = min(len(source), at + step)
        scanner.update(source[:at])
        if scanner.parts:
            part = scanner.parts[-1]
            fresh = parse_part(scanner.text, part, References())
            assert growing.items(scanner.text, part, References()) == fresh


@pytest.mark.parametrize(
    "source",
    ["| a | b |\n|---|---|\n" + "| one | **two** |\n" * 200, "- an *entry* of some words\n" * 70,
     "1. an entry\n   - and one below\n" * 50, "Some words, **bold**, `code`; [a link](https://x.y), 5 * 6. " * 50,
     "> Words in a quote, which go on and on. " * 60, "一些文字，没有空格，也没有标记。" * 200,
     "A line of a poem\n" * 150],
)  # fmt: skip
def test_a_flush_reads_little_more_than_what_came(source: str) -> None:
    scanner, growing, costs, step = Scanner(), GrowingPart(), list[int](), 60
    for end in range(0, len(source) + step, step):
        scanner.update(source[:end])
        before = growing.read
        if scanner.parts:
            growing.items(scanner.text, scanner.parts[-1], References())
        costs.append(growing.read - before)
    assert max(costs[5:]) <= 6 * step
    assert sum(costs) <= 4 * len(source)


@pytest.mark.parametrize("entry", ["- version 5 of it\n", "1. entry\n   - below it\n", "7. entry\n\n   more of it\n"])
def test_a_list_that_was_cut_for_its_length_reads_as_the_whole(entry: str) -> None:
    source = "1. an entry of a list that is cut\n" * 80 + entry * 80
    cut = [item for part in scan(source) for item in parse_part(source, part)]
    assert len(scan(source)) > 2
    assert cut == list(parse(source))


def test_a_list_may_begin_at_zero() -> None:
    assert [item.place.marker for item in parse("0. a\n1. b")] == ["0.", "1."]
