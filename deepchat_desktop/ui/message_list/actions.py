"""What spots, keys and the context menu do: open, copy, ask the window."""

import re
from typing import TYPE_CHECKING, get_args

from PySide6.QtCore import QCoreApplication, QMimeData, QObject, QPoint, QPointF
from PySide6.QtGui import QGuiApplication, QKeySequence

from deepchat_desktop.presenters.message_list_model import MessageListModel
from deepchat_desktop.ui.blocks.error_words import Ask
from deepchat_desktop.ui.blocks.shape import Shape
from deepchat_desktop.ui.blocks.table_shape import TableShape
from deepchat_desktop.ui.blocks.text_block import TextCell
from deepchat_desktop.ui.controls import Menu
from deepchat_desktop.ui.dialogs.text_window import TextWindow
from deepchat_desktop.ui.message_list import clipboard, source
from deepchat_desktop.ui.message_list.idle import codes_of
from deepchat_desktop.ui.message_list.layout import Placed
from deepchat_desktop.ui.message_list.selection import END, RICH_LIMIT, Place, Selection

if TYPE_CHECKING:
    from deepchat_desktop.ui.message_list.message_list import MessageList

_ASKS = frozenset(get_args(Ask))
_COPIED_MS = 1_600


def _tr(words: str) -> str:
    return QCoreApplication.translate("MessageList", words)


class Actions(QObject):
    """The actions of one list."""

    def __init__(self, view: "MessageList", model: MessageListModel) -> None:
        super().__init__(view)
        self._view, self._model = view, model

    def press(self, row: int, index: int, action: str) -> None:
        """Do what a spot of a block asks."""
        layout = self._view.layout_
        cell = layout.cell(row, index)
        if action in _ASKS:
            self._view.asked.emit(action)
        elif action == "copy":
            self.copy_message(row)
        elif action in ("toggle", "group"):
            layout.entry(row).toggle(self._model.message(row), cell.block, action, layout.width)
            layout.measured(row)
            self._view.unfolded()
        elif action == "open_text":
            if (found := cell.full_text()) is not None:
                TextWindow(self._view.window(), *found).show()
        elif cell.shape is not None and cell.shape.act(action):
            self._view.unfolded()
            self._view.later(_COPIED_MS)

    def selected(self, selection: Selection | None = None) -> QMimeData | None:
        """Return the selection (or another) for other programs, None where it is empty; too long a one is told of."""
        kept = (selection if selection is not None else self._view.selection).copied()
        markdown = kept.markdown()
        if not markdown and kept.bounds() is None:
            return None
        if len(markdown) > RICH_LIMIT:
            size = f"{len(markdown) / 1_000_000:.1f}"
            self._view.notice.emit(_tr("{size} MB: copied as Markdown only, without formatting.").format(size=size))
            return clipboard.LazyText(markdown, None, None)
        return clipboard.LazyText(markdown, kept.plain, kept.html)

    def copy(self) -> None:
        """Put the selection on the clipboard; without one the clipboard stays."""
        data = self.selected()
        if data is not None:
            clipboard.put(data)

    def copy_plain(self) -> None:
        """Put the selection on the clipboard as it reads, without marks."""
        QGuiApplication.clipboard().setText(self._view.selection.plain())

    def copy_message(self, row: int) -> None:
        """Put a whole message on the clipboard as Markdown."""
        QGuiApplication.clipboard().setText(self.message_markdown(row))

    def copy_message_rich(self, row: int) -> None:
        """Put a whole message on the clipboard as it looks, for programs that take rich text."""
        data = self.selected(self._whole(row))
        if data is not None:
            clipboard.put(data)

    def copy_message_plain(self, row: int) -> None:
        """Put a whole message on the clipboard as it reads."""
        QGuiApplication.clipboard().setText(self._whole(row).plain())

    def _whole(self, row: int) -> Selection:
        made = Selection(self._model, self._view.layout_)
        made.set(Place(row, 0, 0), Place(row, END, END))
        return made

    def message_markdown(self, row: int) -> str:
        """Return a message's text as it was written."""
        return source.text(self._model.message(row))

    def to_note(self, row: int, label: str) -> None:
        """Go to the footnote of a message."""
        begins = re.compile(rf"^ {{0,3}}\[\^{re.escape(label)}\]:", re.MULTILINE)
        for index, cell in enumerate(self._view.layout_.entry(row).cells):
            if isinstance(cell, TextCell) and begins.search(cell.markdown_exact()):
                self._view.scroll_to_cell(row, index)
                return

    def menu(self, where: QPoint, placed: Placed | None, at: QPointF) -> None:
        """Open the context menu for a block."""
        menu = Menu(self._view)
        chosen = self._view.selection.bounds() is not None
        copy = menu.addAction(_tr("Copy"), QKeySequence(QKeySequence.StandardKey.Copy), self.copy)
        copy.setEnabled(chosen)
        menu.addAction(_tr("Copy as plain text"), self.copy_plain).setEnabled(chosen)
        if placed is not None:
            menu.addSeparator()
            self._message_entries(menu, placed.row)
            shape = placed.cell.shape
            if shape is not None:
                self._block_entries(menu, shape, placed, self._view.shape_point(placed, at))
        menu.addSeparator()
        menu.addAction(_tr("Select all"), QKeySequence(QKeySequence.StandardKey.SelectAll), self._select_all)
        menu.popup(where)

    def _message_entries(self, menu: Menu, row: int) -> None:
        if self._model.message(row).role == "user":
            menu.addAction(_tr("Copy message"), lambda: self.copy_message(row))
            return
        menu.addAction(_tr("Copy answer as Markdown"), lambda: self.copy_message(row))
        menu.addAction(_tr("Copy answer as plain text"), lambda: self.copy_message_plain(row))
        menu.addAction(_tr("Copy answer as rich text"), lambda: self.copy_message_rich(row))

    def _select_all(self) -> None:
        self._view.selection.select_all()
        self._view.viewport().update()

    def _block_entries(self, menu: Menu, shape: Shape, placed: Placed, at: QPointF) -> None:
        board = QGuiApplication.clipboard()
        table = shape.table_at(at)
        if isinstance(table, TableShape):
            menu.addAction(_tr("Copy table as text"), lambda: board.setText(self.table_text(placed, table)))
            menu.addAction(_tr("Copy table as Markdown"), lambda: board.setText(self.table_markdown(placed, table)))
        code = next(codes_of(shape), None)
        if code is not None:
            menu.addAction(_tr("Copy code"), lambda: board.setText(code.lines.raw()))
        link = shape.link_at(at)
        if link is not None:
            menu.addAction(_tr("Copy link address"), lambda: board.setText(link[0]))

    def _table_parts(self, placed: Placed) -> list[tuple[int, TextCell]]:
        """Return the cells of the table that a block is part of."""
        cells = self._view.layout_.entry(placed.row).cells
        if not isinstance(placed.cell, TextCell) or placed.cell.part.kind != "table":
            return []
        start = placed.cell.part.start if placed.cell.part.first else placed.cell.part.head[0]
        text = placed.cell.text
        return [
            (index, cell)
            for index, cell in enumerate(cells)
            if isinstance(cell, TextCell) and cell.text is text and cell.part.kind == "table"
            and start in (cell.part.start, cell.part.head[0])
        ]  # fmt: skip

    def table_text(self, placed: Placed, table: TableShape) -> str:
        """Return a whole table with tabs between the cells of a row."""
        parts = self._table_parts(placed)
        shapes = [self._view.layout_.cell(placed.row, index).shape for index, _ in parts] or [table]
        return "\n".join(shape.text_between(0, 1 << 60) for shape in shapes if shape is not None)

    def table_markdown(self, placed: Placed, table: TableShape) -> str:
        """Return a whole table as it was written."""
        parts = self._table_parts(placed)
        if not parts:
            return table.markdown_between(0, 1 << 60)
        return "".join(cell.markdown_exact() for _, cell in parts).strip("\n")
