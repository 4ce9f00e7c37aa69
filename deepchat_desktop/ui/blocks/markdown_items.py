"""What a piece of Markdown is made of, as plain values: a flat list of items, each with its place.

Invariant: an item holds text to be shown and never a file name or address that something would load; a picture
carries its own bytes.
"""

from dataclasses import dataclass
from typing import Literal

Style = Literal["p", "h1", "h2", "h3"]


@dataclass(frozen=True)
class Span:
    """A run of text in one style. ``link`` is a target as written; ``image`` marks the stand-in of a picture."""

    text: str
    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    link: str = ""
    image: bool = False


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


Item = TextItem | CodeItem | TableItem | RuleItem | PictureItem

BULLET, UNCHECKED, CHECKED = "•", "☐", "☑"
