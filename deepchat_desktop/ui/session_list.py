"""The list of sessions: a view over the session list model that only tells what the user wants.

Keys: Up and Down move, Enter opens, F2 renames in place, Delete asks to delete, the menu key or a right
click opens the menu. Group heads are passed over. It never changes the model.
"""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from deepchat_desktop.presenters.session_list_model import SessionListModel, SessionRole
from deepchat_desktop.ui.controls import Menu, menu_icon
from deepchat_desktop.ui.controls_shown import Turning
from deepchat_desktop.ui.session_delegate import SessionDelegate
from deepchat_desktop.ui.theme import theme

_KEYBOARD = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason)


class _Renaming(SessionDelegate):
    """A delegate whose edits are told to the list instead of written into the model."""

    def __init__(self, view: "SessionList") -> None:
        super().__init__(view)
        self._view = view

    def setModelData(self, editor: QWidget, model: object, index: QModelIndex | QPersistentModelIndex) -> None:
        title = str(editor.property("text")).strip()
        if title and title != index.data(SessionRole.TITLE):
            self._view.renamed.emit(index.data(SessionRole.ID), title)


class SessionList(QListView):
    """The view; ids of sessions go out by signals."""

    opened = Signal(str)
    renamed = Signal(str, str)
    delete_asked = Signal(str)
    pin_asked = Signal(str, bool)

    def __init__(self, model: SessionListModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._paint = _Renaming(self)
        self._beat = Turning(self)
        self._beat.timeout.connect(self._turn)
        self.setItemDelegate(self._paint)
        self.setModel(model)
        self.setAccessibleName(self.tr("Sessions"))
        self.setMouseTracking(True)
        self.setUniformItemSizes(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        for signal in (model.dataChanged, model.rowsInserted, model.rowsRemoved, model.rowsMoved):
            signal.connect(self._note_running)
        theme.changed.connect(self.scheduleDelayedItemsLayout)

    def set_open(self, session_id: str) -> None:
        """Show which session is open."""
        self._paint.open_id = session_id
        row = self._model.row_of(session_id)
        if row >= 0:
            self.setCurrentIndex(self._model.index(row))
        self.viewport().update()

    def rename(self, session_id: str) -> None:
        """Begin to rename a session in its row."""
        row = self._model.row_of(session_id)
        if row >= 0:
            index = self._model.index(row)
            self.setCurrentIndex(index)
            self.scrollTo(index)
            self.edit(index)

    def current_id(self) -> str | None:
        """Return the session under the keyboard, if any."""
        return self._model.id_at(self.currentIndex().row())

    def step(self, by: int) -> None:
        """Move the keyboard's row by one session, over group heads."""
        row = self.currentIndex().row() + by
        while 0 <= row < self._model.rowCount() and self._model.id_at(row) is None:
            row += by
        if 0 <= row < self._model.rowCount():
            self.setCurrentIndex(self._model.index(row))
        elif by < 0:
            self.scrollToTop()

    def menu_for(self, session_id: str) -> Menu:
        """Make the menu of a session."""
        session = self._model.session(session_id)
        pinned = session is not None and session.pinned
        menu = Menu(self)
        rename = menu.addAction(menu_icon("pencil-simple"), self.tr("Rename"))
        rename.triggered.connect(lambda: self.rename(session_id))
        pin = menu.addAction(menu_icon("push-pin"), self.tr("Unpin") if pinned else self.tr("Pin"))
        pin.triggered.connect(lambda: self.pin_asked.emit(session_id, not pinned))
        menu.addSeparator()
        delete = menu.addAction(menu_icon("trash"), self.tr("Delete…"))
        delete.triggered.connect(lambda: self.delete_asked.emit(session_id))
        return menu

    # -- events

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.state() == QAbstractItemView.State.EditingState:
            event.accept()  # a field hands on the Return that ended it
            return
        session_id = self.current_id()
        self._show_ring(True)
        match event.key():
            case Qt.Key.Key_Up:
                self.step(-1)
            case Qt.Key.Key_Down:
                self.step(1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Space if session_id:
                self.opened.emit(session_id)
            case Qt.Key.Key_F2 if session_id:
                self.rename(session_id)
            case Qt.Key.Key_Delete if session_id:
                self.delete_asked.emit(session_id)
            case _:
                super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._show_ring(False)
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        session_id = self._model.id_at(self.indexAt(event.position().toPoint()).row())
        if event.button() == Qt.MouseButton.LeftButton and session_id:
            self.opened.emit(session_id)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if by_key else self.indexAt(event.pos())
        session_id = self._model.id_at(index.row())
        if session_id:
            at = self.visualRect(index).bottomLeft() + QPoint(24, 0) if by_key else event.pos()
            self.menu_for(session_id).popup(self.viewport().mapToGlobal(at))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in _KEYBOARD:  # after a menu or a field of its own it is as it was
            self._show_ring(True)
        if self.current_id() is None:
            self.step(1)

    def _show_ring(self, on: bool) -> None:
        self._paint.ring = on
        self.viewport().update()

    def _note_running(self, *_what: object) -> None:
        self._beat.run(self._model.any_running())

    def _turn(self) -> None:
        self._paint.turn = self._beat.degrees
        for row in range(self._model.rowCount()):
            index = self._model.index(row)
            if index.data(SessionRole.MARK) == "running":
                self.viewport().update(self.visualRect(index))


