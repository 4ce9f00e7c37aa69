"""A part of a Markdown table: no frame, no stripes; a head over a stronger rule; scrolled sideways when too wide.

Invariants: all parts of one table share a ``Columns``, made from the first part, so their columns stand in line;
rows that come later are appended and the others are not built again.
"""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QBrush,
    QFontMetricsF,
    QPainter,
    QTextCursor,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
    QTextTableCellFormat,
    QTextTableFormat,
)

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks import html_write, markdown_write
from deepchat_desktop.ui.blocks.doc_build import SilentDocument, insert_spans, line_format
from deepchat_desktop.ui.blocks.doc_shape import DocShape
from deepchat_desktop.ui.blocks.markdown_items import Span, TableItem
from deepchat_desktop.ui.blocks.shape import Scene
from deepchat_desktop.ui.blocks.side_slide import SideSlide
from deepchat_desktop.ui.theme import theme

PAD = 12
_ALIGN = {"right": Qt.AlignmentFlag.AlignRight, "center": Qt.AlignmentFlag.AlignHCenter}
_WIDEST = 360
_NARROWEST = 160
"""A column is never pressed below its longest word, unless that is wider than this."""
Row = tuple[tuple[Span, ...], ...]


class Columns:
    """The widths that the parts of a table share, and how far they are scrolled."""

    def __init__(self) -> None:
        self.natural: list[float] = []
        self.least: list[float] = []
        self.slide = SideSlide()

    def take(self, rows: Sequence[Row]) -> bool:
        """Widen for rows; True if a width changed."""
        before = (self.natural, self.least)
        columns = list(zip(*rows, strict=True))
        natural = [min(_WIDEST, max(map(_width, column))) for column in columns]
        least = [min(n, max(map(_longest_word, c))) for n, c in zip(natural, columns, strict=True)]
        if len(self.natural) == len(natural):
            natural = [max(pair) for pair in zip(natural, self.natural, strict=True)]
            least = [max(pair) for pair in zip(least, self.least, strict=True)]
        self.natural, self.least = natural, least
        return before != (natural, least)


class TableShape(DocShape):
    """The head (in the first part) and some rows."""

    def __init__(self, item: TableItem, columns: Columns | None = None, *, first: bool = True) -> None:
        self._item = item
        self._first = first
        self.columns = columns if columns is not None else Columns()
        super().__init__(())

    def set_table(self, item: TableItem) -> None:
        """Show more or other rows. The owner fits anew."""
        old, self._item = self._rows(), item
        new = self._rows()
        pairs = zip(old, new, strict=False)
        same = next((row for row, (a, b) in enumerate(pairs) if a != b), min(len(old), len(new)))
        if item.rows[0] != self._head or same < len(old) - 1 or len(new) < len(old) or not old:
            self.document = self.build()
        elif same < len(new):
            self._append(same, len(old), new)
        self.width = 0

    def _append(self, same: int, known: int, rows: Sequence[Row]) -> None:
        """Fill the rows from ``same`` on; the last known one may have grown. Laid out once, at the end."""
        if self._first:
            self.columns.take(rows[same:])
        edit = QTextCursor(self.document)
        edit.beginEditBlock()
        if len(rows) > known:
            self._table.appendRows(len(rows) - known)
        for row in range(same, len(rows)):
            self._fill_row(row, rows[row])
        edit.endEditBlock()

    def _rows(self) -> tuple[Row, ...]:
        return self._item.rows if self._first else self._item.rows[1:]

    def build(self) -> SilentDocument:
        self._head = self._item.rows[0]
        rows = self._rows()
        if self._first or not self.columns.natural:
            self.columns.take((self._head, *rows))
        self._asked: tuple[float, tuple[float, ...]] = (0.0, ())
        document = SilentDocument(self.formula_of)
        count = len(self._head)
        edit = QTextCursor(document)
        edit.beginEditBlock()
        self._table: QTextTable = edit.insertTable(max(1, len(rows)), count, self._format(780))
        for row, cells in enumerate(rows):
            self._fill_row(row, cells)
        edit.endEditBlock()
        return document

    def document_width(self, width: int) -> float:
        pads = 2 * PAD * (len(self.columns.least) - 1)
        wanted = max(float(width), sum(self.columns.least) + pads)
        asked = (wanted, tuple(self.columns.natural))
        if asked != self._asked:
            self._table.setFormat(self._format(wanted))
            self._asked = asked
        self.columns.slide.content_width, self.columns.slide.view_width = wanted, float(width)
        return wanted

    def document_height(self) -> float:
        frame = self.document.documentLayout().frameBoundingRect(self._table)
        return frame.bottom() + 1

    def origin(self) -> QPointF:
        return QPointF(-self.columns.slide.offset, 0)

    def slide(self, at: QPointF, dx: float, dy: float) -> bool:
        return self.columns.slide.by(dx)

    def grip(self, at: QPointF) -> SideSlide | None:
        return self.columns.slide if self.columns.slide.gripped(at.y(), self.height) else None

    def paint(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        p.save()
        p.setClipRect(QRectF(0, area.top(), self.width, area.height()), Qt.ClipOperation.IntersectClip)
        super().paint(p, QRectF(0, area.top(), self.width, area.height()), scene)
        p.restore()
        self.columns.slide.paint(p, self.height)

    def caret(self, position: int) -> QRectF:
        # The document has an empty paragraph before and one after the table.
        return super().caret(max(1, min(position, self.length() - 1)))

    def _painted_selection(self, start: int, end: int) -> QAbstractTextDocumentLayout.Selection:
        return super()._painted_selection(max(1, start), min(end, self.length() - 1))

    def table_at(self, at: QPointF) -> "TableShape":
        return self

    def text_between(self, start: int, end: int) -> str:
        rows = []
        for row in range(self._table.rows()):
            cells = (self._table.cellAt(row, column) for column in range(self._table.columns()))
            chosen = [(max(start, c.firstPosition()), min(end, c.lastPosition())) for c in cells]
            words = [super(TableShape, self).text_between(a, b) for a, b in chosen if a <= b]
            if words:
                rows.append("\t".join(words))
        return "\n".join(rows)

    def _chosen(self, start: int, end: int) -> list[Row]:
        """Return the head and the rows that meet a range."""
        chosen = [
            cells
            for row, cells in enumerate(self._rows())
            if self._table.cellAt(row, 0).firstPosition() <= end
            and self._table.cellAt(row, len(cells) - 1).lastPosition() >= start
        ]
        return [self._head, *(row for row in chosen if row is not self._head)]

    def plain_between(self, start: int, end: int) -> str:
        return self.text_between(start, end)

    def markdown_between(self, start: int, end: int) -> str:
        return markdown_of(self._chosen(start, end), self._item.aligns)

    def html_between(self, start: int, end: int) -> str:
        return html_write.table(self._chosen(start, end), self._item.aligns)

    def _format(self, width: float) -> QTextTableFormat:
        form = QTextTableFormat()
        form.setCellPadding(0)
        form.setCellSpacing(0)
        form.setBorder(0)
        form.setBorderCollapse(True)
        form.setMargin(0)
        form.setWidth(QTextLength(QTextLength.Type.FixedLength, width))
        shares = self._shares(width)
        form.setColumnWidthConstraints([QTextLength(QTextLength.Type.PercentageLength, share) for share in shares])
        return form

    def _shares(self, width: float) -> list[float]:
        """Return column widths in percent: what each needs, and the rest in proportion."""
        natural, least = self.columns.natural, self.columns.least
        count = len(natural)
        pads = [PAD * ((i > 0) + (i < count - 1)) for i in range(count)]
        room = width - sum(pads)
        wanted = natural
        if sum(wanted) > room:
            spare, asked = room - sum(least), sum(wanted) - sum(least)
            share = max(0.0, spare / asked) if asked else 0.0
            wanted = [low + (n - low) * share for n, low in zip(natural, least, strict=True)]
        extra = max(0.0, room - sum(wanted)) / count
        return [100 * (w + pad + extra) / width for w, pad in zip(wanted, pads, strict=True)]

    def _fill_row(self, row: int, cells: Row) -> None:
        for column, spans in enumerate(cells):
            self._fill(row, column, spans, head=self._first and row == 0)

    def _fill(self, row: int, column: int, spans: Sequence[Span], *, head: bool) -> None:
        cell = self._table.cellAt(row, column)
        cell.setFormat(_cell_format(column, self._table.columns(), head=head))
        cursor = cell.firstCursorPosition()
        block = line_format(fonts.line_height(fonts.CONTROL))
        block.setAlignment(_ALIGN.get(self._item.aligns[column], Qt.AlignmentFlag.AlignLeft))
        cursor.setBlockFormat(block)
        cursor.setPosition(cell.lastPosition(), QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        insert_spans(cursor, spans, fonts.CONTROL, fonts.SEMIBOLD if head else fonts.REGULAR, muted=head)


def _cell_format(column: int, columns: int, *, head: bool) -> QTextTableCellFormat:

    form = QTextTableCellFormat()
    form.setTopPadding(6)
    form.setBottomPadding(9)
    form.setLeftPadding(PAD if column else 0)
    form.setRightPadding(PAD if column < columns - 1 else 0)
    form.setBottomBorder(1)
    form.setBottomBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    form.setBottomBorderBrush(QBrush(theme.line2 if head else theme.line))
    return form


def markdown_of(rows: Sequence[Row], aligns: Sequence[str]) -> str:
    """Return rows, the head first, as a Markdown table."""
    marks = {"right": "---:", "center": ":---:"}
    lines = ["| " + " | ".join(markdown_write.spans(cell) for cell in row) + " |" for row in rows]
    lines.insert(1, "| " + " | ".join(marks.get(align, "---") for align in aligns) + " |")
    return "\n".join(lines)


def _width(spans: Sequence[Span]) -> float:
    widths = (_metrics(span).horizontalAdvance(span.math or span.text) + (14 if _chip(span) else 0) for span in spans)
    return sum(widths) + 2


def _longest_word(spans: Sequence[Span]) -> float:
    words = [(span, word) for span in spans for word in ([span.math] if span.math else span.text.split())]
    widths = (_metrics(span).horizontalAdvance(word) + (16 if _chip(span) else 2) for span, word in words)
    return min(_NARROWEST, max(widths, default=24))


def _chip(span: Span) -> bool:
    """Tell whether a run may stand in mono: a formula does until it is drawn, and its source is the wider one."""
    return span.code or bool(span.math)


def _metrics(span: Span) -> QFontMetricsF:
    chip = _chip(span)
    return fonts.metrics(fonts.META if chip else fonts.CONTROL, fonts.SEMIBOLD, mono=chip)
