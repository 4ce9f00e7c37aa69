"""A search of the web with its sources: a card that opens to titles, hosts and what the pages say.

Invariants: all of a source is foreign text, shown as plain text with invisible characters written out; a title is a
link only where the address may be opened, and the host stands beside it.
"""

from collections.abc import Sequence
from urllib.parse import urlsplit

from PySide6.QtCore import QCoreApplication, QRectF
from PySide6.QtGui import QPainter

from deepchat_desktop.domain.blocks import Block, SearchBlock, SearchSource
from deepchat_desktop.domain.visible_text import visible_exact, visible_prose
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks.cell import Cell, Choices
from deepchat_desktop.ui.blocks.column_shape import ColumnShape
from deepchat_desktop.ui.blocks.doc_shape import DocShape
from deepchat_desktop.ui.blocks.fold_paint import CARD_HEIGHT, Card, card_head
from deepchat_desktop.ui.blocks.markdown_items import Place, Span, TextItem
from deepchat_desktop.ui.blocks.plain_shape import PlainShape
from deepchat_desktop.ui.blocks.shape import Scene, Shape, Spot
from deepchat_desktop.ui.paint import hline, rr
from deepchat_desktop.ui.theme import theme

_PAD, _BETWEEN = 14, 10


def _tr(words: str) -> str:
    return QCoreApplication.translate("SearchBlock", words)


def host_of(url: str) -> str:
    """Return the host of a web address as it is called up, "" where there is none."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna").decode("ascii")
    except (ValueError, UnicodeError):
        return ""
    return host if parts.scheme in ("http", "https") else ""


def head_of(search: SearchBlock) -> Card:
    """Return what the head says."""
    query = visible_exact(search.query, multiline=False)
    match search.status:
        case "running":
            return Card("globe", _tr("Search"), query, None, _tr("Searching"), "muted")
        case "failed":
            why = visible_exact(search.why, multiline=False)
            words = f"{_tr('Failed')} · {why}" if why and len(why) <= 40 else _tr("Failed")
            return Card("globe", _tr("Search"), query, "warning-circle", words, "danger")
        case "done":
            count = len(search.sources)
            words = _tr("A source") if count == 1 else _tr("{count} sources").format(count=count)
            return Card("globe", _tr("Search"), query, "check-circle", words if count else _tr("Nothing found"), "ok")


def _title(source: SearchSource) -> DocShape:
    host = host_of(source.url)
    title = visible_prose(" ".join(source.title.split())) or host or visible_exact(source.url, multiline=False)
    return DocShape([TextItem((Span(title, link=source.url if host else ""),), "p", Place())])


class SearchShape(ColumnShape):
    """The head and, when it is open, the sources."""

    def __init__(self, search: SearchBlock, *, open: bool) -> None:
        super().__init__()
        self._search, self._open = search, open
        self.turning = search.status == "running"
        if not open:
            return
        self.shapes.append(PlainShape(search.query, fonts.CONTROL, "muted", exact=True))
        for source in search.sources:
            self.shapes.append(_title(source))
            said = [host_of(source.url) if source.title.strip() else "", " ".join(source.snippet.split())]
            if words := "  ·  ".join(part for part in said if part):
                self.shapes.append(PlainShape(words, fonts.CONTROL, "muted"))
        if search.why and not search.sources:
            self.shapes.append(PlainShape(search.why, fonts.CONTROL, "muted"))

    def fit(self, width: int) -> None:
        self.width = width
        y = CARD_HEIGHT + _PAD - 4
        self.places = []
        for shape in self.shapes:
            shape.fit(width - 2 * _PAD)
            y += 0 if isinstance(shape, PlainShape) else _BETWEEN
            self.places.append((_PAD, y))
            y += shape.height
        self.height = y + _PAD if self.shapes else CARD_HEIGHT

    def spots(self) -> list[Spot]:
        head = head_of(self._search)
        name = f"{head.name} {head.argument} {head.state}"
        return [Spot(QRectF(0, 0, self.width, CARD_HEIGHT), "toggle", name, self._open)]

    def paint(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        rr(p, QRectF(0, 0, self.width, self.height), 10, theme.surface, theme.line)
        lit = scene.lit == "toggle"
        card_head(p, self.width, head_of(self._search), open=self._open, lit=lit, degrees=scene.degrees)
        if self.shapes:
            hline(p, 1, CARD_HEIGHT, self.width - 2)
        super().paint(p, area, scene)


class SearchCell(Cell):
    """The card."""

    def __init__(self, choices: Choices, search: SearchBlock) -> None:
        super().__init__(choices.index)
        self._search = search
        self._open = choices.folds.get("open", False)

    def make(self) -> Shape:
        return SearchShape(self._search, open=self._open)

    def guess(self, width: int) -> int:
        return CARD_HEIGHT + (76 * len(self._search.sources) if self._open else 0)

    def markdown(self) -> str:
        head = head_of(self._search)
        lines = [f"**{head.name}** {head.argument} · {head.state}"]
        for source in self._search.sources:
            title = visible_prose(" ".join(source.title.split())) or source.url
            lines.append(f"- [{title}](<{source.url}>)" if host_of(source.url) else f"- {title}")
        return lines[0] if len(lines) == 1 else lines[0] + "\n\n" + "\n".join(lines[1:])

    def name(self) -> str:
        head = head_of(self._search)
        return f"{head.name} {head.argument} {head.state}"


def cells(block: Block, choices: Choices, old: Sequence[Cell]) -> list[Cell]:
    """Return the search's card."""
    return [SearchCell(choices, block)] if isinstance(block, SearchBlock) else []
