"""The window that stands in for the main window when the data folder cannot be used: says why and what to do."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget


class TroubleWindow(QWidget):
    """One text and one button. ``closed`` comes when the user has read it."""

    closed = Signal()

    def __init__(self, text: str) -> None:
        super().__init__()
        self.setWindowTitle(self.tr("The data cannot be opened"))
        self.setFixedWidth(480)
        label = QLabel(text)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        button = QPushButton(self.tr("Close"))
        button.clicked.connect(self.close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 24, 24, 16)
        layout.setSpacing(16)
        layout.addWidget(label)
        layout.addWidget(button, 0, Qt.AlignmentFlag.AlignRight)
        button.setFocus(Qt.FocusReason.OtherFocusReason)

    def closeEvent(self, event: QCloseEvent) -> None:
        event.accept()
        self.closed.emit()
