"""A Markdown table: no frame, no stripes; a head over a stronger rule; scrolled sideways when it is too wide."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import (
    QBrush,
    QFontMetricsF,
    QPaintEvent,
    QTextCursor,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
    QTextTableCellFormat,
    QTextTableFormat,
)
from PySide6.QtWidgets import QWidget

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks.doc_build import SilentDocument, insert_spans, line_format
from deepchat_desktop.ui.blocks.doc_view import DocView
from deepchat_desktop.ui.blocks.markdown_items import Span, TableItem
from deepchat_desktop.ui.blocks.side_scroll import SideScrollPart
from deepchat_desktop.ui.paint import painting
from deepchat_desktop.ui.theme import theme

PAD = 12
_ALIGN = {"right": Qt.AlignmentFlag.AlignRight, "center": Qt.AlignmentFlag.AlignHCenter}
_WIDEST = 360
_NARROWEST = 160
"""A column is never pressed below its longest word, unless that is wider than this."""


class TableView(DocView, SideScrollPart):
    """One table."""

    def __init__(self, item: TableItem, parent: QWidget | None = None) -> None:
        self._item = item
        super().__init__((), parent)

    def set_table(self, item: TableItem) -> None:
        """Replace the content. The owner fits anew."""
        self._item = item
        self._rebuild()

    def build(self) -> SilentDocument:
        columns = list(zip(*self._item.rows, strict=True))
        self._natural = [min(_WIDEST, max(map(_width, column))) for column in columns]
        self._least = [min(n, max(map(_longest_word, c))) for n, c in zip(self._natural, columns, strict=True)]
        document = SilentDocument()
        self._table = QTextCursor(document).insertTable(len(self._item.rows), len(columns), self._format(780))
        for row, cells in enumerate(self._item.rows):
            for column, spans in enumerate(cells):
                self._fill(self._table, row, column, spans)
        return document

    def document_width(self, width: int) -> float:
        pads = 2 * PAD * (len(self._least) - 1)
        wanted = max(float(width), sum(self._least) + pads)
        if self._table.format().width().rawValue() != wanted:
            self._table.setFormat(self._format(wanted))
        self.content_width = wanted
        return self.content_width

    def document_height(self) -> float:
        # The document ends in an empty block below the table.
        bottom = self.document.documentLayout().frameBoundingRect(self._table).bottom() + 1
        return bottom + (8 if self.scrollable() else 0)

    def fit(self, width: int) -> int:
        self.resize(width, self.height())
        return super().fit(width)

    def origin(self) -> QPointF:
        return QPointF(-self.offset, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        with painting(self) as p:
            self.paint_handle(p)

    def text_between(self, start: int, end: int) -> str:
        rows = []
        for row in range(self._table.rows()):
            cells = (self._table.cellAt(row, column) for column in range(self._table.columns()))
            chosen = [(max(start, c.firstPosition()), min(end, c.lastPosition())) for c in cells]
            words = [super(TableView, self).text_between(a, b) for a, b in chosen if a <= b]
            if words:
                rows.append("\t".join(words))
        return "\n".join(rows)

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
        count = len(self._natural)
        pads = [PAD * ((i > 0) + (i < count - 1)) for i in range(count)]
        room = width - sum(pads)
        wanted = self._natural
        if sum(wanted) > room:
            spare, asked = room - sum(self._least), sum(wanted) - sum(self._least)
            share = max(0.0, spare / asked) if asked else 0.0
            wanted = [least + (n - least) * share for n, least in zip(self._natural, self._least, strict=True)]
        extra = max(0.0, room - sum(wanted)) / count
        return [100 * (w + pad + extra) / width for w, pad in zip(wanted, pads, strict=True)]

    def _fill(self, table: QTextTable, row: int, column: int, spans: Sequence[Span]) -> None:
        cell = table.cellAt(row, column)
        form = QTextTableCellFormat()
        form.setTopPadding(6)
        form.setBottomPadding(9)
        form.setLeftPadding(PAD if column else 0)
        form.setRightPadding(PAD if column < table.columns() - 1 else 0)
        form.setBottomBorder(1)
        form.setBottomBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        form.setBottomBorderBrush(QBrush(theme.line if row else theme.line2))
        cell.setFormat(form)
        cursor = cell.firstCursorPosition()
        block = line_format(fonts.line_height(fonts.CONTROL))
        block.setAlignment(_ALIGN.get(self._item.aligns[column], Qt.AlignmentFlag.AlignLeft))
        cursor.setBlockFormat(block)
        insert_spans(cursor, spans, fonts.CONTROL, fonts.REGULAR if row else fonts.SEMIBOLD, muted=row == 0)


def _width(spans: Sequence[Span]) -> float:
    return sum(_metrics(span).horizontalAdvance(span.text) + (14 if span.code else 0) for span in spans) + 2


def _longest_word(spans: Sequence[Span]) -> float:
    words = [(span, word) for span in spans for word in span.text.split()]
    widths = (_metrics(span).horizontalAdvance(word) + (16 if span.code else 2) for span, word in words)
    return min(_NARROWEST, max(widths, default=24))


def _metrics(span: Span) -> QFontMetricsF:
    return fonts.metrics(fonts.META if span.code else fonts.CONTROL, fonts.SEMIBOLD, mono=span.code)
