"""The list by keyboard: Tab goes from spot to spot, arrows scroll; with Shift, or after F7, they move the caret."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from deepchat_desktop.ui.blocks.shape import Spot
from deepchat_desktop.ui.message_list.caret import Move
from deepchat_desktop.ui.message_list.layout import Placed

if TYPE_CHECKING:
    from deepchat_desktop.ui.message_list.message_list import MessageList

At = tuple[int, int, str]
_Key = QKeySequence.StandardKey
_BLOCKS = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier
_MOVES: tuple[tuple[QKeySequence.StandardKey, Move, bool], ...] = (
    (_Key.SelectPreviousChar, "left", True),
    (_Key.SelectNextChar, "right", True),
    (_Key.SelectPreviousWord, "word_left", True),
    (_Key.SelectNextWord, "word_right", True),
    (_Key.SelectPreviousLine, "up", True),
    (_Key.SelectNextLine, "down", True),
    (_Key.SelectStartOfLine, "line_start", True),
    (_Key.SelectEndOfLine, "line_end", True),
    (_Key.SelectPreviousPage, "page_up", True),
    (_Key.SelectNextPage, "page_down", True),
    (_Key.SelectStartOfDocument, "start", True),
    (_Key.SelectEndOfDocument, "end", True),
    (_Key.MoveToPreviousChar, "left", False),
    (_Key.MoveToNextChar, "right", False),
    (_Key.MoveToPreviousWord, "word_left", False),
    (_Key.MoveToNextWord, "word_right", False),
    (_Key.MoveToPreviousLine, "up", False),
    (_Key.MoveToNextLine, "down", False),
    (_Key.MoveToPreviousPage, "page_up", False),
    (_Key.MoveToNextPage, "page_down", False),
    (_Key.MoveToStartOfDocument, "start", False),
    (_Key.MoveToEndOfDocument, "end", False),
)
_SIDEWAYS = frozenset({"left", "right", "word_left", "word_right"})
_SCROLLS: dict[Qt.Key, Move] = {Qt.Key.Key_Home: "start", Qt.Key.Key_End: "end"}


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
        elif event.key() == Qt.Key.Key_Escape and (self._view.selection.bounds() or self._view.caret.shown):
            self._view.selection.clear()
            self._view.caret.forget()
        elif event.key() == Qt.Key.Key_F7:
            self._view.caret.toggle()
        elif self._at is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._view.actions_.press(*self._at)
        else:
            return False
        return True

    def _move(self, event: QKeyEvent) -> bool:
        for key, move, extend in _MOVES:
            if event.matches(key):
                caret = self._view.caret
                if extend or caret.browsing or (caret.shown and move in _SIDEWAYS):
                    return caret.move(move, extend=extend)
                return self._scroll(move)
        if event.modifiers() == _BLOCKS and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            return self._view.caret.move("block_up" if event.key() == Qt.Key.Key_Up else "block_down", extend=True)
        return event.key() in _SCROLLS and not event.modifiers() and self._scroll(_SCROLLS[Qt.Key(event.key())])

    def _scroll(self, move: Move) -> bool:
        view = self._view
        step, page = view.verticalScrollBar().singleStep(), view.viewport().height() * 9 // 10
        match move:
            case "up" | "down":
                view.scroll_by(step if move == "down" else -step)
            case "page_up" | "page_down":
                view.scroll_by(page if move == "page_down" else -page)
            case "start":
                view.to_start()
            case "end":
                view.to_end()
            case _:
                return False
        return True

    def context(self) -> tuple[Placed | None, QPointF]:
        """Return the block that a menu asked for by keyboard is about, and a point of the view in it."""
        ring, caret = self.ring(), self._view.caret.rect()
        at = ring.center() if ring is not None else caret.center() if caret is not None else QPointF(0, 0)
        at.setX(at.x() if ring is not None or caret is not None else self._view.column().left())
        return self._view.layout_.at(round(at.y())), at
