"""Items, or pieces of them, back to Markdown, for copying a part of a paragraph."""

from collections.abc import Iterator, Sequence

from deepchat_desktop.ui.blocks.markdown_items import BULLET, CHECKED, FORMULA_MARK, UNCHECKED, Span, TextItem
from deepchat_desktop.ui.blocks.text_steps import index_of, units

_HEADS = {"h1": "# ", "h2": "## ", "h3": "### ", "p": ""}
_PAD = 2
"""Characters of room beside a code run in the document."""


def item(shown: TextItem, start: int = 0, end: int = 1 << 30) -> str:
    """Return the Markdown of the places ``start`` to ``end`` (UTF-16 units) of an item as the document counts them."""
    body = spans(shown.spans, start, end)
    if start > 0:
        return body
    place = shown.place
    marker = {"": "", BULLET: "- ", CHECKED: "- [x] ", UNCHECKED: "- [ ] "}.get(place.marker, f"{place.marker} ")
    indent = "  " * max(0, place.level - 1)
    return "> " * place.quote + indent + marker + _HEADS[shown.style] + body


def spans(runs: Sequence[Span], start: int = 0, end: int = 1 << 30) -> str:
    """Return the Markdown of some places of runs."""
    return "".join(_span(run, words) for run, words in cut(runs, start, end))


def cut(runs: Sequence[Span], start: int, end: int) -> Iterator[tuple[Span, str]]:
    """Yield each run that lies between two places (UTF-16 units of the document), with its words there."""
    at = 0
    for run in runs:
        pad = _PAD if run.code or run.image else 0
        length = units(run.text)
        low, high = max(start - at - pad, 0), min(end - at - pad, length)
        if low < high:
            yield run, run.text[index_of(run.text, low) : index_of(run.text, high)]
        at += length + 2 * pad


def _span(run: Span, words: str) -> str:
    if run.math:
        return run.math if words in (FORMULA_MARK, run.text) else words
    if run.raised:
        return f"[^{words}]"
    if run.code:
        fence = "``" if "`" in words else "`"
        out = f"{fence}{words}{fence}"
    else:
        out = words.replace("\u2028", "  \n")
        mark = ("**" if run.bold else "") + ("*" if run.italic else "") + ("~~" if run.strike else "")
        core = out.strip()
        if mark and core:
            out = out.replace(core, f"{mark}{core}{mark[::-1]}", 1)
    return f"[{out}]({run.link})" if run.link else out
