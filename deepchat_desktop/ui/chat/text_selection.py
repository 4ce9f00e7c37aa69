"""Selecting text over all messages with the mouse, and copying it.

The parts ignore the mouse, so their events come to the owner of the column; a selection runs from a position in
one part to a position in another and covers everything between them.
"""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from deepchat_desktop.ui.blocks.part import TextPart

Place = tuple[int, int]
"""Index of a part, position within it."""


class TextSelection:
    """The selection of one column. ``parts`` gives the selectable parts in reading order."""

    def __init__(self, column: QWidget, parts: Callable[[], Sequence[TextPart]]) -> None:
        self._column = column
        self._parts = parts
        self._taken: list[TextPart] = []
        self._anchor: Place | None = None

    def press(self, point: QPoint) -> None:
        """Begin at a point of the column."""
        self.clear()
        self._taken = list(self._parts())
        self._anchor = self._place(point)

    def drag(self, point: QPoint) -> None:
        """Reach to a point of the column."""
        if self._anchor is not None:
            place = self._place(point)
            if place is not None:
                self._show(*sorted((self._anchor, place)))

    def select_word(self, point: QPoint) -> None:
        """Select the word at a point."""
        self.press(point)
        if self._anchor is not None:
            index, position = self._anchor
            self._taken[index].select(*self._taken[index].word_at(position))

    def select_all(self) -> None:
        """Select every part."""
        self.clear()
        self._taken = list(self._parts())
        for part in self._taken:
            part.select(0, part.length())

    def clear(self) -> None:
        """Select nothing."""
        for part in self._alive():
            part.select(0, 0)
        self._taken = []
        self._anchor = None

    def text(self) -> str:
        """Return the selected text, one part below the other."""
        chosen = (part.selected_text() for part in self._alive())
        return "\n".join(words for words in chosen if words)

    def copy(self) -> None:
        """Put the selected text on the clipboard; without one the clipboard stays."""
        if words := self.text():
            QGuiApplication.clipboard().setText(words)

    def part_at(self, point: QPoint) -> tuple[TextPart, QPoint] | None:
        """Return the text part under a point and the point within it."""
        widget: QWidget | None = self._column.childAt(point)
        while widget is not None and widget is not self._column:
            if isinstance(widget, TextPart):
                return widget, widget.mapFrom(self._column, point)
            widget = widget.parentWidget()
        return None

    def _alive(self) -> list[TextPart]:
        known = set(map(id, self._parts())) if self._taken else set()
        return [part for part in self._taken if id(part) in known]

    def _place(self, point: QPoint) -> Place | None:
        """Return the place nearest to a point: in the part at its height, else at the end of the part above it."""
        above: Place | None = None
        for index, part in enumerate(self._taken):
            top = part.mapTo(self._column, QPoint(0, 0)).y()
            if point.y() < top:
                return above if above is not None else (index, 0)
            if point.y() < top + part.height():
                return index, part.position_at(part.mapFrom(self._column, point))
            above = (index, part.length())
        return above

    def _show(self, start: Place, end: Place) -> None:
        for index, part in enumerate(self._taken):
            if start[0] <= index <= end[0]:
                part.select(start[1] if index == start[0] else 0, end[1] if index == end[0] else part.length())
            else:
                part.select(0, 0)
