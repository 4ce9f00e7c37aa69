"""A picture as a block of a message."""

from PySide6.QtWidgets import QWidget

from deepchat_desktop.domain.blocks import Block, ImageBlock
from deepchat_desktop.domain.visible_text import visible_exact
from deepchat_desktop.ui.blocks.block_part import BlockPart
from deepchat_desktop.ui.blocks.picture_view import PictureView


class ImageView(BlockPart):
    """One picture."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture: PictureView | None = None

    def set_block(self, block: Block) -> None:
        if not isinstance(block, ImageBlock) or (self._picture and self._picture.shows(block.media_type, block.data)):
            return
        if self._picture is not None:
            self._picture.deleteLater()
        name = visible_exact(block.name, multiline=False)
        self._picture = PictureView(block.media_type, block.data, name, self)
        self._picture.show()

    def fit(self, width: int) -> int:
        self.resize(width, self._picture.fit(width) if self._picture is not None else 0)
        return self.height()

    def natural_width(self, width: int) -> int:
        """Return how wide the picture is drawn in ``width``."""
        return self._picture.natural_width(width) if self._picture is not None else 0
