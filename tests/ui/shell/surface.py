"""A plain widget in the conversation's place: a slot for the empty page, and regions for F6."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPlainTextEdit, QStackedWidget, QTextEdit, QVBoxLayout, QWidget

from deepchat_desktop.domain.settings import ReadingPlace


class PlainSurface(QWidget):
    settings_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.kept: tuple[ReadingPlace, ...] = ()
        self.slot = QStackedWidget()
        self.messages = QTextEdit()
        self.messages.setReadOnly(True)
        self.messages.setAccessibleName("Messages")
        self.composer = QPlainTextEdit()
        self.composer.setAccessibleName("Message")
        self.composer.setFixedHeight(110)
        column = QVBoxLayout(self)
        column.addWidget(self.slot, 1)
        column.addWidget(self.messages)
        column.addWidget(self.composer)
        self.messages.setFixedHeight(20)

    def set_empty_widget(self, widget: QWidget | None) -> None:
        while self.slot.count():
            self.slot.removeWidget(self.slot.widget(0))
        if widget is not None:
            self.slot.addWidget(widget)

    def open_find(self) -> None:
        self.messages.setFocus()

    def set_minimap(self, shown: bool) -> None:
        self.minimap = shown

    def places(self) -> tuple[ReadingPlace, ...]:
        return self.kept

    def take_places(self, places: tuple[ReadingPlace, ...]) -> None:
        self.kept = places

    def focus_composer(self) -> None:
        self.composer.setFocus()

    def focus_regions(self) -> list[QWidget]:
        return [self.messages, self.composer]
