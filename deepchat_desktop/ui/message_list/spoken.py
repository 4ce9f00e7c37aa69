"""The objects behind what a screen reader sees: the messages of a list and the blocks of a message.

Invariant: one is made when it is first asked for; all of a list are let go of when its messages are replaced.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QRect

from deepchat_desktop.presenters.message_list_model import MessageListModel
from deepchat_desktop.ui.message_list import tail_cells

if TYPE_CHECKING:
    from deepchat_desktop.ui.message_list.message_list import MessageList


class Spoken(QObject):
    """A message (``cell`` is -1) or one of its blocks; its parent is the list or the message."""

    def __init__(self, parent: QObject, view: "MessageList", model: MessageListModel, row: int, cell: int = -1) -> None:
        super().__init__(parent)
        self._view, self._model = view, model
        self._row, self._cell = row, cell
        self._children: dict[int, Spoken] = {}

    def is_message(self) -> bool:
        """Tell whether this is a message."""
        return self._cell < 0

    def index(self) -> int:
        """Return its place in its parent."""
        return self._row if self.is_message() else self._cell

    def _alive(self) -> bool:
        return self._row < self._model.count() and self._row < len(self._view.layout_.entries)

    def count(self) -> int:
        """Return the number of blocks of a message."""
        return len(self._view.layout_.entry(self._row).cells) if self.is_message() and self._alive() else 0

    def child(self, index: int) -> "Spoken":
        """Return a block of a message."""
        if index not in self._children:
            self._children[index] = Spoken(self, self._view, self._model, self._row, index)
        return self._children[index]

    def words(self) -> str:
        """Return what is read out."""
        if not self._alive():
            return ""
        if self.is_message():
            return tail_cells.name_of(self._model.message(self._row))
        cells = self._view.layout_.entry(self._row).cells
        return cells[self._cell].name()[:4_000] if self._cell < len(cells) else ""

    def rect(self) -> QRect:
        """Return where it stands on the screen; nothing while it is out of view."""
        found = QRect()
        column = self._view.column()
        for placed in self._view.layout_.placed:
            if placed.row == self._row and self._cell in (-1, placed.index):
                found = found.united(QRect(column.left(), placed.y, column.width(), placed.bottom - placed.y))
        seen = found.intersected(self._view.viewport().rect())
        return QRect(self._view.viewport().mapToGlobal(seen.topLeft()), seen.size()) if not seen.isEmpty() else QRect(
            QPoint(), seen.size()
        )


class SpokenList(QObject):
    """The messages of a list."""

    def __init__(self, view: "MessageList", model: MessageListModel) -> None:
        super().__init__(view)
        self._view, self._model = view, model
        self._children: dict[int, Spoken] = {}

    def clear(self) -> None:
        """The messages are others now."""
        for child in self._children.values():
            child.deleteLater()
        self._children = {}

    def count(self) -> int:
        """Return the number of messages."""
        return len(self._view.layout_.entries)

    def child(self, row: int) -> Spoken:
        """Return a message."""
        if row not in self._children:
            self._children[row] = Spoken(self._view, self._view, self._model, row)
        return self._children[row]
