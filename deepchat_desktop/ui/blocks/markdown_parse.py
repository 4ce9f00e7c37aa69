"""Markdown to items through markdown-it-py's tokens; no HTML string is ever made or read (MD-2).

Invariants: no I/O; raw HTML is text; only ``data:`` pictures of four raster types become pictures, every other
one becomes its alternative text and host; invisible and reordering characters are shown (MD-5). A text that is
longer than ``MAX_CHARS`` is shown as plain text (MD-6). The parser is imported when first used.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from deepchat_desktop.domain.visible_text import visible_prose
from deepchat_desktop.ui.blocks import markdown_rules
from deepchat_desktop.ui.blocks.markdown_items import (
    BULLET,
    CHECKED,
    NOTE_LINK,
    UNCHECKED,
    CodeItem,
    Item,
    MathItem,
    PictureItem,
    Place,
    RuleItem,
    Span,
    Style,
    TableItem,
    TextItem,
)
from deepchat_desktop.ui.blocks.scanner import Part

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MAX_CHARS = 200_000
DEEPEST = 60
"""Levels of lists and quotes; a piece that goes deeper is shown as plain text."""
_DATA = re.compile(r"data:(image/(?:png|jpeg|gif|webp));base64,([A-Za-z0-9+/=]+)$")
_TASK = re.compile(r"\[([ xX])\]\s+")
_STYLES: dict[str, Style] = {"h1": "h1", "h2": "h2"}


@dataclass
class References:
    """Link definitions and footnotes' labels of a message, as the parser keeps them; it adds to them."""

    links: dict[str, object] = field(default_factory=dict)
    notes: dict[str, dict[str, int]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.links or self.notes)

    def copy(self) -> "References":
        """Return references that can be added to without changing these."""
        return References(dict(self.links), {key: dict(labels) for key, labels in self.notes.items()})


@lru_cache(maxsize=1)
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    options = {"html": False, "linkify": True, "maxNesting": DEEPEST}
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough", "linkify"])
    markdown_rules.add(parser)
    return parser


def parse(source: str, references: References | None = None, number: int = 0) -> tuple[Item, ...]:
    """Return the items of a piece. ``references`` is shared by the pieces of one message.

    ``number`` is that of the first entry, where a numbered list goes on in the piece.
    """
    if len(source) > MAX_CHARS:
        return (TextItem((Span(visible_prose(source)),), "p", Place()),)
    return tuple(item for _, items in parse_with_lines(source, references, number) for item in items)


def parse_with_lines(
    source: str, references: References | None = None, number: int = 0
) -> list[tuple[int, tuple[Item, ...]]]:
    """Return the items of each outermost block, with the number of the line that it begins in."""
    shown = visible_prose(source)
    known = references if references is not None else References()
    made: list[tuple[int, tuple[Item, ...]]] = []
    block: list[Token] = []
    depth = 0
    for token in _parser().parse(shown, {"references": known.links, "footnotes": known.notes}):
        if number and not made and not block and token.type == "ordered_list_open":
            token.attrSet("start", number)
        depth += token.nesting
        block.append(token)
        if depth == 0:
            made.append((block[0].map[0] if block[0].map else 0, _items_of(block, shown)))
            block = []
    return made


def _items_of(block: "Sequence[Token]", source: str) -> tuple[Item, ...]:
    """Return the items of one outermost block, as plain text where the parser did not go to its ground."""
    if block[0].map and any(token.level >= DEEPEST - 1 for token in block):
        lines = source.split("\n")[block[0].map[0] : block[0].map[1]]
        return (TextItem((Span("\u2028".join(lines)),), "p", Place()),)
    reader = _Reader()
    for token in block:
        reader.take(token)
    return tuple(reader.items)


def parse_part(text: str, part: Part, references: References | None = None) -> tuple[Item, ...]:
    """Return the items of one part of ``text``; a later part of a table begins with the table's head again."""
    source = text[part.start : part.end]
    if part.flow:
        level = 1 if part.kind == "list" else 0
        return _flowing(source, Place(level, part.quote))
    if part.kind == "table" and not part.first:
        source = text[part.head[0] : part.head[1]] + source
    return parse(source, references, part.number)


def _flowing(source: str, place: Place) -> tuple[Item, ...]:
    """Read the middle of a paragraph: a line that looks like a list or heading is none."""
    (token,) = _parser().parseInline(visible_prose(source).strip())
    spans, _ = spans_of(token.children or [])
    return (TextItem(spans, "p", place),)


class _Reader:
    """Walks block tokens and keeps track of lists, quotes and the table in hand."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self._lists: list[int | None] = []
        self._quotes = 0
        self._marker = ""
        self._style: Style = "p"
        self._rows: list[list[tuple[Span, ...]]] = []
        self._aligns: list[str] = []
        self._in_cell = False

    def take(self, token: "Token") -> None:
        """Take one block token."""
        match token.type:
            case "fence" | "code_block":
                words = token.info.split()
                self.items.append(CodeItem(token.content.removesuffix("\n"), words[0] if words else "", self._place()))
            case "math_block":
                self.items.append(MathItem(token.content, token.markup, self._place()))
            case "hr":
                self.items.append(RuleItem(self._place()))
            case "inline":
                self._inline(token)
            case "heading_open":
                self._style = _STYLES.get(token.tag, "h3")
            case "heading_close":
                self._style = "p"
            case "blockquote_open":
                self._quotes += 1
            case "blockquote_close":
                self._quotes -= 1
            case _:
                self._nested(token)

    def _nested(self, token: "Token") -> None:
        match token.type:
            case "bullet_list_open":
                self._lists.append(None)
            case "ordered_list_open":
                self._lists.append(int(token.attrs.get("start", 1)))
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
            case "list_item_open":
                self._marker = self._next_marker()
            case "list_item_close":
                self._finish_entry()
            case "footnote_reference_open":
                self._lists.append(None)
                self._marker = f"{token.meta['label']}."
            case "footnote_reference_close":
                self._finish_entry()
                self._lists.pop()
            case _:
                self._table(token)

    def _table(self, token: "Token") -> None:
        match token.type:
            case "table_open":
                self._rows, self._aligns = [], []
            case "tr_open":
                self._rows.append([])
            case "th_open" | "td_open":
                self._in_cell = True
                if len(self._rows) == 1:
                    style = str(token.attrGet("style") or "text-align:left")
                    self._aligns.append(style.removeprefix("text-align:"))
            case "th_close" | "td_close":
                self._in_cell = False
            case "table_close":
                rows = tuple(tuple(row) for row in self._rows)
                self.items.append(TableItem(rows, tuple(self._aligns), self._place()))
            case _:
                pass

    def _place(self) -> Place:
        marker, self._marker = self._marker, ""
        return Place(len(self._lists), self._quotes, marker)

    def _next_marker(self) -> str:
        number = self._lists[-1]
        if number is None:
            return BULLET
        self._lists[-1] = number + 1
        return f"{number}."

    def _finish_entry(self) -> None:
        if self._marker:
            self.items.append(TextItem((), "p", self._place()))

    def _inline(self, token: "Token") -> None:
        children = token.children or []
        if self._in_cell:
            self._rows[-1].append(spans_of(children)[0])
            return
        spans, pictures = spans_of(children)
        spans = self._without_task_box(spans)
        if spans or not pictures:
            self.items.append(TextItem(spans, self._style, self._place()))
        for media_type, data, alt in pictures:
            self.items.append(PictureItem(media_type, data, alt, self._place()))

    def _without_task_box(self, spans: tuple[Span, ...]) -> tuple[Span, ...]:
        found = _TASK.match(spans[0].text) if self._marker == BULLET and spans and not spans[0].code else None
        if found is None:
            return spans
        self._marker = UNCHECKED if found[1] == " " else CHECKED
        first = Span(spans[0].text[found.end() :], spans[0].bold, spans[0].italic, spans[0].strike)
        return (first, *spans[1:])


Picture = tuple[str, str, str]


def spans_of(children: Sequence["Token"]) -> tuple[tuple[Span, ...], list[Picture]]:
    """Return an inline token's runs, and its ``data:`` pictures as (media type, base 64, alternative text)."""
    spans: list[Span] = []
    pictures: list[Picture] = []
    depth = {"strong": 0, "em": 0, "s": 0}
    links: list[str] = []
    for token in children:
        name, _, edge = token.type.rpartition("_")
        if name in depth and edge in ("open", "close"):
            depth[name] += 1 if edge == "open" else -1
        elif token.type == "link_open":
            links.append(str(token.attrGet("href") or ""))
        elif token.type == "link_close":
            links.pop()
        elif token.type == "image":
            _image(token, spans, pictures)
        elif token.type == "math_inline":
            spans.append(Span(token.content, math=token.markup))
        elif token.type == "footnote_ref":
            spans.append(Span(token.content, link=NOTE_LINK + token.content, raised=True))
        else:
            text = "\u2028" if token.type == "hardbreak" else " " if token.type == "softbreak" else token.content
            _append(spans, Span(text, depth["strong"] > 0, depth["em"] > 0, depth["s"] > 0,
                                token.type == "code_inline", links[-1] if links else ""))  # fmt: skip
    return tuple(spans), pictures


def _append(spans: list[Span], span: Span) -> None:
    """Add a run, joined to the one before when both look the same."""
    last = spans[-1] if spans else None
    if last is not None and not (span.code or last.math) and last == replace(span, text=last.text):
        spans[-1] = replace(span, text=last.text + span.text)
    elif span.text:
        spans.append(span)


def _image(token: "Token", spans: list[Span], pictures: list[Picture]) -> None:
    source = str(token.attrGet("src") or "")
    inline = _DATA.match(source)
    if inline:
        pictures.append((inline[1], inline[2], token.content))
    else:
        web = source.lower().startswith(("https://", "http://"))
        spans.append(Span(_stand_in(token.content, source), image=True, link=source if web else ""))


def _stand_in(alt: str, source: str) -> str:
    try:
        host = urlsplit(source).hostname or ""
    except ValueError:
        host = ""
    return " · ".join(part for part in (alt, host) if part)
