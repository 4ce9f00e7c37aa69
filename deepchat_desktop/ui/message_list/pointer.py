"""The mouse over the list: spots, links, selecting and dragging out, sideways scrolling."""

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent, QHelpEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QToolTip

from deepchat_desktop.ui.blocks.code_shape import CodeShape
from deepchat_desktop.ui.blocks.markdown_items import NOTE_LINK
from deepchat_desktop.ui.blocks.shape import Shape, Spot
from deepchat_desktop.ui.blocks.side_slide import SideSlide
from deepchat_desktop.ui.message_list.drag_out import drag
from deepchat_desktop.ui.message_list.layout import Placed
from deepchat_desktop.ui.message_list.reach import Reach
from deepchat_desktop.ui.message_list.selection import Place

if TYPE_CHECKING:
    from deepchat_desktop.ui.message_list.message_list import MessageList

EDGE = 24
"""Beyond the view's edge by this much, dragging scrolls at full speed."""


class Pointer(QObject):
    """Hears the viewport's mouse events. ``row`` is the message under the pointer, -1 without one."""

    def __init__(self, view: "MessageList") -> None:
        super().__init__(view)
        self._view = view
        self._reach = Reach(view.selection, self._shape_of)
        self.forget()
        self._scroll = QTimer(self, interval=30)
        self._scroll.timeout.connect(self._scroll_on)
        view.viewport().installEventFilter(self)

    def forget(self) -> None:
        """The messages are others now."""
        self.row = -1
        self._spot: tuple[int, int, str] | None = None
        self._down: QPointF | None = None
        self._pressed: tuple[int, int, str] | None = None
        self._dragging = False
        self._held: Place | None = None
        """Where the selection itself was pressed: it may be dragged out."""
        self._last = QPointF()
        self._grip: SideSlide | None = None

    def lit(self, placed: Placed) -> str:
        """Return the action under the pointer if it is this block's."""
        spot = self._spot
        return spot[2] if spot is not None and spot[:2] == (placed.row, placed.index) else ""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        match event:
            case QMouseEvent():
                return self._mouse(event)
            case QContextMenuEvent():
                self._view.actions_.menu(event.globalPos(), self._at(QPointF(event.pos())), QPointF(event.pos()))
                return True
            case QHelpEvent():
                hint = self.hint(QPointF(event.pos()))
                # Escaped: Qt would read a foreign line that looks like HTML as HTML.
                QToolTip.showText(event.globalPos(), f"<p>{escape(hint)}</p>" if hint else "", self._view.viewport())
                return True
        if event.type() == QEvent.Type.Leave:
            self._hover(None, -1)
        return False

    def _mouse(self, event: QMouseEvent) -> bool:
        at = event.position()
        left = event.button() == Qt.MouseButton.LeftButton
        match event.type():
            case QEvent.Type.MouseButtonPress if left:
                self._press(at, extend=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
            case QEvent.Type.MouseButtonDblClick if left:
                self._double(at)
            case QEvent.Type.MouseMove:
                self._move(at)
            case QEvent.Type.MouseButtonRelease if left:
                self._release(at)
            case _:
                return False
        return True

    def _at(self, at: QPointF) -> Placed | None:
        return self._view.layout_.at(round(at.y()))

    def spot_at(self, at: QPointF) -> tuple[Placed, Spot] | None:
        """Return what can be pressed at a point of the view."""
        placed = self._at(at)
        if placed is None or placed.cell.shape is None:
            return None
        inner = self._view.shape_point(placed, at)
        found = next((spot for spot in placed.cell.shape.spots() if spot.area.contains(inner)), None)
        return (placed, found) if found is not None else None

    def place_at(self, at: QPointF) -> Place | None:
        """Return the place in the text that is nearest to a point of the view."""
        placed = self._at(at)
        if placed is None or placed.cell.shape is None:
            return None
        inner = self._view.shape_point(placed, at)
        if inner.y() >= placed.cell.shape.height:
            return Place(placed.row, placed.index, placed.cell.shape.length())
        return Place(placed.row, placed.index, placed.cell.shape.position_at(inner) if inner.y() >= 0 else 0)

    def _grip_at(self, at: QPointF) -> SideSlide | None:
        placed = self._at(at)
        if placed is None or placed.cell.shape is None:
            return None
        return placed.cell.shape.grip(self._view.shape_point(placed, at))

    def _press(self, at: QPointF, *, extend: bool) -> None:
        self._view.setFocus(Qt.FocusReason.MouseFocusReason)
        self._view.keyboard.forget()
        self._view.caret.forget()
        found = self.spot_at(at)
        self._pressed = (found[0].row, found[0].index, found[1].action) if found else None
        self._down, self._dragging, self._last, self._held = at, False, at, None
        self._grip = self._grip_at(at) if found is None else None
        if self._grip is not None:
            self._grip.grabbed = True
        elif self._pressed is None and (place := self.place_at(at)) is not None:
            self._begin(place, at, extend=extend)
        self._view.viewport().update()

    def _begin(self, place: Place, at: QPointF, *, extend: bool) -> None:
        if self._reach.third(at):
            self._reach.begin(place, "paragraph", at)
        elif extend and self._view.selection.anchor is not None:
            self._reach.extend(place)
        elif self._view.selection.holds(place):
            self._held = place
        else:
            self._reach.begin(place, "character", at)

    def _double(self, at: QPointF) -> None:
        place = self.place_at(at)
        if place is None or self.spot_at(at) is not None:
            self._press(at, extend=False)
            return
        self._down, self._dragging, self._last, self._held = at, False, at, None
        self._reach.begin(place, "word", at)
        self._view.viewport().update()

    def _shape_of(self, place: Place) -> Shape:
        shape = self._view.layout_.cell(place.row, place.cell).shape
        assert shape is not None
        return shape

    def _drag_out(self) -> None:
        """Hand the selection to Qt's drag; the press is over with it."""
        self._down = self._held = None
        data = self._view.actions_.selected()
        if data is not None:
            drag(self._view, data, self._view.selection.beginning())

    def _move(self, at: QPointF) -> None:
        before, self._last = self._last, at
        if self._grip is not None:
            self._grip.drag(at.x() - before.x())
            self._view.viewport().update()
            return
        if self._down is None:
            found = self.spot_at(at)
            placed = self._at(at)
            self._hover(found, placed.row if placed is not None else -1)
            self._view.viewport().setCursor(self._shape(at, found))
            return
        far = (at - self._down).manhattanLength() >= QApplication.startDragDistance() / 2
        if far and self._held is not None:
            self._drag_out()
            return
        self._dragging = self._dragging or (far and self._pressed is None)
        if self._dragging:
            self._reach_to(at)
            outside = at.y() < 0 or at.y() > self._view.viewport().height()
            if outside and not self._scroll.isActive():
                self._scroll.start()
            elif not outside:
                self._scroll.stop()

    def _reach_to(self, at: QPointF) -> None:
        place = self.place_at(at)
        if place is not None and self._view.selection.anchor is not None:
            self._reach.extend(place)
            self._view.viewport().update()

    def _scroll_on(self) -> None:
        high = self._view.viewport().height()
        beyond = self._last.y() if self._last.y() < 0 else self._last.y() - high
        self._view.scroll_by(round(max(-1.0, min(1.0, beyond / EDGE)) * 40))
        self._reach_to(QPointF(self._last.x(), max(0.0, min(high - 1.0, self._last.y()))))

    def _release(self, at: QPointF) -> None:
        self._scroll.stop()
        down, self._down = self._down, None
        pressed, self._pressed = self._pressed, None
        if self._grip is not None:
            self._grip.grabbed, self._grip = False, None
            self._view.viewport().update()
            return
        held, self._held = self._held, None
        if down is None or self._dragging:
            return
        if held is not None:
            self._reach.begin(held, "character", at)
            self._view.viewport().update()
        found = self.spot_at(at)
        if pressed is not None:
            if found is not None and pressed == (found[0].row, found[0].index, found[1].action):
                self._view.actions_.press(found[0].row, found[0].index, found[1].action)
            return
        placed = self._at(at)
        if placed is not None and placed.cell.shape is not None:
            link = placed.cell.shape.link_at(self._view.shape_point(placed, at))
            if link is not None and link[0].startswith(NOTE_LINK):
                self._view.actions_.to_note(placed.row, link[0].removeprefix(NOTE_LINK))
            elif link is not None:
                self._view.link_clicked.emit(*link)

    def _hover(self, found: tuple[Placed, Spot] | None, row: int) -> None:
        spot = (found[0].row, found[0].index, found[1].action) if found is not None else None
        if (spot, row) != (self._spot, self.row):
            self._spot, self.row = spot, row
            self._view.viewport().update()

    def _shape(self, at: QPointF, found: tuple[Placed, Spot] | None) -> Qt.CursorShape:
        placed = self._at(at)
        if found is not None:
            return Qt.CursorShape.PointingHandCursor
        if self._grip_at(at) is not None:
            return Qt.CursorShape.ArrowCursor
        if placed is None or placed.cell.shape is None or not placed.cell.shape.length() or at.y() > placed.bottom:
            return Qt.CursorShape.ArrowCursor
        inner = self._view.shape_point(placed, at)
        if not isinstance(placed.cell.shape, CodeShape) and placed.cell.shape.link_at(inner):
            return Qt.CursorShape.PointingHandCursor
        return Qt.CursorShape.IBeamCursor

    def hint(self, at: QPointF) -> str:
        """Return the line that is shown while the pointer rests at a point of the view."""
        placed = self._at(at)
        return placed.cell.shape.hint_at(self._view.shape_point(placed, at)) if placed and placed.cell.shape else ""

    def wheel(self, event: QWheelEvent) -> bool:
        """Scroll inside a block where it can; an upright turn scrolls the list unless the block scrolls that way."""
        placed = self._at(event.position())
        if placed is None or placed.cell.shape is None:
            return False
        dx = -(event.pixelDelta().x() or event.angleDelta().x() / 2)
        dy = -(event.pixelDelta().y() or event.angleDelta().y() / 2)
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and not dx:
            dx, dy = dy, 0.0
        if abs(dx) * 2 < abs(dy):
            dx = 0.0
        moved = placed.cell.shape.slide(self._view.shape_point(placed, event.position()), dx, dy)
        if moved:
            self._view.viewport().update()
            event.accept()
        return moved


