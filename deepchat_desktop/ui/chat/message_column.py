"""The widgets of the messages that are built, stacked in one column, with the work done lazily.

Invariants: rows ``first`` to the end are built and ``first`` only moves up; a row is fitted when it changed or comes
near the view, never all at once; ``top_of`` and ``height`` are right after every call that changed something.
"""

from bisect import bisect_right

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from deepchat_desktop.presenters.message_list_model import MessageListModel
from deepchat_desktop.ui.blocks.part import TextPart
from deepchat_desktop.ui.chat.assistant_message import AssistantMessage
from deepchat_desktop.ui.chat.measures import COLUMN, SIDE
from deepchat_desktop.ui.chat.user_message import UserMessage

TOP, BOTTOM, BETWEEN = 20, 28, 20
MessageWidget = UserMessage | AssistantMessage


class MessageColumn(QWidget):
    """The stack. ``built`` and ``fitted`` count work for tests."""

    asked = Signal(str)
    row_resized = Signal(int)

    def __init__(self, model: MessageListModel, parent: QWidget) -> None:
        super().__init__(parent)
        self.setMouseTracking(True)
        self._model = model
        self.setAccessibleName(self.tr("Messages"))
        self.built = self.fitted = 0
        self.first = 0
        self.rows: list[MessageWidget] = []
        self._tops: list[int] = []
        self._stale: set[int] = set()
        self._column = COLUMN

    def clear(self) -> None:
        """Forget all rows; none of the model's is built."""
        for row in self.rows:
            row.hide()
            row.deleteLater()
        self.rows, self._tops, self._stale = [], [], set()
        self.first = self._model.count()
        self.stack()

    def widget_of(self, row: int) -> MessageWidget | None:
        """Return a model row's widget, None if it is not built."""
        return self.rows[row - self.first] if self.first <= row < self.first + len(self.rows) else None

    def text_parts(self) -> list[TextPart]:
        """Return all that can be selected, top to bottom."""
        return [part for row in self.rows for part in row.text_parts()]

    def build_above(self) -> bool:
        """Build the row above the first one; False if there is none."""
        if self.first == 0:
            return False
        widget = self._make(self.first - 1)
        self.first -= 1
        self._stale = {index + 1 for index in self._stale}
        self.rows.insert(0, widget)
        self._fit(0)
        return True

    def build_below(self) -> None:
        """Build the row after the last one."""
        self.rows.append(self._make(self.first + len(self.rows)))
        self._mark_last()
        self._fit(len(self.rows) - 1)

    def fit_row(self, row: int) -> None:
        """Fit a model row after a change of its content."""
        if self.widget_of(row) is not None:
            self._fit(row - self.first)

    def set_width(self, width: int) -> bool:
        """Take the view's width; True if rows must be fitted anew, which ``fit_between`` and ``fit_some`` do."""
        column = max(120, min(COLUMN, width - 2 * SIDE))
        changed = column != self._column
        self._column = column
        self.resize(width, self.height())
        if changed:
            self._stale = set(range(len(self.rows)))
        return changed

    def fit_between(self, top: int, bottom: int) -> bool:
        """Fit the stale rows that meet a stretch of the column; True if any was."""
        near = [i for i in self._stale if self._tops[i] <= bottom and self._tops[i] + self.rows[i].height() >= top]
        for index in near:
            self._fit(index)
        return bool(near)

    def fit_some(self) -> bool:
        """Fit the lowest stale row; False if none is."""
        if not self._stale:
            return False
        self._fit(max(self._stale))
        return True

    def stack(self) -> None:
        """Place the rows below each other."""
        left = (self.width() - self._column) // 2
        y = TOP
        self._tops = []
        for row in self.rows:
            self._tops.append(y)
            row.move(left, y)
            y += row.height() + BETWEEN
        self.resize(self.width(), y - BETWEEN + BOTTOM if self.rows else 0)

    def row_at(self, y: int) -> tuple[int, int]:
        """Return the model row at a height and how far below its top that is; (-1, y) without rows."""
        if not self.rows:
            return -1, y
        index = max(0, bisect_right(self._tops, y) - 1)
        return self.first + index, y - self._tops[index]

    def top_of(self, row: int) -> int:
        """Return where a built model row begins."""
        return self._tops[row - self.first]

    def _fit(self, index: int) -> None:
        self.fitted += 1
        self.rows[index].fit(self._column)
        self._stale.discard(index)

    def _mark_last(self) -> None:
        for index, row in enumerate(self.rows):
            if isinstance(row, AssistantMessage):
                last = index == len(self.rows) - 1
                if last != row.is_last():
                    row.set_last(last)
                    self._fit(index)

    def _make(self, row: int) -> MessageWidget:
        self.built += 1
        message = self._model.message(row)
        if message.role == "user":
            user = UserMessage(message, self)
            user.show()
            return user
        answer = AssistantMessage(message, self)
        answer.asked.connect(self.asked)
        answer.resized.connect(lambda: self._say_resized(answer))
        answer.set_last(row == self._model.count() - 1)
        answer.show()
        return answer

    def _say_resized(self, widget: AssistantMessage) -> None:
        self.row_resized.emit(self.first + self.rows.index(widget))
