"""What settings pages are laid out with: a page's column, a labelled row, the bar of a check's result."""

from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.controls_shown import Box, Glyph, Label

PAD = 32
COLUMN = 660


class Page(QScrollArea):
    """A page with a title; widgets are added to ``column``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its controls scroll it; a focus on the page itself is not seen
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        inner = QWidget()
        inner.setMaximumWidth(COLUMN + 2 * PAD)
        self.column = QVBoxLayout(inner)
        self.column.setContentsMargins(PAD, 20, PAD, PAD)
        self.column.setSpacing(0)
        self.title = Label("", fonts.HEADING, fonts.SEMIBOLD, wrap=True)
        self.column.addWidget(self.title)
        self.setWidget(inner)
        inner.setAutoFillBackground(False)  # setWidget turns it on

    def set_title(self, title: str) -> None:
        """Name the page."""
        self.title.setText(title)
        self.setAccessibleName(title)


def row(words: str, control: QWidget, caption: str = "") -> QWidget:
    """Return a label over a control with a caption under it."""
    made = QWidget()
    column = QVBoxLayout(made)
    column.setContentsMargins(0, 0, 0, 24)
    column.setSpacing(6)
    label = Label(words, weight=fonts.MEDIUM)
    label.setBuddy(control)
    column.addWidget(label)
    line = QHBoxLayout()
    line.addWidget(control)
    line.addStretch(1)
    column.addLayout(line)
    if caption:
        column.addWidget(Label(caption, fonts.META, tone="subtle", wrap=True))
    return made


class ResultBar(Box):
    """How a check ended, in words with icon and colour."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("ok_soft", None, 8, parent=parent)
        self.setMinimumHeight(36)
        self._icon = Glyph("check-circle", "ok", 17)
        self.words = Label("", wrap=True)
        line = QHBoxLayout(self)
        line.setContentsMargins(10, 8, 12, 8)
        line.setSpacing(8)
        line.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self.words, 1)
        self.hide()

    def show_result(self, ok: bool, words: str) -> None:
        """Show a result; no words hide the bar."""
        tone: Literal["ok", "danger"] = "ok" if ok else "danger"
        self.set_fill(f"{tone}_soft")
        self._icon.set_icon("check-circle" if ok else "warning-circle", tone)
        self.words.setText(words)
        self.setAccessibleName(words)
        self.setVisible(bool(words))
