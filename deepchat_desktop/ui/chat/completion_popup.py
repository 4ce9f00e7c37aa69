"""The list above the composer while ``@`` or ``/`` is typed.

Invariants: it never takes the focus (the caret stays in the text, which hands it the keys); it is a child of the
window and no window of its own; what is chosen is told to a screen reader.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QVBoxLayout, QWidget

from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.icons import IconName
from deepchat_desktop.ui.paint import painting, rr, shadow, text
from deepchat_desktop.ui.theme import theme

Index = QModelIndex | QPersistentModelIndex
WIDTH, EDGE = 440, 14
_PAD = 6
_MOST_ROWS = 8
_NO_PARENT = QModelIndex()


@dataclass(frozen=True)
class Entry:
    """One line: what it is, about it, and what accepting it gives back."""

    icon: IconName
    label: str
    detail: str
    value: object


class _Entries(QAbstractListModel):
    """The lines as a view reads them."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.entries: Sequence[Entry] = ()

    def show(self, entries: Sequence[Entry]) -> None:
        self.beginResetModel()
        self.entries = entries
        self.endResetModel()

    def rowCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self.entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        entry = self.entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.label
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{entry.label}, {entry.detail}" if entry.detail else entry.label
        return None


class _Line(QStyledItemDelegate):
    """Paints a line."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, line_height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        assert isinstance(model, _Entries)
        entry = model.entries[index.row()]
        box = QRectF(option.rect)
        state: QStyle.StateFlag = option.state
        if state & QStyle.StateFlag.State_Selected:
            rr(painter, box, 6, theme.selected)
        elif state & QStyle.StateFlag.State_MouseOver:
            rr(painter, box, 6, theme.hover2)
        icons.draw(painter, QRectF(box.left() + 8, box.top(), 18, box.height()), entry.icon, theme.muted, 16)
        room = box.width() - 48
        line = QRectF(box.left() + 34, box.top(), room * (0.7 if entry.detail else 1), box.height())
        wide = text(painter, line, entry.label, fonts.CONTROL, fonts.MEDIUM, theme.text)
        rest = QRectF(line.left() + wide + 10, box.top(), room - wide - 10, box.height())
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        tone = theme.muted if chosen else theme.subtle
        text(painter, rest, entry.detail, fonts.META, colour=tone, elide=Qt.TextElideMode.ElideMiddle)


class CompletionPopup(QWidget):
    """The lines; ``chosen`` comes with the value of the one that was clicked."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget, name: str) -> None:
        super().__init__(parent)
        self._over = parent
        self._entries = _Entries(self)
        self.list = QListView(self)
        self.list.setModel(self._entries)
        self.list.setItemDelegate(_Line(self.list))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setMouseTracking(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.viewport().setAutoFillBackground(False)
        self.list.setAccessibleName(name)
        self.list.clicked.connect(lambda index: self.chosen.emit(self._entries.entries[index.row()].value))
        around = QVBoxLayout(self)
        around.setContentsMargins(*(EDGE + _PAD,) * 4)
        around.addWidget(self.list)
        self.hide()

    def offer(self, entries: Sequence[Entry], *, first: bool) -> None:
        """Show lines; ``first`` chooses the first, so that Enter takes it."""
        self._entries.show(entries)
        self.list.setCurrentIndex(self._entries.index(0) if first else QModelIndex())
        rows = min(len(entries), _MOST_ROWS)
        width = min(WIDTH, self._over.width() - 16) + 2 * EDGE
        self.resize(width, rows * line_height() + 2 * (_PAD + EDGE))
        self.show()
        self.raise_()
        self._announce()

    def step(self, step: int) -> None:
        """Choose the next or previous line, round and round."""
        count = self._entries.rowCount()
        at = self.list.currentIndex().row()
        at = (at + step) % count if at >= 0 else 0 if step > 0 else count - 1
        self.list.setCurrentIndex(self._entries.index(at))
        self._announce()

    def value(self) -> object | None:
        """Return what the chosen line gives, None where none is chosen."""
        index = self.list.currentIndex()
        return self._entries.entries[index.row()].value if index.isValid() else None

    def labels(self) -> list[str]:
        """Return what is shown."""
        return [entry.label for entry in self._entries.entries] if not self.isHidden() else []

    def _announce(self) -> None:
        index = self.list.currentIndex()
        if index.isValid() and QAccessible.isActive():
            words = self._entries.data(index, Qt.ItemDataRole.AccessibleTextRole)
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self.list, words))

    def paintEvent(self, event: QPaintEvent) -> None:
        box = QRectF(self.rect()).adjusted(EDGE, EDGE, -EDGE, -EDGE)
        with painting(self) as p:
            shadow(p, box, 10, blur=10, dy=2)
            rr(p, box, 10, theme.raised, theme.line2)


def line_height() -> int:
    """Return the height of a line in px."""
    return max(34, fonts.line_height(fonts.CONTROL) + 12)
