"""What a piece of Markdown is made of, as plain values: a flat list of items, each with its place.

Invariant: an item holds text to be shown and never a file name or address that something would load; a picture
carries its own bytes.
"""

from dataclasses import dataclass
from typing import Literal

Style = Literal["p", "h1", "h2", "h3"]


@dataclass(frozen=True)
class Span:
    """A run of text in one style. ``link`` is a target as written; ``image`` marks the stand-in of a picture.

    ``math`` is a formula as written, with its dollars; ``text`` is then the formula alone, or what is shown for it.
    """

    text: str
    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    link: str = ""
    image: bool = False
    raised: bool = False
    math: str = ""


@dataclass(frozen=True)
class Place:
    """Where an item stands: depth of lists and of quotes; ``marker`` is drawn before the first item of an entry."""

    level: int = 0
    quote: int = 0
    marker: str = ""


@dataclass(frozen=True)
class TextItem:
    """A paragraph or a heading."""

    spans: tuple[Span, ...]
    style: Style
    place: Place


@dataclass(frozen=True)
class CodeItem:
    """A code block. ``language`` is the first word of the fence, as written."""

    text: str
    language: str
    place: Place


@dataclass(frozen=True)
class MathItem:
    """A formula on lines of its own. ``source`` is it as written."""

    tex: str
    source: str
    place: Place


@dataclass(frozen=True)
class TableItem:
    """Rows of cells, the head first. ``aligns`` has one of "left", "right", "center" for each column."""

    rows: tuple[tuple[tuple[Span, ...], ...], ...]
    aligns: tuple[str, ...]
    place: Place


@dataclass(frozen=True)
class RuleItem:
    """A thematic break."""

    place: Place


@dataclass(frozen=True)
class PictureItem:
    """A picture whose bytes stand in the text itself (a ``data:`` address). ``data`` is base 64."""

    media_type: str
    data: str
    alt: str
    place: Place


Item = TextItem | CodeItem | MathItem | TableItem | RuleItem | PictureItem
FORMULA_MARK = "\ufffc"
"""Stands for a formula that is drawn."""
NOTE_LINK = "#note-"
"""What the target of a footnote's mark begins with; its label follows."""

BULLET, UNCHECKED, CHECKED = "•", "☐", "☑"
