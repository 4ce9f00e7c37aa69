"""The table of a provider's models: painted cells over a model, with switches for what a model can do.

A click, Space or Return on a mark takes the user's word: yes where it was no or unknown, no where it was yes. A dot
beside a mark says that it is the user's own. The menu key, a right click or the dots of the row under the mouse or the
keyboard open the row's menu. It changes nothing by itself, it only tells.
"""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QKeyEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from deepchat_desktop.domain.catalogue import CatalogueModel
from deepchat_desktop.presenters.model_table import FACT_OF, MODEL_ROLE, Column, ModelTableModel
from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.paint import Align, Elide, dot, hline, rr, text
from deepchat_desktop.ui.switch import paint_switch
from deepchat_desktop.ui.theme import theme

ROW, HEAD = 40, 34
MOST_ROWS = 12
"""A longer list scrolls by itself."""
_WIDTHS = {Column.CONTEXT: 76, Column.VISION: 70, Column.TOOLS: 62, Column.REASONING: 80, Column.ON: 64}
_PAD = 14
_NAME_ROOM = 150
_MENU = 24


class _Head(QHeaderView):
    """The column heads, small and quiet."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setSectionsClickable(False)
        self.setFixedHeight(HEAD)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:
        words = str(self.model().headerData(logicalIndex, Qt.Orientation.Horizontal) or "")
        area = QRectF(rect)
        first = logicalIndex == Column.MODEL
        area.setLeft(area.left() + (_PAD if first else 0))
        align = Align.AlignLeft if first else Align.AlignHCenter
        text(painter, area, words, fonts.META, fonts.MEDIUM, theme.subtle, align=align)
        hline(painter, rect.left(), rect.bottom(), rect.width())


class _Cells(QStyledItemDelegate):
    """Paints the cells."""

    def __init__(self, view: "ModelTable") -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(60, ROW)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        area = QRectF(option.rect)
        model: CatalogueModel = index.data(MODEL_ROLE)
        if index.row() == self._view.hovered:
            painter.fillRect(area, theme.hover2 if theme.dark else theme.window)
        if index.row():
            hline(painter, area.left(), area.top(), area.width())
        if self._view.hasFocus() and index == self._view.currentIndex():
            rr(painter, area.adjusted(2, 3, -2, -2), 5, None, theme.accent, 2)
        match index.column():
            case Column.MODEL:
                self._name(painter, area, model, index)
            case Column.CONTEXT:
                self._context(painter, area, model, str(index.data()))
            case Column.ON:
                box = QRectF(area.center().x() - 14, area.center().y() - 8, 28, 16)
                paint_switch(painter, box, on=model.on)
            case column:
                self._mark(painter, area, model, column)

    def _name(
        self, p: QPainter, area: QRectF, model: CatalogueModel, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        line = area.adjusted(_PAD, 0, -8, 0)
        current = self._view.hasFocus() and index.row() == self._view.currentIndex().row()
        if current or index.row() == self._view.hovered:
            icons.draw(p, QRectF(menu_spot(area.toRect())), "dots-three", theme.muted, 16)
            line.setRight(line.right() - _MENU)
        ink = theme.text if model.on else theme.muted
        if self._view.is_default(model.id):
            spot = QRectF(line.right() - 16, line.top(), 16, line.height())
            icons.draw(p, spot, "chat-teardrop", theme.accent_text, 14)
            line.setRight(line.right() - 22)
        used = text(p, line, model.name, fonts.CONTROL, fonts.MEDIUM, ink, elide=Elide.ElideMiddle)
        if model.name != model.id and line.width() - used > 40:
            rest = QRectF(line.left() + used + 10, line.top(), line.width() - used - 10, line.height())
            text(p, rest, model.id, fonts.META, colour=theme.subtle, mono=True)

    def _context(self, p: QPainter, area: QRectF, model: CatalogueModel, words: str) -> None:
        ink: QColor = theme.muted if words else theme.faint
        text(p, area, words or "?", fonts.CONTROL, colour=ink, align=Align.AlignHCenter, tabular=True)
        self._own(p, area, model, Column.CONTEXT)

    def _mark(self, p: QPainter, area: QRectF, model: CatalogueModel, column: int) -> None:
        value = getattr(model.capabilities, FACT_OF[column])
        if value:
            icons.draw(p, area, "check", theme.ok, 16)
        else:
            sign = "?" if value is None else "–"
            text(p, area, sign, fonts.CONTROL, colour=theme.subtle, align=Align.AlignHCenter)
        self._own(p, area, model, column)

    def _own(self, p: QPainter, area: QRectF, model: CatalogueModel, column: int) -> None:
        if model.sources.get(FACT_OF[column]) == "user":
            dot(p, QPointF(area.center().x() + 24, area.center().y()), 2.5, theme.accent)


def menu_spot(cell: QRect) -> QRect:
    """Return where the dots of a row's menu are in its first cell."""
    return QRect(cell.right() - _MENU - 3, cell.top(), _MENU, cell.height())


class ModelTable(QTableView):
    """The view; ids of models go out by signals."""

    marked = Signal(str, str, bool)
    """Model, fact, the user's word."""
    switched = Signal(str, bool)
    edit_asked = Signal(str)
    menu_asked = Signal(str, QPoint)

    def __init__(self, model: ModelTableModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.hovered = -1
        self._rows = model
        self.setModel(model)
        self.setItemDelegate(_Cells(self))
        self.setHorizontalHeader(_Head(self))
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(ROW)
        self.setAccessibleName(self.tr("Models"))
        self.setCornerButtonEnabled(False)
        for corner in self.findChildren(QAbstractButton):
            corner.setAccessibleName(self.tr("Models"))
        self.setShowGrid(False)
        self.setMouseTracking(True)
        self.setTabKeyNavigation(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        for column, width in _WIDTHS.items():
            self.setColumnWidth(column, width)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setSectionResizeMode(Column.MODEL, QHeaderView.ResizeMode.Stretch)
        for signal in (model.modelReset, model.rowsInserted, model.rowsRemoved):
            signal.connect(self._fit)
        theme.changed.connect(self.viewport().update)
        self._fit()

    def is_default(self, model_id: str) -> bool:
        """Tell whether new sessions get this model."""
        return self._rows.is_default(model_id)

    def act(self, index: QModelIndex) -> None:
        """Do what a cell is for: switch, mark, or edit."""
        model: CatalogueModel | None = index.data(MODEL_ROLE)
        if model is None:
            return
        match index.column():
            case Column.ON:
                self.switched.emit(model.id, not model.on)
            case Column.MODEL | Column.CONTEXT:
                self.edit_asked.emit(model.id)
            case column:
                fact = FACT_OF[column]
                self.marked.emit(model.id, fact, not getattr(model.capabilities, fact))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        at = event.position().toPoint()
        index = self.indexAt(at)
        if event.button() == Qt.MouseButton.LeftButton and index.column() == Column.MODEL:
            spot = menu_spot(self.visualRect(index))
            if spot.contains(at):
                self._ask_menu(index, self.viewport().mapToGlobal(spot.bottomLeft()))
            return
        plain = index.column() != Column.CONTEXT
        if event.button() == Qt.MouseButton.LeftButton and index == self.currentIndex() and plain:
            self.act(index)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if index.column() in (Column.MODEL, Column.CONTEXT):
            self.act(index)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._hover(self.rowAt(event.position().toPoint().y()))

    def leaveEvent(self, event: object) -> None:
        self._hover(-1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.act(self.currentIndex())
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        index = self.indexAt(event.pos()) if by_mouse else self.currentIndex()
        if index.isValid():
            where = event.globalPos() if by_mouse else self.viewport().mapToGlobal(self.visualRect(index).bottomLeft())
            self._ask_menu(index, where)

    def _ask_menu(self, index: QModelIndex, where: QPoint) -> None:
        model: CatalogueModel = index.data(MODEL_ROLE)
        self.menu_asked.emit(model.id, where)

    def sizeHint(self) -> QSize:
        return QSize(420, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow window the name keeps its room: what the row's sheet shows too goes first."""
        room = event.size().width() - _NAME_ROOM - _WIDTHS[Column.ON]
        for column in (Column.CONTEXT, Column.TOOLS, Column.VISION, Column.REASONING):
            room -= _WIDTHS[column]
            self.setColumnHidden(column, room < 0)
        super().resizeEvent(event)

    def _hover(self, row: int) -> None:
        if row != self.hovered:
            self.hovered = row
            self.viewport().update()

    def _fit(self) -> None:
        self.setFixedHeight(HEAD + ROW * min(MOST_ROWS, max(1, self._rows.rowCount())))
