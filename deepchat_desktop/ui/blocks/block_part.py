"""What a view of one block must offer, and what it may ask of the window."""

from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import Signal

from deepchat_desktop.domain.blocks import Block
from deepchat_desktop.ui.blocks.part import Part, TextPart

Ask = Literal["retry", "continue", "settings"]
"""What a button in a message asks for."""


class BlockPart(Part):
    """A view of one block."""

    asked = Signal(str)

    def set_block(self, block: Block) -> None:
        """Show a new state of the block. The owner fits anew."""

    def set_active(self, active: bool) -> None:
        """Tell whether its buttons would still act on this message; the owner fits anew."""

    def text_parts(self) -> Sequence[TextPart]:
        """Return what can be selected, in reading order."""
        return ()
