"""What spots, keys and the context menu do: open, copy, ask the window."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, QPoint, QPointF
from PySide6.QtGui import QGuiApplication

from deepchat_desktop.presenters.message_list_model import MessageListModel
from deepchat_desktop.ui.blocks.shape import Shape
from deepchat_desktop.ui.blocks.table_shape import TableShape
from deepchat_desktop.ui.blocks.text_block import TextCell
from deepchat_desktop.ui.controls import Menu
from deepchat_desktop.ui.message_list import clipboard, user_cells
from deepchat_desktop.ui.message_list.idle import codes_of
from deepchat_desktop.ui.message_list.layout import Placed
from deepchat_desktop.ui.message_list.selection import RICH_LIMIT

if TYPE_CHECKING:
    from deepchat_desktop.ui.message_list.message_list import MessageList

_ASKS = frozenset({"retry", "continue", "settings"})
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
        elif cell.shape is not None and cell.shape.act(action):
            self._view.unfolded()
            self._view.later(_COPIED_MS)

    def copy(self) -> None:
        """Put the selection on the clipboard; without one the clipboard stays."""
        selection = self._view.selection
        markdown = selection.markdown()
        if not markdown:
            return
        if len(markdown) > RICH_LIMIT:
            clipboard.put(markdown, None, None)
            return
        # What is selected may change before somebody asks for the other forms.
        kept = type(selection)(self._model, self._view.layout_)
        kept.anchor, kept.head = selection.anchor, selection.head
        clipboard.put(markdown, kept.plain, kept.html)

    def copy_message(self, row: int) -> None:
        """Put a whole message on the clipboard as Markdown."""
        QGuiApplication.clipboard().setText(self.message_markdown(row))

    def message_markdown(self, row: int) -> str:
        """Return a message's text as it was written."""
        message = self._model.message(row)
        if message.role == "user":
            return user_cells.source_of(message)
        return "\n\n".join(block.text.strip("\n") for block in message.blocks if block.kind == "text")

    def menu(self, where: QPoint, placed: Placed | None, at: QPointF) -> None:
        """Open the context menu for a block."""
        menu = Menu(self._view)
        copy = menu.addAction(_tr("Copy"), self.copy)
        copy.setEnabled(self._view.selection.bounds() is not None)
        if placed is not None:
            row = placed.row
            user = self._model.message(row).role == "user"
            words = _tr("Copy message") if user else _tr("Copy answer as Markdown")
            menu.addAction(words, lambda: self.copy_message(row))
            shape = placed.cell.shape
            if shape is not None:
                self._block_entries(menu, shape, placed, self._view.shape_point(placed, at))
        menu.addAction(_tr("Select all"), self._select_all)
        menu.popup(where)

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
