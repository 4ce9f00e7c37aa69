"""What is selected: from one place to another, over blocks and messages; and how it is copied.

Invariants: the selection is two places, never a list of parts, so selecting everything costs nothing; whole blocks
are copied from their source, and only the first and the last block are built for it.
"""

from collections.abc import Iterator
from typing import NamedTuple

from deepchat_desktop.presenters.message_list_model import MessageListModel
from deepchat_desktop.ui.blocks import html_write
from deepchat_desktop.ui.blocks.cell import Cell
from deepchat_desktop.ui.blocks.text_block import TextCell
from deepchat_desktop.ui.message_list import source
from deepchat_desktop.ui.message_list.layout import Layout

END = 1 << 60
RICH_LIMIT = 1_000_000
"""Above this many characters plain text is the Markdown and there is no rich text."""


class Place(NamedTuple):
    """A message, a block of it, and a character of that."""

    row: int
    cell: int
    position: int


class Selection:
    """The selection of one list."""

    def __init__(self, model: MessageListModel, layout: Layout) -> None:
        self._model, self._layout = model, layout
        self.anchor: Place | None = None
        self.head: Place | None = None

    def clear(self) -> None:
        """Select nothing."""
        self.anchor = self.head = None

    def set(self, anchor: Place, head: Place) -> None:
        """Select from one place to another."""
        self.anchor, self.head = anchor, head

    def select_all(self) -> None:
        """Select everything."""
        if self._model.count():
            self.set(Place(0, 0, 0), Place(self._model.count() - 1, END, END))

    def bounds(self) -> tuple[Place, Place] | None:
        """Return the first and the last place, None if nothing is selected."""
        if self.anchor is None or self.head is None or self.anchor == self.head:
            return None
        return min(self.anchor, self.head), max(self.anchor, self.head)

    def holds(self, place: Place) -> bool:
        """Tell whether a place lies within the selection."""
        found = self.bounds()
        return found is not None and found[0] <= place < found[1]

    def beginning(self) -> str:
        """Return the first words of what is selected, for a glance."""
        found = self.bounds()
        if found is None:
            return ""
        shape = self._layout.cell(found[0].row, found[0].cell).shape
        return shape.text_between(*self.within(*found[0][:2], shape.length())) if shape is not None else ""

    def copied(self) -> "Selection":
        """Return the same selection, which no later choice changes."""
        made = Selection(self._model, self._layout)
        made.anchor, made.head = self.anchor, self.head
        return made

    def within(self, row: int, index: int, length: int) -> tuple[int, int]:
        """Return the selected characters of a block."""
        found = self.bounds()
        if found is None or not found[0][:2] <= (row, index) <= found[1][:2]:
            return 0, 0
        start = found[0].position if found[0][:2] == (row, index) else 0
        end = min(found[1].position, length) if found[1][:2] == (row, index) else length
        return (start, end) if start < end else (0, 0)

    def markdown(self) -> str:
        """Return the selection as Markdown, messages apart by a blank line."""
        found = self.bounds()
        if found is None:
            return ""
        start, end = found
        between = self._model.plain_texts(start.row + 1, end.row)
        rows = [
            self._row_markdown(start.row, start, end),
            *(
                source.plain(*known) if known is not None else source.markdown(self._model.message(row))
                for row, known in enumerate(between, start.row + 1)
            ),
        ]
        if end.row > start.row:
            rows.append(self._row_markdown(end.row, start, end))
        return "\n\n".join(words for words in rows if words)

    def plain(self) -> str:
        """Return the selection as it reads, one block below the other."""
        words = (
            cell.shape.plain_between(low, high)
            for cell, low, high in self._built()
            if cell.shape is not None and (low < high)
        )
        return "\n".join(word for word in words if word)

    def html(self) -> str:
        """Return the selection as HTML made here."""
        return html_write.joined(
            cell.shape.html_between(low, high) for cell, low, high in self._built() if cell.shape and low < high
        )

    def _row_markdown(self, row: int, start: Place, end: Place) -> str:
        whole = (row > start.row or start[1:] == (0, 0)) and (row < end.row or end.cell == END)
        if whole:
            return source.markdown(self._model.message(row))
        pieces: list[str] = []
        before: TextCell | None = None
        for index, cell in self._cells(row, start, end):
            first, last = (row, index) == start[:2] and start.position, (row, index) == end[:2] and end.position < END
            words = self._part_markdown(row, index) if first or last else cell.markdown()
            if isinstance(cell, TextCell) and before is not None and before.text is cell.text and not cell.part.first:
                pieces[-1] += cell.markdown_exact() if not (first or last) else words
            elif words:
                pieces.append(words)
            before = cell if isinstance(cell, TextCell) and words else None
        return "\n\n".join(piece.strip("\n") for piece in pieces)

    def _part_markdown(self, row: int, index: int) -> str:
        cell = self._layout.cell(row, index)
        assert cell.shape is not None
        low, high = self.within(row, index, cell.shape.length())
        whole = (low, high) == (0, cell.shape.length())
        return cell.markdown() if whole else cell.shape.markdown_between(low, high)

    def _cells(self, row: int, start: Place, end: Place) -> Iterator[tuple[int, Cell]]:
        for index, cell in enumerate(self._layout.entry(row).cells):
            if start[:2] <= (row, index) <= end[:2]:
                yield index, cell

    def _built(self) -> Iterator[tuple[Cell, int, int]]:
        found = self.bounds()
        if found is None:
            return
        for row in range(found[0].row, found[1].row + 1):
            for index, _ in list(self._cells(row, *found)):
                cell = self._layout.cell(row, index)
                assert cell.shape is not None
                yield (cell, *self.within(row, index, cell.shape.length()))
