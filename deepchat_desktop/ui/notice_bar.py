"""A line under the header that tells something that stops nothing; it stays until it is put away or replaced."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from deepchat_desktop.ui.controls import IconButton
from deepchat_desktop.ui.controls_shown import Box, Glyph, Label


class NoticeBar(QWidget):
    """The bar; hidden while there is nothing to tell."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = Label("", wrap=True)
        self.dismiss = IconButton("x", self.tr("Put away"), 24, 14)
        self.dismiss.clicked.connect(self.hide)
        ground = Box("warn_soft", None, 10)
        row = QHBoxLayout(ground)
        row.setContentsMargins(12, 6, 8, 6)
        row.setSpacing(8)
        row.addWidget(Glyph("warning-circle", "warn", 17), 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.words, 1)
        row.addWidget(self.dismiss, 0, Qt.AlignmentFlag.AlignTop)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(12, 8, 12, 0)
        outer.addWidget(ground)
        self.hide()

    def tell(self, _code: str, text: str) -> None:
        """Show a notice."""
        self.words.setText(text)
        self.setAccessibleName(text)
        self.setVisible(bool(text))
