"""Which view shows which kind of block: one line for each kind; None is never shown."""

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from deepchat_desktop.ui.blocks.block_part import BlockPart
from deepchat_desktop.ui.blocks.error_block import ErrorView
from deepchat_desktop.ui.blocks.image_block import ImageView
from deepchat_desktop.ui.blocks.plan_block import PlanView
from deepchat_desktop.ui.blocks.reasoning_block import ReasoningView
from deepchat_desktop.ui.blocks.text_block import TextBlockView
from deepchat_desktop.ui.blocks.tool_block import ToolCard

BLOCK_VIEWS: dict[str, Callable[[QWidget], BlockPart] | None] = {
    "text": TextBlockView,
    "reasoning": ReasoningView,
    "tool_call": ToolCard,
    "image": ImageView,
    "plan": PlanView,
    "error": ErrorView,
    "permission": None,  # the card above the composer asks, the tool's own card tells the outcome
    "carry": None,
}
