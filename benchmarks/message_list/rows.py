"""The rival in Qt: virtualised rows of QTextBrowser, each message parsed whole by Qt's own Markdown reader.

It is written to be good at what it does: only rows that meet the view have a widget, widgets are reused, heights are
kept per message, parsed rows stay warm for a while, and what is read keeps its place when a height proves wrong.
"""

from __future__ import annotations

from collections import OrderedDict

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent, QTextDocument
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QTextBrowser, QWidget

from benchmarks.message_list.rows_colours import colour_code
from deepchat_desktop.domain.blocks import TextBlock, text_of
from deepchat_desktop.presenters.message_list_model import MessageListModel
from deepchat_desktop.ui import fonts

COLUMN, GAP, WARM = 760, 20, 48
"""Width of a row and space between rows in px; rows kept beside the visible ones."""


class Heights:
    """Row heights in a Fenwick tree: the top of a row and the row at a place in O(log n)."""

    def __init__(self, heights: list[int]) -> None:
        self._heights = heights
        self._tree = [0] * (len(heights) + 1)
        for at, height in enumerate(heights, 1):
            self._tree[at] += height
            if (above := at + (at & -at)) < len(self._tree):
                self._tree[above] += self._tree[at]

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, row: int) -> int:
        return self._heights[row]

    def set(self, row: int, height: int) -> int:
        """Change a height; return by how much."""
        by = height - self._heights[row]
        self._heights[row] = height
        at = row + 1
        while by and at < len(self._tree):
            self._tree[at] += by
            at += at & -at
        return by

    def top(self, row: int) -> int:
        total = 0
        while row:
            total += self._tree[row]
            row &= row - 1
        return total

    def row_at(self, y: int) -> int:
        row, step = 0, 1 << (len(self._heights).bit_length())
        while step:
            if row + step < len(self._tree) and self._tree[row + step] <= y:
                row += step
                y -= self._tree[row]
            step >>= 1
        return min(row, len(self._heights) - 1)


def _browser(parent: QWidget) -> QTextBrowser:
    made = QTextBrowser(parent)
    made.setFrameShape(QFrame.Shape.NoFrame)
    made.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    made.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    made.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)  # the wheel belongs to the list
    made.document().setDocumentMargin(0)
    made.document().setUndoRedoEnabled(False)
    made.setFont(fonts.font(fonts.BODY))
    return made


class RowList(QAbstractScrollArea):
    """The view of a ``MessageListModel``. It follows new text while its end is in view."""

    def __init__(self, model: MessageListModel) -> None:
        super().__init__()
        self._model = model
        self._heights = Heights([])
        self._rows: OrderedDict[int, QTextBrowser] = OrderedDict()
        self._spare: list[QTextBrowser] = []
        self._visible: set[int] = set()
        self._placing = False
        self.parsed = 0
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.verticalScrollBar().setSingleStep(24)
        self.verticalScrollBar().valueChanged.connect(lambda _: None if self._placing else self._place())
        model.reset.connect(self._on_reset)
        model.message_added.connect(self._on_added)
        model.block_text.connect(lambda row, _block, _text: self._on_change(row))
        model.block_changed.connect(lambda row, _block: self._on_change(row))

    def find_all(self, words: str) -> int:
        """Return how often words are in the messages, upper and lower case alike."""
        wanted = words.casefold()
        return sum(self._text(row).casefold().count(wanted) for row in range(self._model.count()))

    def _text(self, row: int) -> str:
        blocks = self._model.message(row).blocks
        return blocks[0].text if len(blocks) == 1 and isinstance(blocks[0], TextBlock) else text_of(tuple(blocks))

    def _estimate(self, text: str) -> int:
        return max(22, 22 * (len(text) // 90 + text.count("\n"))) + GAP

    def _on_reset(self) -> None:
        for row in list(self._rows):
            self._let_go(row)
        self._heights = Heights([self._estimate(self._text(row)) for row in range(self._model.count())])
        self._to_end()

    def _on_added(self, row: int) -> None:
        end = self._at_end()
        heights = [self._heights[at] for at in range(len(self._heights))]
        self._heights = Heights([*heights, self._estimate(self._text(row))])
        self._to_end() if end else self._place()

    def _on_change(self, row: int) -> None:
        end = self._at_end()
        if row in self._rows:
            self._parse(row, self._rows[row])
        self._to_end() if end else self._place()

    def _at_end(self) -> bool:
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum()

    def _to_end(self) -> None:
        total, high = self._heights.top(len(self._heights)), self.viewport().height()
        self._fit_between(total - high, total, from_end=True)
        self._range()
        self._place(self.verticalScrollBar().maximum())

    def _range(self) -> None:
        bar, high = self.verticalScrollBar(), self.viewport().height()
        self._placing = True
        bar.setRange(0, max(0, self._heights.top(len(self._heights)) - high))
        bar.setPageStep(high)
        self._placing = False

    def _fit_between(self, top: int, bottom: int, *, from_end: bool = False) -> None:
        """Parse what will be shown at the end before its place is decided."""
        row = len(self._heights) - 1
        left = bottom - top
        while from_end and row >= 0 and left > 0:
            self._widget(row)
            left -= self._heights[row]
            row -= 1

    def _place(self, value: int | None = None) -> None:
        """Show the rows that meet the view; the row at the top keeps its place while heights are found."""
        if not len(self._heights):
            return
        bar, high = self.verticalScrollBar(), self.viewport().height()
        value = bar.value() if value is None else value
        first = row = self._heights.row_at(value)
        offset = value - self._heights.top(first)
        y, visible = -offset, set[int]()
        while row < len(self._heights) and y < high:
            widget = self._widget(row)
            widget.move((self.viewport().width() - widget.width()) // 2, y)
            visible.add(row)
            y += self._heights[row]
            row += 1
        for row in self._visible - visible:
            if row in self._rows:
                self._rows[row].hide()
        for row in visible:
            self._rows[row].show()
        self._visible = visible
        self._range()
        self._placing = True
        bar.setValue(self._heights.top(first) + offset)
        self._placing = False
        self._trim()

    def _widget(self, row: int) -> QTextBrowser:
        if (widget := self._rows.get(row)) is not None:
            self._rows.move_to_end(row)
            return widget
        widget = self._spare.pop() if self._spare else _browser(self.viewport())
        self._rows[row] = widget
        self._parse(row, widget)
        return widget

    def _parse(self, row: int, widget: QTextBrowser) -> None:
        self.parsed += 1
        width = min(COLUMN, self.viewport().width() - 40)
        document = widget.document()
        widget.setUpdatesEnabled(False)
        document.setMarkdown(self._text(row), QTextDocument.MarkdownFeature.MarkdownNoHTML
                             | QTextDocument.MarkdownFeature.MarkdownDialectGitHub)  # fmt: skip
        colour_code(document)
        self._fit(row, widget, width)
        widget.setUpdatesEnabled(True)

    def _fit(self, row: int, widget: QTextBrowser, width: int) -> None:
        document = widget.document()
        document.setTextWidth(width)
        height = round(document.size().height())
        widget.resize(width, height)
        self._heights.set(row, height + GAP)

    def _let_go(self, row: int) -> None:
        widget = self._rows.pop(row)
        widget.hide()
        self._visible.discard(row)
        self._spare.append(widget)

    def _trim(self) -> None:
        for row in list(self._rows):
            if len(self._rows) <= WARM + len(self._visible):
                break
            if row not in self._visible:
                self._let_go(row)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        end = self._at_end()
        width = min(COLUMN, self.viewport().width() - 40)
        for row in [row for row, widget in self._rows.items() if widget.width() != width]:
            if row in self._visible:
                self._fit(row, self._rows[row], width)
            else:
                self._let_go(row)
        self._to_end() if end else self._place()

    def viewportEvent(self, event: QEvent) -> bool:
        return False if event.type() == QEvent.Type.Paint else super().viewportEvent(event)
