"""What is measured: our list as the window has it, or the rival, behind the same few calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QEvent, QKeyCombination, QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QWidget

from benchmarks.message_list.stage import Clock, Stage
from deepchat_desktop.presenters.message_list_model import MessageListModel

OURS, ROWS = "ours", "rows"


@dataclass
class Subject:
    """A list in its window, over a model of its own."""

    name: str
    model: MessageListModel
    stage: Stage
    area: QAbstractScrollArea
    clock: Clock
    keep: list[Any] = field(default_factory=list)
    """What must live as long as the window."""

    def wheel(self, px: int) -> None:
        """Turn the wheel over the list; up is positive. 60 px are half a notch."""
        view = self.area.viewport()
        at = QPointF(view.width() / 2, view.height() / 2)
        event = QWheelEvent(
            at, view.mapToGlobal(at), QPoint(0, px), QPoint(0, px * 2), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(view, event)

    def drag(self, value: int) -> None:
        """Put the bar's handle somewhere, as a drag does."""
        bar = self.area.verticalScrollBar()
        bar.setSliderDown(True)
        bar.setSliderPosition(value)
        bar.setSliderDown(False)

    def press(self, keys: QKeySequence.StandardKey) -> None:
        """Press a key on the list."""
        combination: QKeyCombination = QKeySequence(keys)[0]  # type: ignore[index]
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            QApplication.sendEvent(self.area, QKeyEvent(kind, combination.key(), combination.keyboardModifiers()))

    def copy_all(self) -> bool:
        """Select all and copy; False if this list cannot."""
        if self.name != OURS:
            return False
        QGuiApplication.clipboard().clear()
        self.press(QKeySequence.StandardKey.SelectAll)
        self.press(QKeySequence.StandardKey.Copy)
        return True

    def copied(self) -> str:
        """Return the Markdown that lies on the clipboard."""
        return _markdown(QGuiApplication.clipboard().mimeData())

    def find(self, words: str) -> int | None:
        """Find in all messages; return the number of hits, None while this list cannot."""
        find: Callable[[str], int] | None = getattr(self.area, "find_all", None)
        return find(words) if find is not None else None

    def minimap(self) -> QWidget | None:
        """Return the minimap, if there is one."""
        found = self.stage.findChildren(QWidget)
        return next((widget for widget in found if "Minimap" in type(widget).__name__), None)


def _markdown(data: QMimeData) -> str:
    if data.hasFormat("text/markdown"):
        return bytes(data.data("text/markdown").data()).decode()
    return data.text()


def make(name: str, model: MessageListModel | None = None, presenters: Any = None) -> Subject:
    """Show a list over a model. ``presenters`` are what our view asks for; stand-ins without a network by default."""
    model = model if model is not None else MessageListModel()
    if name == ROWS:
        from benchmarks.message_list.rows import RowList

        area: QAbstractScrollArea = RowList(model)
        stage, keep = Stage(area), list[Any]()
        stage.show()
    else:
        stage, area, keep = _ours(model, presenters)
    clock = Clock(stage, area.viewport)
    return Subject(name, model, stage, area, clock, keep)


def _ours(model: MessageListModel, presenters: Any) -> tuple[Stage, QAbstractScrollArea, list[Any]]:
    from deepchat_desktop.ui.chat.chat_view import ChatView

    if presenters is None:
        from tests.fakes.presenters import FakePresenters

        presenters = FakePresenters()
    view = ChatView(model, presenters.agent, presenters.permission, presenters.session)
    stage = Stage(view)
    stage.show()
    area = view.message_list
    assert isinstance(area, QAbstractScrollArea)
    return stage, area, [presenters, view]


def application() -> QApplication:
    """Return the application in the product's look, with a caret that does not blink."""
    from deepchat_desktop.ui.pauses import Pauses
    from deepchat_desktop.ui.style import install

    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    app.setCursorFlashTime(0)
    install(app)
    Pauses(app).start()
    return app
