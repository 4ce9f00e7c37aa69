"""Items, or pieces of them, to plain text: what a reader sees, without the signs of Markdown.

For copying as plain text, and for what a screen reader says. Markers of entries stay: a number is part of what is said.
"""

from collections.abc import Sequence

from deepchat_desktop.ui.blocks import markdown_write
from deepchat_desktop.ui.blocks.markdown_items import (
    FORMULA_MARK,
    CodeItem,
    Item,
    MathItem,
    PictureItem,
    RuleItem,
    Span,
    TableItem,
    TextItem,
)
from deepchat_desktop.ui.blocks.markdown_parse import parse

MOST_SPOKEN = 2_000
"""Characters of a message that are read out."""


def item(shown: TextItem | RuleItem, start: int = 0, end: int = 1 << 30) -> str:
    """Return the places ``start`` to ``end`` (UTF-16 units) of an item as the document counts them."""
    if isinstance(shown, RuleItem):
        return "---"
    words = spans(shown.spans, start, end)
    if start > 0 or (not shown.place.level and not shown.place.marker):
        return words
    indent = "  " * max(0, shown.place.level - 1)
    return f"{indent}{shown.place.marker or ' '} {words}"


def spans(runs: Sequence[Span], start: int = 0, end: int = 1 << 30) -> str:
    """Return some places of runs."""
    return "".join(_span(run, words) for run, words in markdown_write.cut(runs, start, end))


def _span(run: Span, words: str) -> str:
    if run.math and words in (FORMULA_MARK, run.text):
        return run.math
    return f"[{words}]" if run.raised else words.replace("\u2028", "\n")


def spoken(markdown: str) -> str:
    """Return the beginning of a Markdown text as it is read out."""
    return "\n".join(filter(None, map(_whole, parse(markdown[:MOST_SPOKEN]))))


def _whole(of: Item) -> str:
    match of:
        case TextItem():
            return item(of).strip()
        case CodeItem():
            return of.text
        case MathItem():
            return of.source
        case TableItem():
            return "\n".join("\t".join(map(spans, row)) for row in of.rows)
        case PictureItem():
            return of.alt
        case RuleItem():
            return ""
