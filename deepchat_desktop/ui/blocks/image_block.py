"""A picture as a block of a message."""

from collections.abc import Sequence

from deepchat_desktop.domain.blocks import Block, ImageBlock
from deepchat_desktop.domain.visible_text import visible_exact
from deepchat_desktop.ui.blocks.cell import Cell, Choices
from deepchat_desktop.ui.blocks.picture_shape import PictureShape
from deepchat_desktop.ui.blocks.shape import Shape


class PictureCell(Cell):
    """One picture; ``right`` and ``widest`` are for the user's."""

    def __init__(self, index: int, image: ImageBlock, *, right: bool = False) -> None:
        super().__init__(index)
        self.image, self._right = image, right

    def make(self) -> Shape:
        name = visible_exact(self.image.name, multiline=False)
        return PictureShape(self.image.media_type, self.image.data, name, right=self._right)

    def guess(self, width: int) -> int:
        return 200

    def name(self) -> str:
        made = self.shape if isinstance(self.shape, PictureShape) else self.make()
        return made.words() if isinstance(made, PictureShape) else ""


def cells(block: Block, choices: Choices, old: Sequence[Cell]) -> list[Cell]:
    """Return the picture's cell."""
    if not isinstance(block, ImageBlock):
        return []
    kept = [cell for cell in old if isinstance(cell, PictureCell) and cell.image == block]
    return [*kept] or [PictureCell(choices.index, block)]
