"""The caret of the list: where a selection by keyboard goes on, over lines, blocks and messages.

Invariants: it never stands within a cluster; wherever it goes, it is scrolled into view; up and down keep the
column they began in.
"""

from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

from deepchat_desktop.ui.blocks.shape import Shape
from deepchat_desktop.ui.blocks.text_steps import Step
from deepchat_desktop.ui.message_list.selection import Place

if TYPE_CHECKING:
    from deepchat_desktop.ui.message_list.message_list import MessageList

Move = Step | Literal["up", "down", "page_up", "page_down", "start", "end", "block_up", "block_down"]
_NEXT_LINE = 8
"""Px between two looks for the next line: less than any line is high."""


class Caret:
    """Moves the selection's head. ``shown`` once the keyboard has moved it."""

    def __init__(self, view: "MessageList") -> None:
        self._view = view
        self.shown = False
        self.browsing = False
        """Whether plain arrows move it instead of scrolling."""
        self._column: float | None = None

    def forget(self) -> None:
        """Be out of sight; the selection stays."""
        self.shown = False
        self._column = None

    def toggle(self) -> None:
        """Let plain arrows move it, or let them scroll again; a screen reader is told which."""
        self.browsing = self.shown = not self.browsing
        place = self.place()
        if self.browsing and place is not None and self._view.selection.head is None:
            self._view.selection.set(place, place)
        on, off = self._view.tr("Arrows move the caret"), self._view.tr("Arrows scroll")
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._view, on if self.browsing else off))

    def place(self) -> Place | None:
        """Return where it stands, or where it would begin: at the first text in view."""
        head = self._view.selection.head
        layout = self._view.layout_
        if head is not None and head.row < len(layout.entries):
            index = min(head.cell, len(layout.entry(head.row).cells) - 1)
            return Place(head.row, index, min(head.position, self._shape(head.row, index).length()))
        for placed in layout.placed:
            if placed.bottom > 0 and placed.cell.shape is not None and placed.cell.shape.length():
                at = placed.cell.shape.position_at(QPointF(0, max(0, -placed.y)))
                return Place(placed.row, placed.index, at)
        return None

    def rect(self) -> QRectF | None:
        """Return where it is to be drawn in the viewport, None where it is not."""
        if not self.shown or not self._view.hasFocus():
            return None
        return self._where(self.place())

    def _where(self, place: Place | None) -> QRectF | None:
        for placed in self._view.layout_.placed if place is not None else ():
            if place is not None and (placed.row, placed.index) == place[:2] and placed.cell.shape is not None:
                inner = placed.cell.shape.caret(place.position)
                return inner.translated(self._view.column().left(), placed.y)
        return None

    def move(self, move: Move, *, extend: bool) -> bool:
        """Go on; with ``extend`` the selection reaches to the new place. False where there is no text."""
        before = self.place()
        if before is None:
            return False
        selection = self._view.selection
        anchor = selection.anchor if selection.anchor is not None else before
        self.shown = True
        found = self._target(before, move)
        self._column = self._column if move in ("up", "down", "page_up", "page_down") else None
        selection.set(anchor if extend else found, found)
        self._reveal(found)
        return True

    def _target(self, place: Place, move: Move) -> Place:
        match move:
            case "up" | "down":
                return self._vertical(place, down=move == "down")
            case "page_up" | "page_down":
                return self._page(place, down=move == "page_down")
            case "start":
                return self._beside(Place(0, -1, 0), forward=True) or place
            case "end":
                return self._beside(Place(len(self._view.layout_.entries), 0, 0), forward=False) or place
            case "block_up" | "block_down":
                return self._block(place, down=move == "block_down")
            case _:
                return self._step(place, move)

    def _shape(self, row: int, index: int) -> Shape:
        shape = self._view.layout_.cell(row, index).shape
        assert shape is not None
        return shape

    def _beside(self, place: Place, *, forward: bool) -> Place | None:
        """Return the nearest end of the next block that has text."""
        layout = self._view.layout_
        row, index = place.row, place.cell
        while True:
            index += 1 if forward else -1
            while row < len(layout.entries) and index >= len(layout.entry(row).cells):
                row, index = row + 1, 0
            while index < 0:
                row -= 1
                if row < 0:
                    return None
                index = len(layout.entry(row).cells) - 1
            if row >= len(layout.entries):
                return None
            if length := self._shape(row, index).length():
                return Place(row, index, 0 if forward else length)

    def _step(self, place: Place, step: Step) -> Place:
        shape = self._shape(place.row, place.cell)
        found = shape.stepped(place.position, step)
        if found is not None:
            return place._replace(position=found)
        # In text that runs from right to left, left leads on: the end that it stands at tells the way.
        inside = 0 < place.position < shape.length()
        forward = step.endswith("right") if inside else place.position > 0
        return self._beside(place, forward=forward) or place

    def _vertical(self, place: Place, *, down: bool) -> Place:
        shape = self._shape(place.row, place.cell)
        at = shape.caret(place.position)
        self._column = self._column if self._column is not None else at.x()
        y = at.bottom() + 2 if down else at.top() - 2
        while 0 <= y <= shape.height:
            found = shape.position_at(QPointF(self._column, y))
            line = shape.caret(found)
            if (at.top() + 1 < line.top() < shape.height) if down else (line.top() < at.top() - 1):
                return place._replace(position=shape.position_at(QPointF(self._column, line.center().y())))
            y += _NEXT_LINE if down else -_NEXT_LINE
        beside = self._beside(place, forward=down)
        if beside is None:
            return place._replace(position=shape.length() if down else 0)
        return beside._replace(position=self._entered(self._shape(beside.row, beside.cell), down=down))

    def _entered(self, shape: Shape, *, down: bool) -> int:
        """Return the place in a block's first or last line that is below the column."""
        assert self._column is not None
        y = 0 if down else shape.height - 1
        while 0 <= y <= shape.height:
            line = shape.caret(shape.position_at(QPointF(self._column, y)))
            if line.top() <= y <= line.bottom():
                return shape.position_at(QPointF(self._column, line.center().y()))
            y += _NEXT_LINE if down else -_NEXT_LINE
        return 0 if down else shape.length()

    def _page(self, place: Place, *, down: bool) -> Place:
        at = self._where(place)
        left = self._view.column().left()
        if at is None:
            return self._vertical(place, down=down)
        self._column = self._column if self._column is not None else at.x() - left
        before = self._view.layout_.top()
        page = self._view.viewport().height() * 9 // 10
        self._view.scroll_by(page if down else -page)
        if self._view.layout_.top() == before:
            return self._target(place, "end" if down else "start")
        found = self._view.pointer.place_at(QPointF(self._column + left, at.center().y()))
        return found if found is not None else place

    def _block(self, place: Place, *, down: bool) -> Place:
        length = self._shape(place.row, place.cell).length()
        if not down:
            found = self._beside(place, forward=False) if not place.position else place
            return found._replace(position=0) if found else place
        if place.position < length:
            return place._replace(position=length)
        found = self._beside(place, forward=True)
        return found._replace(position=self._shape(found.row, found.cell).length()) if found else place

    def _reveal(self, place: Place) -> None:
        self._shape(place.row, place.cell).reveal(place.position)
        if self._where(place) is None:
            self._view.scroll_to_cell(place.row, place.cell)
        at = self._where(place)
        if at is not None:
            high = self._view.viewport().height()
            if at.top() < 0:
                self._view.scroll_by(round(at.top()) - _NEXT_LINE)
            elif at.bottom() > high:
                self._view.scroll_by(round(at.bottom()) - high + _NEXT_LINE)


