"""Which cells show which kind of block: one line for each kind; None is never shown."""

from collections.abc import Callable, Sequence

from deepchat_desktop.domain.blocks import Block
from deepchat_desktop.ui.blocks import (
    compaction_block,
    error_block,
    file_block,
    image_block,
    permission_block,
    plan_block,
    reasoning_block,
    search_block,
    text_block,
    tool_block,
)
from deepchat_desktop.ui.blocks.cell import Cell, Choices

Maker = Callable[[Block, Choices, Sequence[Cell]], list[Cell]]
"""Block, what is kept for it, and its cells until now."""

BLOCK_CELLS: dict[str, Maker | None] = {
    "text": text_block.cells,
    "reasoning": reasoning_block.cells,
    "tool_call": tool_block.cells,
    "image": image_block.cells,
    "file": file_block.cells,
    "plan": plan_block.cells,
    "search": search_block.cells,
    "compaction": compaction_block.cells,
    "error": error_block.cells,
    "permission": permission_block.cells,
    "carry": None,
}
