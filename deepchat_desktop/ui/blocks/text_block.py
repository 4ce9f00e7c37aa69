"""The answer's text as a block of a message."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from deepchat_desktop.domain.blocks import Block, TextBlock
from deepchat_desktop.ui.blocks.block_part import BlockPart
from deepchat_desktop.ui.blocks.markdown_view import MarkdownView
from deepchat_desktop.ui.blocks.part import TextPart


class TextBlockView(BlockPart):
    """Markdown that may still grow."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.markdown = MarkdownView(self)

    def set_block(self, block: Block) -> None:
        if isinstance(block, TextBlock):
            self.markdown.set_text(block.text, open=block.open)

    def text_parts(self) -> Sequence[TextPart]:
        return self.markdown.text_parts()

    def fit(self, width: int) -> int:
        self.resize(width, self.markdown.fit(width))
        return self.height()
