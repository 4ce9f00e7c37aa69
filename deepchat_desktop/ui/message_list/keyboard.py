"""The list by keyboard: Tab goes from spot to spot in view, Up and Down scroll, with Shift they select blocks."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from deepchat_desktop.ui.blocks.shape import Spot
from deepchat_desktop.ui.message_list.layout import Placed
from deepchat_desktop.ui.message_list.selection import END, Place

if TYPE_CHECKING:
    from deepchat_desktop.ui.message_list.message_list import MessageList

At = tuple[int, int, str]


class Keyboard(QObject):
    """Knows which spot the keyboard is at."""

    def __init__(self, view: "MessageList") -> None:
        super().__init__(view)
        self._view = view
        self._at: At | None = None

    def forget(self) -> None:
        """Stand nowhere."""
        self._at = None

    def row(self) -> int:
        """Return the message the keyboard is in, -1 without one."""
        return self._at[0] if self._at is not None else -1

    def lit(self, placed: Placed) -> str:
        """Return the action the keyboard is at if it is this block's."""
        return self._at[2] if self._at is not None and self._at[:2] == (placed.row, placed.index) else ""

    def _spots(self) -> list[tuple[Placed, Spot]]:
        high = self._view.viewport().height()
        return [
            (placed, spot)
            for placed in self._view.layout_.placed
            if placed.cell.shape is not None
            for spot in placed.cell.shape.spots()
            if placed.y + spot.area.top() >= 0 and placed.y + spot.area.bottom() <= high
        ]

    def ring(self) -> QRectF | None:
        """Return where the focus is to be shown, in the viewport."""
        if self._at is None or not self._view.hasFocus():
            return None
        for placed, spot in self._spots():
            if (placed.row, placed.index, spot.action) == self._at:
                return spot.area.translated(self._view.column().left(), placed.y).adjusted(-3, -3, 3, 3)
        return None

    def take(self, event: QKeyEvent) -> bool:
        """Take a key; False leaves it to others."""
        done = self._command(event) or self._move(event)
        if done:
            self._view.viewport().update()
        return done

    def tab(self, step: int) -> bool:
        """Go to the next or previous spot; False past the last one, where the focus leaves the list."""
        spots = [(placed.row, placed.index, spot.action) for placed, spot in self._spots()]
        at = spots.index(self._at) if self._at in spots else (len(spots) if step < 0 else -1)
        inside = 0 <= at + step < len(spots)
        self._at = spots[at + step] if inside else None
        self._view.viewport().update()
        return inside

    def _command(self, event: QKeyEvent) -> bool:
        if event.matches(QKeySequence.StandardKey.Copy):
            self._view.actions_.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self._view.selection.select_all()
        elif event.key() == Qt.Key.Key_Escape and self._view.selection.bounds() is not None:
            self._view.selection.clear()
        elif self._at is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._view.actions_.press(*self._at)
        else:
            return False
        return True

    def _move(self, event: QKeyEvent) -> bool:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
        if step and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._extend(step)
        elif step:
            self._view.scroll_by(step * self._view.verticalScrollBar().singleStep())
        elif event.key() in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            page = self._view.viewport().height() * 9 // 10
            self._view.scroll_by(-page if event.key() == Qt.Key.Key_PageUp else page)
        elif event.key() == Qt.Key.Key_Home:
            self._view.to_start()
        elif event.key() == Qt.Key.Key_End:
            self._view.to_end()
        else:
            return False
        return True

    def _extend(self, step: int) -> None:
        """Select one block more or less, from the first one in view on."""
        selection, layout = self._view.selection, self._view.layout_
        if selection.anchor is None or selection.head is None:
            first = next((placed for placed in layout.placed if placed.y >= 0), None)
            if first is None:
                return
            start = Place(first.row, first.index, 0)
            selection.set(start, start._replace(position=END))
            return
        row, index = selection.head.row, min(selection.head.cell, len(layout.entry(selection.head.row).cells) - 1)
        index += step
        if index < 0 and row > 0:
            row, index = row - 1, len(layout.entry(row - 1).cells) - 1
        elif index >= len(layout.entry(row).cells) and row + 1 < len(layout.entries):
            row, index = row + 1, 0
        index = max(0, min(index, len(layout.entry(row).cells) - 1))
        selection.set(selection.anchor, Place(row, index, END if (row, index) >= selection.anchor[:2] else 0))
