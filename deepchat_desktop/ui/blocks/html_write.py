"""Items, or pieces of them, to HTML for other programs: meaning only, no colours and sizes of ours.

Invariants: every text is escaped; a link stays only where it may be opened; nothing names a file or a picture.
"""

import re
from collections.abc import Iterable, Sequence
from html import escape

from deepchat_desktop.ui.blocks import markdown_write
from deepchat_desktop.ui.blocks.markdown_items import BULLET, CHECKED, FORMULA_MARK, UNCHECKED, RuleItem, Span, TextItem

_TAGS = {"h1": "h1", "h2": "h2", "h3": "h3", "p": "p"}
_SEAM = re.compile(r'</ul><ul>|</ol><ol start="\d+">|</blockquote><blockquote>')
_SCHEMES = ("http://", "https://", "mailto:")


def item(shown: TextItem | RuleItem, start: int = 0, end: int = 1 << 30) -> str:
    """Return the HTML of the places ``start`` to ``end`` (UTF-16 units) of an item as the document counts them."""
    if isinstance(shown, RuleItem):
        return "<hr>"
    body = spans(shown.spans, start, end)
    place = shown.place
    if place.level:
        body = _entry(body, place.marker if start <= 0 else "", place.level)
    else:
        tag = _TAGS[shown.style]
        body = f"<{tag}>{body}</{tag}>"
    return "<blockquote>" * place.quote + body + "</blockquote>" * place.quote


def _entry(body: str, marker: str, level: int) -> str:
    box = {CHECKED: "&#9745; ", UNCHECKED: "&#9744; "}.get(marker, "")
    ordered = bool(marker) and marker not in (BULLET, CHECKED, UNCHECKED)
    number = marker.rstrip(".)") if ordered else ""
    opening = f'<ol start="{escape(number)}">' if number.isascii() and number.isdigit() else "<ul>"
    closing = "</ol>" if opening != "<ul>" else "</ul>"
    style = "" if marker else ' style="list-style-type: none"'
    return opening + "<ul>" * (level - 1) + f"<li{style}>{box}{body}</li>" + "</ul>" * (level - 1) + closing


def spans(runs: Sequence[Span], start: int = 0, end: int = 1 << 30) -> str:
    """Return the HTML of some places of runs."""
    return "".join(_span(run, words) for run, words in markdown_write.cut(runs, start, end))


def _span(run: Span, words: str) -> str:
    if run.math:
        return escape(run.math if words in (FORMULA_MARK, run.text) else words)
    out = escape(words).replace("\u2028", "<br>").replace("\n", "<br>")
    kinds = ((run.code, "code"), (run.raised, "sup"), (run.bold, "strong"), (run.italic, "em"), (run.strike, "s"))
    for wanted, tag in kinds:
        out = f"<{tag}>{out}</{tag}>" if wanted else out
    return f'<a href="{escape(run.link)}">{out}</a>' if run.link.lower().startswith(_SCHEMES) else out


def table(rows: Sequence[Sequence[Sequence[Span]]], aligns: Sequence[str]) -> str:
    """Return rows, the head first, as a table."""
    lines = []
    for index, row in enumerate(rows):
        tag = "td" if index else "th"
        cells = zip(row, aligns, strict=False)
        lines.append("".join(f'<{tag} align="{align}">{spans(cell)}</{tag}>' for cell, align in cells))
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def joined(pieces: Iterable[str]) -> str:
    """Return pieces as one text; entries and quotes that follow each other become one list and one quote."""
    return _SEAM.sub("", "".join(pieces))
