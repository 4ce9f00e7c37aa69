"""What settings pages are laid out with: a page's column, a labelled row, the bar of a check's result."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QBoxLayout,
    QButtonGroup,
    QHBoxLayout,
    QLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.controls import Button
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
        keep_bar(self)
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


def keep_bar(area: QAbstractScrollArea) -> None:
    """Keep the room of the vertical scroll bar also while it is not needed: else the page jumps to the side."""
    bar = area.verticalScrollBar()
    area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)

    def show_handle(_least: int = 0, most: int = 0) -> None:
        bar.setProperty("idle", most == 0)
        bar.style().unpolish(bar)
        bar.style().polish(bar)

    bar.rangeChanged.connect(show_handle)
    show_handle()


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
    """How a check ended: icon, title, words, and the next step as a button. ``stepped`` comes when it is pressed."""

    stepped = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("ok_soft", None, 8, parent=parent)
        self.setMinimumHeight(36)
        self.busy = False
        self._icon = Glyph("check-circle", "ok", 17)
        self.title = Label("", weight=fonts.SEMIBOLD)
        self.words = Label("", tone="muted", wrap=True)
        self.step = Button(self.tr("Try again"))
        self.step.clicked.connect(self.stepped)
        self._text = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._text.setSpacing(8)
        self._text.addWidget(self.title)
        self._text.addWidget(self.words, 1)
        line = QHBoxLayout(self)
        line.setContentsMargins(10, 4, 6, 4)
        line.setSpacing(8)
        line.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        line.addLayout(self._text, 1)
        line.addWidget(self.step, 0, Qt.AlignmentFlag.AlignTop)
        self._icon.setFixedHeight(28)
        self.hide()

    def show_busy(self, words: str) -> None:
        """Say that the answer is awaited; the bar keeps its place meanwhile."""
        self.show_result(True, words)
        self.busy = True
        self.set_fill("hover")
        self._icon.set_icon("arrow-clockwise", "muted")

    def show_result(self, ok: bool, words: str, title: str = "", step: str = "") -> None:
        """Show a result; without title and words the bar is hidden. ``step`` is the button's label."""
        tone: Literal["ok", "danger"] = "ok" if ok else "danger"
        self.busy = False
        self.set_fill(f"{tone}_soft")
        self._icon.set_icon("check-circle" if ok else "warning-circle", tone)
        self.title.setText(title)
        self.title.setVisible(bool(title))
        # What is wrong takes sentences: they stand under the title, what is right beside it.
        below = not ok and bool(title)
        self._text.setDirection(QBoxLayout.Direction.TopToBottom if below else QBoxLayout.Direction.LeftToRight)
        self._text.setSpacing(2 if below else 8)
        self._text.setContentsMargins(0, 5 if below else 0, 0, 5 if below else 0)
        self.words.setText(words)
        if step:
            self.step.set_label(step)
        self.step.setVisible(bool(step))
        self.setAccessibleName(f"{title} {words}".strip())
        self.setVisible(bool(words or title))


def group(words: str, *, top: int = 24) -> QWidget:
    """Return the head of a group of settings."""
    made = QWidget()
    column = QVBoxLayout(made)
    column.setContentsMargins(0, top, 0, 8)
    column.addWidget(Label(words, weight=fonts.SEMIBOLD))
    return made


def captioned(words: str, control: QWidget, caption: str = "") -> QVBoxLayout:
    """Return a label over a control that takes the width it is given, with a caption under it."""
    column = QVBoxLayout()
    column.setSpacing(6)
    label = Label(words, weight=fonts.MEDIUM)
    label.setBuddy(control)
    column.addWidget(label)
    column.addWidget(control)
    if caption:
        column.addWidget(Label(caption, fonts.META, tone="subtle", wrap=True))
    return column


def tab_to_checked(group: QButtonGroup) -> None:
    """Let Tab lead to the chosen button of a list; the arrows go through the others."""
    for button in group.buttons():
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus if button.isChecked() else Qt.FocusPolicy.NoFocus)


def tab_along(start: QWidget, made: Iterable[QWidget]) -> None:
    """Let Tab lead from ``start`` to what was made later than its neighbours, and on from there as before."""
    for before, after in pairwise((start, *made)):
        QWidget.setTabOrder(before, after)


def empty(layout: QLayout) -> None:
    """Take all widgets out of a layout and let go of them."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()
