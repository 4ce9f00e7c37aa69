"""Items, or pieces of them, to HTML for other programs: meaning only, no colours and sizes of ours.

Invariants: every text is escaped; a link stays only where it may be opened; nothing names a file or a picture. An
entry of a list is kept apart, between controls that no shown text holds, until ``joined`` puts it where it belongs.
"""

import re
from collections.abc import Iterable, Sequence
from html import escape

from deepchat_desktop.ui.blocks import markdown_write
from deepchat_desktop.ui.blocks.markdown_items import CHECKED, FORMULA_MARK, UNCHECKED, RuleItem, Span, TextItem

_TAGS = {"h1": "h1", "h2": "h2", "h3": "h3", "p": "p"}
_SEAM = re.compile("</blockquote><blockquote>")
_ENTRY = re.compile("\0(\\d+) ([a-z]*) ?(\\d*)\1([^\2]*)\2")
"""Level, kind of list, number, and what stands in it; without a kind it goes on with the entry before."""
_ENTRIES = re.compile(f"(?:{_ENTRY.pattern})+")
_UNMARKED = '<li style="list-style-type: none">'
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
    number = marker.rstrip(".)")
    kind = "" if not marker else "ol" if number.isascii() and number.isdigit() else "ul"
    return f"\0{level} {kind} {number if kind == 'ol' else ''}\1{box}{body}\2"


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
    return _ENTRIES.sub(lambda run: _lists(_ENTRY.findall(run[0])), _SEAM.sub("", "".join(pieces)))


def _lists(entries: Iterable[tuple[str, str, str, str]]) -> str:
    """Return entries as lists, deeper ones within the entry above them."""
    out: list[str] = []
    opened: list[str] = []
    for depth, kind, number, body in entries:
        level = int(depth)
        while len(opened) > level or (len(opened) == level and kind and opened[-1] != kind):
            out.append(f"</li></{opened.pop()}>")
        if len(opened) == level:
            out.append(f"</li><li>{body}" if kind else f"<br>{body}")
            continue
        while len(opened) < level - 1:
            opened.append("ul")
            out.append(f"<ul>{_UNMARKED}")
        opened.append(kind or "ul")
        start = f' start="{number}"' if number not in ("", "1") else ""
        out.append(f"<{opened[-1]}{start}>{'<li>' if kind else _UNMARKED}{body}")
    return "".join(out) + "".join(f"</li></{kind}>" for kind in reversed(opened))
