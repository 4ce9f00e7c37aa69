"""A whole message as Markdown, read from the model alone: nothing is cut, built or laid out for it."""

from deepchat_desktop.domain.blocks import Block
from deepchat_desktop.domain.messages import Role
from deepchat_desktop.presenters.message_list_model import MessageView
from deepchat_desktop.ui.blocks.cell import Choices
from deepchat_desktop.ui.blocks.registry import BLOCK_CELLS
from deepchat_desktop.ui.message_list import user_cells


def text(message: MessageView) -> str:
    """Return what was written: the user's text, or the answer's without calls and reasoning."""
    if message.role == "user":
        return user_cells.source_of(message)
    return "\n\n".join(block.text.strip("\n") for block in message.blocks if block.kind == "text")


def plain(role: Role, written: str) -> str:
    """Return a message that is nothing but one text, as ``markdown`` does."""
    return written if role == "user" else written.strip("\n")


def markdown(message: MessageView) -> str:
    """Return a message with a line for each call, plan, error and so on, as they read while folded."""
    if message.role == "user":
        return user_cells.source_of(message)
    if len(message.blocks) == 1 and message.blocks[0].kind == "text":
        return message.blocks[0].text.strip("\n")
    pieces = (_block(index, block) for index, block in enumerate(message.blocks))
    return "\n\n".join(piece for piece in pieces if piece)


def _block(index: int, block: Block) -> str:
    if block.kind == "text":
        return block.text.strip("\n")
    make = BLOCK_CELLS[block.kind]
    if make is None or block.kind == "reasoning":
        return ""
    cells = make(block, Choices(index, folds={"open": False}), ())
    return "\n\n".join(words for cell in cells if (words := cell.markdown()))
