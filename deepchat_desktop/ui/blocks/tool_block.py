"""The card of one tool call: a head with its state, opening to arguments and result.

Invariants: arguments and result are plain text with invisible characters shown; a long text scrolls inside the
card, and what is beyond ``MAX_SHOWN`` characters is counted, not dropped silently.
"""

import json
import time
from collections.abc import Sequence

from PySide6.QtCore import QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget

from deepchat_desktop.domain.blocks import Block, ToolCallBlock
from deepchat_desktop.domain.visible_text import visible_exact
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks import tool_words
from deepchat_desktop.ui.blocks.block_part import BlockPart
from deepchat_desktop.ui.blocks.fold_head import CARD_HEIGHT, CardHead
from deepchat_desktop.ui.blocks.part import TextPart
from deepchat_desktop.ui.blocks.text_well import TextWell
from deepchat_desktop.ui.controls_shown import Label
from deepchat_desktop.ui.paint import hline, painting, rr
from deepchat_desktop.ui.theme import theme

MAX_SHOWN = 100_000
_PAD, _LABEL, _WELL_HEIGHT = 12, 18, 260


class ToolCard(BlockPart):
    """One call."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._block = ToolCallBlock(call_id="", name="")
        self.head = CardHead(self)
        self.head.clicked.connect(self._on_click)
        self._sections: list[tuple[Label, TextWell]] = []
        self._clock = QTimer(self, interval=1000)
        self._clock.timeout.connect(self._tell)

    def set_block(self, block: Block) -> None:
        if not isinstance(block, ToolCallBlock):
            return
        self._block = block
        name = visible_exact(block.name, multiline=False)
        self.head.set_call(tool_words.icon_of(block.name), name, tool_words.argument_of(block))
        self.head.set_running(block.status in ("streaming", "running"))
        if block.status == "running":
            self._clock.start()
        else:
            self._clock.stop()
        self._tell()
        if self.head.isChecked():
            self._fill()

    def text_parts(self) -> Sequence[TextPart]:
        return [well.view for _, well in self._sections] if self.head.isChecked() else ()

    def fit(self, width: int) -> int:
        self.head.setGeometry(0, 0, width, CARD_HEIGHT)
        y = CARD_HEIGHT
        if self.head.isChecked():
            y += 1
            for label, well in self._sections:
                label.setGeometry(_PAD, y + 8, width - 2 * _PAD, _LABEL)
                well.move(_PAD, y + 8 + _LABEL + 4)
                y += 8 + _LABEL + 4 + well.fit(width - 2 * _PAD)
            y += _PAD
        self.resize(width, y)
        return y

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            rr(p, self.rect(), 10, theme.surface, theme.line)
            if self.head.isChecked():
                hline(p, 1, CARD_HEIGHT, self.width() - 2)

    def _tell(self) -> None:
        self.head.set_state(*tool_words.state_of(self._block, round(time.time() * 1000)))

    def _on_click(self) -> None:
        if self.head.isChecked():
            self._fill()
        for label, well in self._sections:
            label.setVisible(self.head.isChecked())
            well.setVisible(self.head.isChecked())
        self.resized.emit()

    def _fill(self) -> None:
        texts = [(self.tr("Arguments"), _arguments(self._block))]
        if self._block.result:
            texts.append((self.tr("Result"), self._block.result))
        while len(self._sections) < len(texts):
            label = Label("", fonts.META, fonts.MEDIUM, "subtle", parent=self)
            well = TextWell(_WELL_HEIGHT, parent=self)
            label.show()
            well.show()
            self._sections.append((label, well))
        for (title, words), (label, well) in zip(texts, self._sections, strict=False):
            label.setText(title)
            well.set_text(self._shortened(words))

    def _shortened(self, words: str) -> str:
        if len(words) <= MAX_SHOWN:
            return words
        more = self.tr("… {count} more characters").format(count=len(words) - MAX_SHOWN)
        return f"{words[:MAX_SHOWN]}\n{more}"


def _arguments(call: ToolCallBlock) -> str:
    """Return one line for each argument; long texts stand below their name."""
    if call.arguments is None:
        return call.arguments_text
    lines = []
    for key, value in call.arguments.items():
        words = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        lines.append(f"{key}:\n{words}" if "\n" in words else f"{key}: {words}")
    return "\n".join(lines)
