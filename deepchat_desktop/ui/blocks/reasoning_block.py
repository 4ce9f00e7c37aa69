"""The model's reasoning: one fold line, open while it runs, folded when the answer starts.

Invariant: once the user has opened or closed it, only the user moves it.
"""

import time
from collections.abc import Sequence

from PySide6.QtCore import QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget

from deepchat_desktop.domain.blocks import Block, ReasoningBlock
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks.block_part import BlockPart
from deepchat_desktop.ui.blocks.fold_head import FOLD_HEIGHT, FoldLine
from deepchat_desktop.ui.blocks.part import TextPart
from deepchat_desktop.ui.blocks.plain_view import PlainView
from deepchat_desktop.ui.paint import painting, rr
from deepchat_desktop.ui.theme import theme

_INDENT = 26


class ReasoningView(BlockPart):
    """One stretch of reasoning."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._block = ReasoningBlock()
        self._touched = False
        self.head = FoldLine("brain", self)
        self.head.clicked.connect(self._on_click)
        self._body = PlainView(fonts.CONTROL, "muted", parent=self)
        self._body.hide()
        self._clock = QTimer(self, interval=1000)
        self._clock.timeout.connect(self._tell)

    def set_block(self, block: Block) -> None:
        if not isinstance(block, ReasoningBlock):
            return
        self._block = block
        if not self._touched:
            self.head.setChecked(block.open)
        self.head.set_running(block.open)
        if block.open:
            self._clock.start()
        else:
            self._clock.stop()
        self._show_body()
        self._tell()

    def text_parts(self) -> Sequence[TextPart]:
        return (self._body,) if self.head.isChecked() else ()

    def fit(self, width: int) -> int:
        self.head.setGeometry(0, 0, width, FOLD_HEIGHT)
        height = FOLD_HEIGHT
        if self.head.isChecked():
            self._body.move(_INDENT, FOLD_HEIGHT + 2)
            height += 2 + self._body.fit(width - _INDENT) + 8
        self.resize(width, height)
        return height

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.head.isChecked():
            with painting(self) as p:
                rr(p, self.rect().adjusted(7, FOLD_HEIGHT + 4, 9 - self.width(), -4), 1, theme.line)

    def _on_click(self) -> None:
        self._touched = True
        self._show_body()
        self.resized.emit()

    def _show_body(self) -> None:
        if self.head.isChecked():
            self._body.set_text(self._block.text.strip("\n"))
        self._body.setVisible(self.head.isChecked())
        self.update()

    def _tell(self) -> None:
        start, end = self._block.started_at, self._block.ended_at
        if self._block.open:
            seconds = max(0, int(time.time() - start / 1000)) if start else 0
            words = self.tr("Thinking… {seconds} s") if seconds else self.tr("Thinking…")
            self.head.set_words(words.format(seconds=seconds))
        elif start is not None and end is not None and end - start >= 1000:
            self.head.set_words(self.tr("Thought for {seconds} s").format(seconds=round((end - start) / 1000)))
        else:
            self.head.set_words(self.tr("Thought for a moment"))
