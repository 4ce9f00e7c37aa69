"""How a row of the session list looks: group heads, sessions with one mark each, hits with their context.

It paints from the model's roles and the theme only. The open session has the soft fill; the keyboard's row
has the ring while the list has the focus and was reached by keyboard.
"""

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from deepchat_desktop.presenters.session_list_model import SessionRole
from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.composing import ComposingLine
from deepchat_desktop.ui.paint import dot, rr, spinner, text
from deepchat_desktop.ui.theme import theme

Index = QModelIndex | QPersistentModelIndex
ROW = 32
HEAD = 34
HIT = 50


class SessionDelegate(QStyledItemDelegate):
    """Paints and edits the rows of the session list."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.open_id = ""
        self.turn = 0.0
        self.ring = False

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        if index.data(SessionRole.KIND) == "head":
            return QSize(0, max(HEAD, fonts.line_height(fonts.META) + 12))
        if index.data(SessionRole.SNIPPET):
            return QSize(0, max(HIT, 2 * fonts.line_height(fonts.META) + 10))
        return QSize(0, max(ROW, fonts.line_height(fonts.CONTROL) + 8))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        area = QRectF(option.rect)
        if index.data(SessionRole.KIND) == "head":
            low = QRectF(area.left() + 18, area.top() + 8, area.width() - 36, area.height() - 8)
            text(painter, low, index.data(SessionRole.TITLE), fonts.META, fonts.MEDIUM, theme.subtle)
            return
        box = area.adjusted(8, 1, -8, -1)
        state: QStyle.StateFlag = option.state
        opened = index.data(SessionRole.ID) == self.open_id
        if opened:
            rr(painter, box, 6, theme.selected)
        elif state & QStyle.StateFlag.State_MouseOver:
            rr(painter, box, 6, theme.hover)
        if self.ring and state & QStyle.StateFlag.State_HasFocus:
            rr(painter, box, 6, None, theme.accent, 2)
        snippet = index.data(SessionRole.SNIPPET)
        line = QRectF(box.left(), box.top() + 4, box.width(), 20) if snippet else box
        right = self._mark(painter, line, index, opened)
        self._title(painter, line, right, index, opened)
        if snippet:
            below = QRectF(box.left() + 10, box.top() + 24, box.width() - 20, 18)
            text(painter, below, snippet, fonts.META, colour=theme.muted if opened else theme.subtle)

    def _title(self, p: QPainter, line: QRectF, right: float, index: Index, opened: bool) -> None:
        weight = fonts.MEDIUM if opened else fonts.REGULAR
        if index.data(SessionRole.MARK) == "unread":
            weight = fonts.SEMIBOLD
        area = QRectF(line.left() + 10, line.top(), right - line.left() - 10, line.height())
        text(p, area, index.data(SessionRole.TITLE), fonts.CONTROL, weight)

    def _mark(self, p: QPainter, line: QRectF, index: Index, opened: bool) -> float:
        """Draw the row's one mark and return where the title must end."""
        right, middle = line.right() - 10, line.center().y()
        match index.data(SessionRole.MARK):
            case "waiting":
                words = self.tr("Waiting")
                width = fonts.text_width(words, fonts.META, fonts.MEDIUM) + 14
                rr(p, QRectF(right - width + 2, middle - 10, width, 20), 10, theme.warn_soft)
                spot = QRectF(right - width + 9, line.top(), width, line.height())
                text(p, spot, words, fonts.META, fonts.MEDIUM, theme.warn)
                return right - width - 4
            case "running":
                spinner(p, QRectF(right - 13, middle - 6.5, 13, 13), self.turn)
                return right - 22
            case "unread":
                dot(p, QPointF(right - 5, middle), 4, theme.accent)
                return right - 20
            case _:
                return self._time(p, line, right, index.data(SessionRole.TIME) or "", opened)

    def _time(self, p: QPainter, line: QRectF, right: float, words: str, opened: bool) -> float:
        if not words:
            return right
        width = fonts.metrics(fonts.META, tabular=True).horizontalAdvance(words)
        spot = QRectF(right - width, line.top(), width + 2, line.height())
        text(p, spot, words, fonts.META, colour=theme.muted if opened else theme.subtle, tabular=True)
        return right - width - 8

    # -- renaming in place

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = ComposingLine(parent)
        editor.setProperty("kind", "row")
        editor.setFont(fonts.font(fonts.CONTROL))
        editor.setMaxLength(200)
        editor.setAccessibleName(self.tr("New title"))
        return editor

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        """Leave to the input method what is its own: this filter comes before the field and would end the renaming."""
        return (isinstance(editor, ComposingLine) and editor.holds(event)) or super().eventFilter(editor, event)

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        if isinstance(editor, QLineEdit):
            editor.setText(index.data(SessionRole.TITLE))
            editor.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, QLineEdit):
            model.setData(index, editor.text().strip(), Qt.ItemDataRole.EditRole)

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        editor.setGeometry(option.rect.adjusted(8, 1, -8, -1))


def draw_logo(p: QPainter, box: QRectF, glyph: int, radius: float) -> None:
    """Draw the program's mark."""
    rr(p, box, radius, theme.accent)
    icons.draw(p, box, "chat-teardrop", theme.on_accent, glyph)
