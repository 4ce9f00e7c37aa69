"""Markdown as items: goldens of what is shown, and that cutting changes nothing."""

from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from deepchat_desktop.domain.blocks import TextBlock
from deepchat_desktop.ui.blocks import markdown_parse
from deepchat_desktop.ui.blocks.markdown_items import (
    CodeItem,
    Item,
    MathItem,
    PictureItem,
    RuleItem,
    Span,
    TableItem,
    TextItem,
)
from deepchat_desktop.ui.blocks.markdown_parse import parse, parse_part
from deepchat_desktop.ui.blocks.scanner import Scanner, scan
from deepchat_desktop.ui.blocks.text_block import MarkdownText

GOLDEN = Path(__file__).parents[2] / "golden" / "markdown"


def shown(span: Span) -> str:
    marks = [f.name for f in fields(span) if f.name not in ("text", "link") and getattr(span, f.name)]
    marks = [f"math {span.math!r}" if mark == "math" else mark for mark in marks]
    marks += [f"-> {span.link}"] if span.link else []
    return repr(span.text) + (f" [{', '.join(marks)}]" if marks else "")


def dump(item: Item) -> str:
    place = f"{'>' * item.place.quote}{'  ' * item.place.level}{item.place.marker + ' ' if item.place.marker else ''}"
    match item:
        case TextItem():
            body = f"{item.style} " + " + ".join(shown(span) for span in item.spans)
        case CodeItem():
            body = f"code({item.language}) {item.text!r}"
        case MathItem():
            body = f"formula {item.tex!r} of {item.source!r}"
        case TableItem():
            rows = (" | ".join(" + ".join(map(shown, cell)) for cell in row) for row in item.rows)
            body = f"table({', '.join(item.aligns)})\n    " + "\n    ".join(rows)
        case RuleItem():
            body = "rule"
        case PictureItem():
            body = f"picture({item.media_type}) {item.alt!r} {len(item.data)} characters"
    return f"{place}{body}\n"


@pytest.mark.parametrize("name", sorted(path.stem for path in GOLDEN.glob("*.md")))
def test_golden(name: str) -> None:
    source = (GOLDEN / f"{name}.md").read_text(encoding="utf-8")
    found = "".join(dump(item) for item in parse(source))
    assert found == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


def by_pieces(source: str) -> str:
    references = markdown_parse.References()
    for part in scan(source):  # as at the end of a message: definitions first
        parse_part(source, part, references)
    items = [item for part in scan(source) for item in parse_part(source, part, references)]
    return "".join(dump(item) for item in items)


@pytest.mark.parametrize("name", sorted(path.stem for path in GOLDEN.glob("*.md")))
def test_cut_into_pieces_it_reads_the_same(name: str) -> None:
    source = (GOLDEN / f"{name}.md").read_text(encoding="utf-8")
    assert by_pieces(source) == "".join(dump(item) for item in parse(source))


LINES = st.sampled_from(
    ["text", "more *text*", "", "", "- item", "- [ ] task", "1. one", "2. two", "  nested", "# head", "---",
     "> quote", "$$", "\\[", "\\]", "+ x", "$$ y $$", "a $z$", "$$ w $$ b", "[^1]: note", "see[^1]", "```py",
     "```", "    code", "| a | b |", "|---|---|", "| 1 | 2 |", "   - deep", "~~~", "x  "]
)  # fmt: skip
SOURCES = st.lists(LINES, max_size=14).map("\n".join)


@given(SOURCES)
def test_pieces_lie_side_by_side(source: str) -> None:
    assert "".join(source[p.start : p.end] for p in scan(source)) == source


@settings(max_examples=200)
@given(SOURCES)
@example("[^1]: note\n| a | b |\n|---|---|")
def test_nothing_is_lost_by_cutting(source: str) -> None:
    """Cutting may close a list or a table earlier than the whole would; words and code never change."""
    assert "".join(words(source).split()) == "".join(cut_words(source).split())


def words(source: str) -> str:
    return " ".join(text for item in parse(source) for text in texts(item))


def cut_words(source: str) -> str:
    known = markdown_parse.References()
    for part in scan(source):
        parse_part(source, part, known)
    return " ".join(text for p in scan(source) for item in parse_part(source, p, known) for text in texts(item))


def texts(item: Item) -> list[str]:
    match item:
        case TextItem():
            return [span.text for span in item.spans]
        case CodeItem():
            return [item.text]
        case MathItem():
            return [item.source]
        case TableItem():
            return [span.text for row in item.rows for cell in row for span in cell]
        case _:
            return []


@given(SOURCES, st.lists(st.integers(0, 200), max_size=6))
def test_cutting_on_from_the_open_piece_is_cutting_anew(source: str, stops: list[int]) -> None:
    scanner = Scanner()
    for stop in sorted(min(stop, len(source)) for stop in [*stops, len(source)]):
        scanner.update(source[:stop])
    assert scanner.parts == scan(source)


@settings(max_examples=150)
@given(SOURCES, st.lists(st.integers(0, 200), max_size=4))
def test_scanner_and_parser_agree_in_the_end_for_any_cut(source: str, stops: list[int]) -> None:
    text = MarkdownText(0)
    for stop in sorted(min(stop, len(source)) for stop in stops):
        text.update(TextBlock(text=source[:stop], open=True))
    text.update(TextBlock(text=source))
    text.check()
    shown = [item for part in text.scanner.parts for item in text.items(part)]
    assert tuple(shown) == parse(source)


def test_a_huge_piece_is_plain_text() -> None:
    source = "*" * (markdown_parse.MAX_CHARS + 1)
    assert parse(source)[0] == TextItem((Span(source),), "p", parse("x")[0].place)


def test_file_names_are_no_links() -> None:
    (item,) = parse("See notes.md, main.rs and a@b.co, but https://example.org/x is one.")
    assert isinstance(item, TextItem)
    assert [span.link for span in item.spans if span.link] == ["mailto:a@b.co", "https://example.org/x"]
