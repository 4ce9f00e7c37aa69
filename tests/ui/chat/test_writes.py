"""What other programs and screen readers get of a piece of Markdown: lists as lists, no signs of Markdown."""

from __future__ import annotations

import pytest

from deepchat_desktop.ui.blocks import html_write, plain_write
from deepchat_desktop.ui.blocks.doc_shape import DocShape
from deepchat_desktop.ui.blocks.markdown_items import RuleItem, TextItem
from deepchat_desktop.ui.blocks.markdown_parse import parse
from deepchat_desktop.ui.blocks.stack_shape import StackShape
from deepchat_desktop.ui.blocks.table_shape import Columns


def html(source: str) -> str:
    items = [item for item in parse(source) if isinstance(item, TextItem | RuleItem)]
    return html_write.joined(map(html_write.item, items))


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("- a\n- b", "<ul><li>a</li><li>b</li></ul>"),
        ("- a\n  - b\n- c", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"),
        ("1. a\n   - b\n     - c\n2. d",
         "<ol><li>a<ul><li>b<ul><li>c</li></ul></li></ul></li><li>d</li></ol>"),
        ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
        ("- a\n\n  more\n- b", "<ul><li>a<br>more</li><li>b</li></ul>"),
        ("- a\n\n1. b", "<ul><li>a</li></ul><ol><li>b</li></ol>"),
        ("- [ ] a\n- [x] b", "<ul><li>&#9744; a</li><li>&#9745; b</li></ul>"),
        ("> - a\n>   - b", "<blockquote><ul><li>a<ul><li>b</li></ul></li></ul></blockquote>"),
        ("- <i>&\n\nafter", "<ul><li>&lt;i&gt;&amp;</li></ul><p>after</p>"),
    ],
)  # fmt: skip
def test_lists_as_html(source: str, wanted: str) -> None:
    assert html(source) == wanted


def test_an_entry_that_is_cut_in_the_middle_has_no_marker() -> None:
    (item,) = parse("1. one two")
    assert isinstance(item, TextItem)
    assert html_write.joined([html_write.item(item, 4)]) == '<ul><li style="list-style-type: none">two</li></ul>'
    assert plain_write.item(item, 4) == "two"


def test_plain_text_keeps_markers_and_notes(qapp: object) -> None:
    source = (
        "# Head\n\n2. **two**\n   - deep\n3. three[^n]\n- [x] done\n\n"
        "see `code` and [words](https://example.org)\n\n[^n]: note"
    )
    shape = StackShape(parse(source), Columns(), {})
    assert shape.plain_between(0, shape.length()) == (
        "Head\n2. two\n  • deep\n3. three[n]\n☑ done\nsee code and words\nn. note"
    )
    doc = next(inner for inner in shape.shapes if isinstance(inner, DocShape))
    assert doc.text_between(0, 4) == "Head"


def test_what_is_read_out_has_no_signs() -> None:
    source = "## A *b* `c`\n\n- one\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nx = 1\n```\n\n---\n\n$$e$$\n"
    assert plain_write.spoken(source) == "A b c\n• one\na\tb\n1\t2\nx = 1\n$$e$$"
    assert len(plain_write.spoken("word " * 9_000)) <= plain_write.MOST_SPOKEN
