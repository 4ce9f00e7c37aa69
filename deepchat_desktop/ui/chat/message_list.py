"""The conversation: a column that follows new text only while its end is in view.

Invariants: an upward scroll by the user lets go at once; what changes above the view never moves what is read (the
row at the top keeps its place); opening builds what fills the view, the rest comes in idle slices of ``SLICE_S``.
"""

import time

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QContextMenuEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from deepchat_desktop.domain.blocks import text_of
from deepchat_desktop.presenters.message_list_model import MessageListModel
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.chat.assistant_message import AssistantMessage
from deepchat_desktop.ui.chat.list_mouse import ListMouse
from deepchat_desktop.ui.chat.message_column import MessageColumn
from deepchat_desktop.ui.chat.new_text_pill import NewTextPill
from deepchat_desktop.ui.chat.text_selection import TextSelection
from deepchat_desktop.ui.chat.user_message import UserMessage
from deepchat_desktop.ui.controls import Menu
from deepchat_desktop.ui.theme import theme

SLICE_S = 0.004
AT_ONCE = 30
"""At most this many rows are built before the first paint."""
IDLE_ROWS = 400
"""Rows above these are built only when the reader comes near them."""


class MessageList(QAbstractScrollArea):
    """The view of a ``MessageListModel``."""

    asked = Signal(str)
    """One of ``retry``, ``continue`` and ``settings``."""
    link_clicked = Signal(str, str)
    follow_changed = Signal(bool)
    ring_away = -2
    """The focus is shown inside the edge: outside there is no room."""

    def __init__(self, model: MessageListModel, parent: QWidget | None = None, *, held: bool = False) -> None:
        """``held``: build nothing until ``release``, since what messages need is imported after the first paint."""
        super().__init__(parent)
        self._model = model
        self.following = True
        self._own_move = False
        self._held = held
        self._text_size = fonts.text_size()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(self.tr("Messages"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.verticalScrollBar().setSingleStep(24)
        self.viewport().setAutoFillBackground(False)
        self.column = MessageColumn(model, self.viewport())
        self.selection = TextSelection(self.column, self.column.text_parts)
        self._mouse = ListMouse(self.column, self.selection, self.link_clicked.emit, self._focus_by_mouse)
        self._pill = NewTextPill(self)
        self._pill.clicked.connect(self.to_end)
        self._idle = QTimer(self, singleShot=True, interval=0)
        self._idle.timeout.connect(self._work_a_slice)
        self._connect()
        self._on_reset()

    def _connect(self) -> None:
        self.column.asked.connect(self.asked)
        self.column.row_resized.connect(self._on_unfolded)
        self.verticalScrollBar().valueChanged.connect(self._on_scroll)
        self._model.reset.connect(self._on_reset)
        self._model.message_added.connect(self._on_added)
        self._model.block_text.connect(lambda row, block, _: self._on_block(row, block))
        self._model.block_changed.connect(self._on_block)
        self._model.message_changed.connect(self._on_message)
        theme.changed.connect(self._on_theme)

    def held(self) -> bool:
        """Tell whether building still waits for the first paint."""
        return self._held

    def release(self) -> None:
        """Show what the model holds, from now on at once."""
        if self._held:
            self._held = False
            self._on_reset()

    # Following

    def to_end(self) -> None:
        """Go to the newest text and follow it from now on."""
        self._set_following(True)
        self._settle(None)

    def _set_following(self, following: bool) -> None:
        if following != self.following:
            self.following = following
            self.follow_changed.emit(following)
        if following:
            self._pill.hide()

    def _on_scroll(self, value: int) -> None:
        bar = self.verticalScrollBar()
        moved_down = value >= -self.column.y()
        self.column.move(0, -value)
        if not self._own_move:
            self._set_following(moved_down and value >= bar.maximum())
            if self.column.fit_between(value, value + self.viewport().height()):
                self._settle(self.column.row_at(value))
            self._wake()

    # Changes of the model

    def _on_reset(self) -> None:
        self.selection.clear()
        self.column.clear()
        self._set_following(True)
        wanted = 0 if self._held else self.viewport().height() * 3 // 2
        filled = built = 0
        while built < AT_ONCE and filled < wanted and self.column.build_above():
            built += 1
            filled += self.column.rows[0].height() + 20
        self._settle(None)
        self._wake()

    def _on_added(self, row: int) -> None:
        if self._held:
            return
        anchor = self._anchor()
        self.column.build_below()
        if self._model.message(row).role == "user":
            self._set_following(True)
            anchor = None
        self._settle(anchor)
        self._tell_news()

    def _on_block(self, row: int, block: int) -> None:
        widget = self.column.widget_of(row)
        if isinstance(widget, AssistantMessage):
            widget.set_block(self._model.message(row), block)
            self._refit(row)
            self._tell_news()
        elif widget is not None:
            widget.set_message(self._model.message(row))
            self._refit(row)

    def _on_message(self, row: int) -> None:
        widget = self.column.widget_of(row)
        message = self._model.message(row)
        if isinstance(widget, AssistantMessage):
            widget.set_message(message)
            self._refit(row)
            if message.status == "done":
                words = self.tr("Answer: {text}").format(text=text_of(tuple(message.blocks)))
                QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))

    def _on_unfolded(self, row: int) -> None:
        """The user opened or closed a part: it stays under the pointer, also at the end of the list."""
        bar = self.verticalScrollBar()
        anchor = self.column.row_at(bar.value())
        self.column.fit_row(row)
        self._settle(anchor)
        self._set_following(bar.value() >= bar.maximum())

    def _refit(self, row: int) -> None:
        anchor = self._anchor()
        self.column.fit_row(row)
        self._settle(anchor)

    def _tell_news(self) -> None:
        if not self.following:
            self._pill.show_news()
            self._place_pill()

    # Places

    def _anchor(self) -> tuple[int, int] | None:
        """Return the row at the top of the view and the way into it, or None while following."""
        return None if self.following else self.column.row_at(self.verticalScrollBar().value())

    def _settle(self, anchor: tuple[int, int] | None) -> None:
        """Stack the rows, then stand at the anchor, or at the end without one."""
        self.column.stack()
        bar = self.verticalScrollBar()
        self._own_move = True
        bar.setRange(0, max(0, self.column.height() - self.viewport().height()))
        bar.setPageStep(self.viewport().height())
        at_end = anchor is None or anchor[0] < 0
        bar.setValue(bar.maximum() if anchor is None or at_end else self.column.top_of(anchor[0]) + anchor[1])
        self._own_move = False
        self.column.move(0, -bar.value())
        idle = bar.maximum() == 0
        if bar.property("idle") != idle:
            bar.setProperty("idle", idle)
            bar.style().unpolish(bar)
            bar.style().polish(bar)

    def _wake(self) -> None:
        if not self._idle.isActive():
            self._idle.start()

    def _work_a_slice(self) -> None:
        if self._held or not self.isVisible():
            return
        anchor = self._anchor()
        end = time.perf_counter() + SLICE_S
        worked = more = self._work_once()
        while more and time.perf_counter() < end:
            more = self._work_once()
        if worked:
            self._settle(anchor)
            self._idle.start()

    def _work_once(self) -> bool:
        """Do one piece of idle work; False if there is none."""
        if self.column.fit_some():
            return True
        near = self.verticalScrollBar().value() < 2 * self.viewport().height()
        return (near or len(self.column.rows) < IDLE_ROWS) and self.column.build_above()

    def _on_theme(self) -> None:
        if self._text_size != fonts.text_size():
            self._text_size = fonts.text_size()
            self._on_reset()
        self.viewport().update()

    # Qt

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        anchor = self._anchor()
        if self.column.set_width(self.viewport().width()):
            top = self.column.height() - 2 * self.viewport().height() if anchor is None else -self.column.y()
            self.column.fit_between(top, top + 2 * self.viewport().height())
        self._settle(anchor)
        self._place_pill()
        self._wake()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._settle(self._anchor())
        self._wake()

    def viewportEvent(self, event: QEvent) -> bool:
        # The column is moved by hand; Qt must not scroll or paint the viewport's ground.
        return False if event.type() == QEvent.Type.Paint else super().viewportEvent(event)

    def _place_pill(self) -> None:
        size = self._pill.size()
        self._pill.move((self.viewport().width() - size.width()) // 2, self.height() - size.height() - 16)
        self._pill.raise_()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bar = self.verticalScrollBar()
        if event.matches(QKeySequence.StandardKey.Copy):
            self.selection.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.selection.select_all()
        elif event.key() == Qt.Key.Key_Home:
            bar.setValue(0)
        elif event.key() == Qt.Key.Key_End:
            self.to_end()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._focus_by_mouse()

    def _focus_by_mouse(self) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = Menu(self)
        copy = menu.addAction(self.tr("Copy"), self.selection.copy)
        copy.setEnabled(bool(self.selection.text()))
        row, _ = self.column.row_at(self.column.mapFromGlobal(event.globalPos()).y())
        widget = self.column.widget_of(row)
        if isinstance(widget, AssistantMessage):
            menu.addAction(self.tr("Copy answer as Markdown"), widget.copy_markdown)
        elif isinstance(widget, UserMessage):
            menu.addAction(self.tr("Copy message"), widget.copy_text)
        menu.popup(event.globalPos())
