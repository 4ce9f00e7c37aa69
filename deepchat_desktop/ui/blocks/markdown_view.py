"""Markdown text as parts: cut into pieces, each piece read once, only the open last one read again.

Invariants: a closed piece keeps its widgets; ``rendered`` counts the pieces that were read, so a test can tell
that a stream costs its open piece and not the message.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtWidgets import QWidget

from deepchat_desktop.ui.blocks.code_view import CodeView
from deepchat_desktop.ui.blocks.doc_view import DocView
from deepchat_desktop.ui.blocks.markdown_gaps import gap
from deepchat_desktop.ui.blocks.markdown_items import (
    CodeItem,
    Item,
    PictureItem,
    Place,
    RuleItem,
    TableItem,
    TextItem,
)
from deepchat_desktop.ui.blocks.markdown_parse import References, parse
from deepchat_desktop.ui.blocks.markdown_split import Piece, resume_at, split
from deepchat_desktop.ui.blocks.part import QUOTE_INDENT, TEXT_INDENT, Part, TextPart
from deepchat_desktop.ui.blocks.picture_view import PictureView
from deepchat_desktop.ui.blocks.table_view import TableView

_DEFINES = re.compile(r"^[ >]*\[[^\]]+\]:", re.MULTILINE)
Group = tuple[Item, ...]
"""Items that share a widget: text stands together, everything else alone."""


@dataclass
class _Rendered:
    """A piece with its widgets."""

    source: str
    groups: list[Group] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    bottom: int = 0


class MarkdownView(Part):
    """An answer's text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rendered = 0
        self._text = ""
        self._cuts: list[Piece] = []
        self._pieces: list[_Rendered] = []
        self._references: References = {}
        self._fitted = 0
        """How many pieces, from the first, are fitted and placed at ``_fitted_width``."""
        self._fitted_width = 0

    def text_parts(self) -> list[TextPart]:
        """Return the parts with text, in reading order."""
        return [part for piece in self._pieces for part in piece.parts if isinstance(part, TextPart)]

    def set_text(self, text: str, *, open: bool = False) -> None:
        """Show ``text``; ``open`` while more is to come. The owner fits anew."""
        kept = self._cut(text)
        if not open and self._take_references():
            kept = 0
        for index in range(kept, len(self._cuts)):
            cut = self._cuts[index]
            last = index == len(self._cuts) - 1
            self._render(index, text[cut.start : cut.end], open=open and last)
        for piece in self._pieces[len(self._cuts) :]:
            _drop(piece.parts)
        del self._pieces[len(self._cuts) :]
        self._fitted = min(self._fitted, len(self._pieces))

    def _cut(self, text: str) -> int:
        """Cut the text; return how many pieces from the first are as they were."""
        kept: list[Piece] = []
        start = 0
        if self._cuts and text.startswith(self._text):
            start = resume_at(self._cuts, self._text)
            kept = [cut for cut in self._cuts[-2:] if cut.end <= start]
            kept = self._cuts[:-2] + kept
        self._cuts = kept + split(text, start)
        self._text = text
        return len(kept)

    def _take_references(self) -> bool:
        """Read the link definitions; True if they changed.

        Only when the text is whole: half a definition would name half a target.
        """
        found: References = {}
        for cut in self._cuts:
            if _DEFINES.search(self._text, cut.start, cut.end):
                parse(self._text[cut.start : cut.end], found)
        if found != self._references:
            self._references = found
            for piece in self._pieces:
                if "[" in piece.source:
                    piece.source = ""
            return True
        return False

    def _render(self, index: int, source: str, *, open: bool) -> None:
        if index == len(self._pieces):
            self._pieces.append(_Rendered(source))
        elif self._pieces[index].source == source and (open or index < len(self._cuts) - 1):
            return
        self._pieces[index].source = source
        self._fill(index, open=open)

    def _fill(self, index: int, *, open: bool) -> None:
        piece = self._pieces[index]
        self.rendered += 1
        self._fitted = min(self._fitted, index)
        groups = _grouped(parse(piece.source, dict(self._references)))
        kept = 0
        for group, part in zip(groups, piece.parts, strict=False):
            if not _update(part, group, open=open):
                break
            kept += 1
        _drop(piece.parts[kept:])
        piece.parts[kept:] = [self._make(group, open=open) for group in groups[kept:]]
        piece.groups = groups

    def _make(self, group: Group, *, open: bool) -> Part:
        first = group[0]
        part: Part
        match first:
            case CodeItem():
                part = CodeView(self)
            case TableItem():
                part = TableView(first, self)
            case PictureItem():
                part = PictureView(first.media_type, first.data, first.alt, self)
            case TextItem() | RuleItem():
                part = DocView([item for item in group if isinstance(item, TextItem | RuleItem)], self)
        if isinstance(part, CodeView):
            _update(part, group, open=open)
        part.show()
        return part

    def fit(self, width: int) -> int:
        first = self._fitted if width == self._fitted_width else 0
        y = self._pieces[first - 1].bottom if first else 0
        before = self._last_item(first)
        for piece in self._pieces[first:]:
            for group, part in zip(piece.groups, piece.parts, strict=True):
                indent = _indent(group[0])
                y += gap(before, group[0])
                part.move(indent, y)
                y += part.fit(max(80, width - indent))
                before = group[-1]
            piece.bottom = y
        self._fitted, self._fitted_width = len(self._pieces), width
        self.resize(width, y)
        return y

    def _last_item(self, end: int) -> Item | None:
        """Return the last item above a piece."""
        above = (piece.groups[-1][-1] for piece in reversed(self._pieces[:end]) if piece.groups)
        return next(above, None)


def _indent(item: Item) -> int:
    """Return how far a widget of its own is indented; text indents within its document."""
    if isinstance(item, TextItem | RuleItem):
        return 0
    place: Place = item.place
    return place.level * TEXT_INDENT + place.quote * QUOTE_INDENT


def _grouped(items: Sequence[Item]) -> list[Group]:
    groups: list[list[Item]] = []
    for item in items:
        if groups and isinstance(item, TextItem | RuleItem) and isinstance(groups[-1][-1], TextItem | RuleItem):
            groups[-1].append(item)
        else:
            groups.append([item])
    return [tuple(group) for group in groups]


def _update(part: Part, group: Group, *, open: bool) -> bool:
    """Give a part new content; False if it is of another kind."""
    first = group[0]
    if isinstance(part, TableView):
        if isinstance(first, TableItem):
            part.set_table(first)
            return True
    elif isinstance(part, DocView):
        texts = [item for item in group if isinstance(item, TextItem | RuleItem)]
        if len(texts) == len(group):
            part.set_items(texts)
            return True
    elif isinstance(part, CodeView) and isinstance(first, CodeItem):
        part.set_code(first.text, first.language, open=open)
        return True
    return isinstance(part, PictureView) and isinstance(first, PictureItem) and part.shows(first.media_type, first.data)


def _drop(parts: Sequence[Part]) -> None:
    for part in parts:
        part.hide()
        part.deleteLater()
