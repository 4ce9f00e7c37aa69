"""The mouse over the column of messages: selecting, and links told apart from selections."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from deepchat_desktop.ui.blocks.code_view import CodeView
from deepchat_desktop.ui.chat.text_selection import TextSelection


class ListMouse(QObject):
    """Hears the events that the parts ignored."""

    def __init__(
        self,
        column: QWidget,
        selection: TextSelection,
        open_link: Callable[[str, str], None],
        take_focus: Callable[[], None],
    ) -> None:
        super().__init__(column)
        self._column = column
        self._selection = selection
        self._open_link = open_link
        self._take_focus = take_focus
        self._pressed: QPoint | None = None
        self._dragging = False
        column.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        return isinstance(event, QMouseEvent) and self._mouse(event)

    def _mouse(self, event: QMouseEvent) -> bool:
        """Take an event; False leaves it to others."""
        point = event.position().toPoint()
        left = event.button() == Qt.MouseButton.LeftButton
        match event.type():
            case QEvent.Type.MouseButtonPress if left:
                self._take_focus()
                self._pressed, self._dragging = point, False
                self._selection.press(point)
            case QEvent.Type.MouseButtonDblClick if left:
                self._pressed = None
                self._selection.select_word(point)
            case QEvent.Type.MouseMove:
                self._moved(point)
            case QEvent.Type.MouseButtonRelease if left:
                self._released(point)
            case _:
                return False
        event.accept()
        return True

    def _moved(self, point: QPoint) -> None:
        if self._pressed is None:
            self._column.setCursor(self._shape(point))
            return
        far = (point - self._pressed).manhattanLength() >= QApplication.startDragDistance() // 2
        self._dragging = self._dragging or far
        if self._dragging:
            self._selection.drag(point)

    def _released(self, point: QPoint) -> None:
        pressed, self._pressed = self._pressed, None
        found = self._selection.part_at(point)
        if pressed is not None and not self._dragging and found is not None:
            link = found[0].link_at(found[1])
            if link is not None:
                self._open_link(*link)

    def _shape(self, point: QPoint) -> Qt.CursorShape:
        found = self._selection.part_at(point)
        if found is None or isinstance(found[0], CodeView):
            return Qt.CursorShape.ArrowCursor
        return Qt.CursorShape.PointingHandCursor if found[0].link_at(found[1]) else Qt.CursorShape.IBeamCursor
