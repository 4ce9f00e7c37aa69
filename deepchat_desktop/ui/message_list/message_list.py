"""The conversation: painted blocks under one scroll bar, following new text only while its end is in view.

Invariants: an upward input lets go at once; what changes above the view never moves what is read; a flush touches
one message and builds what meets the view; the place is kept per session.
"""

from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QContextMenuEvent,
    QHideEvent,
    QKeyEvent,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from deepchat_desktop.domain.settings import ReadingPlace
from deepchat_desktop.presenters.message_list_model import MessageListModel
from deepchat_desktop.ui.blocks.rendering import rendering
from deepchat_desktop.ui.chat.measures import COLUMN, SIDE
from deepchat_desktop.ui.chat.new_text_pill import NewTextPill
from deepchat_desktop.ui.controls_shown import Turning
from deepchat_desktop.ui.message_list.actions import Actions
from deepchat_desktop.ui.message_list.caret import Caret
from deepchat_desktop.ui.message_list.finding import Finding
from deepchat_desktop.ui.message_list.heights import Heights
from deepchat_desktop.ui.message_list.idle import IdleWork
from deepchat_desktop.ui.message_list.keyboard import Keyboard
from deepchat_desktop.ui.message_list.layout import Anchor, Layout, Placed
from deepchat_desktop.ui.message_list.painter import paint
from deepchat_desktop.ui.message_list.places import Places
from deepchat_desktop.ui.message_list.pointer import Pointer
from deepchat_desktop.ui.message_list.selection import Selection
from deepchat_desktop.ui.message_list.spoken import SpokenList
from deepchat_desktop.ui.message_list.tail_cells import name_of
from deepchat_desktop.ui.paint import painting
from deepchat_desktop.ui.theme import theme


class MessageList(QAbstractScrollArea):
    """The view of a ``MessageListModel``."""

    asked = Signal(str)
    """One of the steps that ``error_words.Ask`` names."""
    link_clicked = Signal(str, str)
    notice = Signal(str)
    """Something that was done otherwise than one would think, in words."""
    follow_changed = Signal(bool)
    geometry_changed = Signal()
    ring_away = -2
    """The focus is shown inside the edge: outside there is no room."""

    def __init__(self, model: MessageListModel, parent: QWidget | None = None, *, held: bool = False) -> None:
        """``held``: build nothing until ``release``, since what messages need is imported after the first paint."""
        super().__init__(parent)
        self._model = model
        self._held = held
        self.following = True
        self._own_move = False
        self._bar_value = 0
        self._session = ""
        self._places = Places()
        self._ids: list[str] = []
        self.layout_ = Layout(model)
        self.selection = Selection(model, self.layout_)
        self.actions_ = Actions(self, model)
        self.pointer = Pointer(self)
        self.caret = Caret(self)
        self.keyboard = Keyboard(self)
        self.spoken = SpokenList(self, model)
        self._idle = IdleWork(self.layout_, self._repaint_blocks, self._check_whole, self)
        self._turning = Turning(self)
        self._turning.timeout.connect(self._repaint_turning)
        self._pill = NewTextPill(self)
        self._pill.clicked.connect(self.to_end)
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.settle)
        self._set_up()
        self._connect()
        self.finding = Finding(self, model)  # after the list's own slots: it shows hits in what they laid out
        self._on_reset()

    def _set_up(self) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(self.tr("Messages"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.verticalScrollBar().setSingleStep(24)
        self.viewport().setAutoFillBackground(False)
        self.viewport().setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def _connect(self) -> None:
        self.verticalScrollBar().valueChanged.connect(self._on_scroll)
        self._model.reset.connect(self._on_reset)
        self._model.message_added.connect(self._on_added)
        self._model.block_text.connect(lambda row, block, _: self._on_block(row, block))
        self._model.block_changed.connect(self._on_block)
        self._model.message_changed.connect(self._on_message)
        theme.changed.connect(self._on_theme)
        rendering.changed.connect(self._soon.start)  # many formulas come at once: one laying out for all

    # What others may ask

    @property
    def heights(self) -> Heights:
        """The heights of the messages in px, for a map of the conversation."""
        return self.layout_.heights

    def held(self) -> bool:
        """Tell whether building still waits for the first paint."""
        return self._held

    def release(self) -> None:
        """Show what the model holds, from now on at once."""
        if self._held:
            self._held = False
            self._on_reset()

    def content_height(self) -> int:
        """Return how high all messages are, as far as known."""
        return self.layout_.total()

    def visible_range(self) -> tuple[int, int]:
        """Return the first and the last px of the conversation that are in view."""
        return (top := self.layout_.top()), top + self.layout_.high

    def scroll_to_message(self, row: int, block: int = 0) -> None:
        """Put a message, or the first cell of one of its blocks, at the top of the view."""
        cells = self.layout_.entry(row).cells
        self.scroll_to_cell(row, next((i for i, cell in enumerate(cells) if cell.block >= block), 0) if block else 0)

    def scroll_to_cell(self, row: int, index: int) -> None:
        """Put a cell of a message at the top of the view."""
        self.stand(Anchor(row, index, 0))

    def stand(self, anchor: Anchor) -> None:
        """Put an anchor at the top of the view."""
        self.layout_.anchor = anchor
        self._set_following(False)
        self.settle()

    def scroll_to(self, y: int, lead: int = 0) -> None:
        """Put a height of the conversation ``lead`` px below the view's top; from the end on, follow."""
        self._set_following(y - lead >= self.layout_.most())
        if self.following:
            self.layout_.to_end()
        else:
            self.layout_.jump(max(0, y), lead)
        self._show()

    def find_all(self, words: str) -> int:
        """Find words in all messages; return the number of hits. The first one from here on is shown."""
        return self.finding.count(words)

    def to_end(self) -> None:
        """Go to the newest text and follow it from now on."""
        self._set_following(True)
        self.settle()

    def to_start(self) -> None:
        """Go to the first message."""
        if self.layout_.entries:
            self.scroll_to_message(0)

    def scroll_by(self, dy: int) -> None:
        """Scroll by px as the user does."""
        self.verticalScrollBar().setValue(self.verticalScrollBar().value() + dy)

    def column(self) -> QRect:
        """Return where blocks stand in the view."""
        wide = max(120, min(COLUMN, self.viewport().width() - 2 * SIDE))
        return QRect((self.viewport().width() - wide) // 2, 0, wide, self.viewport().height())

    # Following

    def _set_following(self, following: bool) -> None:
        if following != self.following:
            self.following = following
            self.follow_changed.emit(following)
        if following:
            self._pill.hide()

    def _on_scroll(self, value: int) -> None:
        before, self._bar_value = self._bar_value, value
        if self._own_move or self._held:
            return
        bar = self.verticalScrollBar()
        self._set_following(value > before and value >= bar.maximum())
        if self.following:
            self.layout_.to_end()
        elif bar.isSliderDown():
            self.layout_.jump(round(value * self.layout_.most() / max(1, bar.maximum())))
        elif abs(value - before) > 2 * self.layout_.high:
            self.layout_.jump(value)
        else:
            self.layout_.scroll(value - before)
        self._show()

    # Changes of the model

    def _on_reset(self) -> None:
        self._keep_place()
        self._session = self._model.session_id
        self.selection.clear()
        self.spoken.clear()
        self.pointer.forget()
        self.keyboard.forget()
        self.caret.forget()
        if self._held:
            return
        self.layout_.reset()
        self._ids = self._model.ids()
        anchor = self._places.give(self._session, self._ids)
        self._set_following(anchor is None)
        self.layout_.anchor = anchor if anchor is not None else Anchor()
        self.settle()

    def _keep_place(self) -> None:
        if self._session and not self.following and self.layout_.anchor.row < len(self._ids):
            self._places.keep(self._session, self._ids[self.layout_.anchor.row], self.layout_.anchor)

    def places(self) -> tuple[ReadingPlace, ...]:
        """Return where each session stands or was left."""
        self._keep_place()
        return self._places.all()

    def take_places(self, places: Iterable[ReadingPlace]) -> None:
        """Know where sessions were left before this start; call it before ``release``."""
        self._places.take(places)

    def _on_added(self, row: int) -> None:
        if self._held:
            return
        self.layout_.append()
        message = self._model.message(row)
        self._ids.append(message.id)
        if row and (above := self.layout_.entries[row - 1]) is not None:
            above.set_last(self._model.message(row - 1), self.layout_.width, last=False)
            self.layout_.measured(row - 1)
        if message.role == "user":
            self._set_following(True)
        self._news()

    def _on_block(self, row: int, block: int) -> None:
        if self._held:
            return
        entry = self.layout_.entries[row]
        if entry is not None:
            entry.set_block(self._model.message(row), block, self.layout_.width)
            self.layout_.measured(row)
        self._news()

    def _on_message(self, row: int) -> None:
        if self._held:
            return
        message = self._model.message(row)
        entry = self.layout_.entries[row]
        if entry is not None:
            entry.set_message(message, self.layout_.width)
            self.layout_.measured(row)
            self.settle()
        if message.role == "assistant" and message.status == "done" and QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, name_of(message)))

    def _news(self) -> None:
        self.settle()
        if not self.following:
            self._pill.show_news()
            self._place_pill()

    def _check_whole(self) -> bool:
        """Compare one message in sight with a reading as a whole; True if there was one that had not been yet."""
        for row in sorted({placed.row for placed in self.layout_.placed}):
            entry = self.layout_.entries[row]
            if entry is not None and entry.due():
                if entry.check(self._model.message(row), self.layout_.width):
                    self.layout_.measured(row)
                    self.settle()
                return True
        return False

    # Places

    def settle(self) -> None:
        """Lay out around the anchor, or at the end, and paint."""
        if self._held:
            return
        if self.following:
            self.layout_.to_end()
        else:
            self.layout_.place()
        self._show()

    def unfolded(self) -> None:
        """The user opened or closed a part: it stays under the pointer, also at the end of the list."""
        self.layout_.place()
        self._show()
        self._set_following(self.layout_.top() >= self.layout_.most())

    def _show(self) -> None:
        bar = self.verticalScrollBar()
        if not bar.isSliderDown():
            most = self.layout_.most()
            value = most if self.following else min(self.layout_.top(), most)
            self._own_move = True
            bar.setRange(0, most)
            bar.setPageStep(max(1, self.layout_.high))
            bar.setValue(value)
            self._bar_value = value
            self._own_move = False
            if bar.property("idle") != (most == 0):
                bar.setProperty("idle", most == 0)
                bar.style().unpolish(bar)
                bar.style().polish(bar)
        self._turning.run(self.isVisible() and any(p.cell.shape and p.cell.shape.turning for p in self.layout_.placed))
        self._idle.wake()
        self._repaint()
        if self.layout_.unfinished:
            self._soon.start()
        self.geometry_changed.emit()

    def _repaint(self) -> None:
        self.viewport().update()

    def _repaint_blocks(self, blocks: Iterable[Placed]) -> None:
        column = self.column()
        for placed in blocks:
            self.viewport().update(QRect(column.left(), placed.y, column.width(), placed.bottom - placed.y))

    def _repaint_turning(self) -> None:
        self._repaint_blocks(p for p in self.layout_.placed if p.cell.shape is not None and p.cell.shape.turning)

    def degrees(self) -> float:
        """Return where running marks have turned to."""
        return self._turning.degrees

    def _on_theme(self) -> None:
        self.layout_.drop_shapes()
        self.settle()

    def shape_point(self, placed: Placed, at: QPointF) -> QPointF:
        """Return a point of the view as the block sees it."""
        return QPointF(at.x() - self.column().left(), at.y() - placed.y)

    # Qt

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.layout_.width, self.layout_.high = self.column().width(), self.viewport().height()
        self.settle()
        self._place_pill()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._model.set_shown(True)
        self.settle()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._model.set_shown(False)
        self._turning.run(False)

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self.viewport()) as p:
            paint(p, self, QRectF(event.rect()))

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self.pointer.wheel(event):
            if event.angleDelta().y() > 0:
                self._set_following(False)
            super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.keyboard.take(event):
            event.accept()
        else:
            event.ignore()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        placed, at = self.keyboard.context()
        self.actions_.menu(self.viewport().mapToGlobal(at.toPoint()), placed, at)

    def focusNextPrevChild(self, next: bool) -> bool:
        return self.keyboard.tab(-1 if not next else 1) or super().focusNextPrevChild(next)

    def _place_pill(self) -> None:
        self._pill.move((self.viewport().width() - self._pill.width()) // 2, self.height() - self._pill.height() - 16)
        self._pill.raise_()

    def later(self, ms: int) -> None:
        """Paint once more after a while (a mark that goes away by itself)."""
        QTimer.singleShot(ms, self, self._repaint)
