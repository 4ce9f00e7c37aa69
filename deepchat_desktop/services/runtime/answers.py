"""An answer to a permission: settled once, in one transaction with what it changes (APR-2)."""

from deepchat_desktop.domain.blocks import Block, PermissionBlock, ToolCallBlock
from deepchat_desktop.domain.messages import Message
from deepchat_desktop.domain.permission import Answer, Grant, Interaction
from deepchat_desktop.domain.tape import TapeFact
from deepchat_desktop.services.permissions import session_root
from deepchat_desktop.services.runtime.batch import refusal
from deepchat_desktop.services.store import Tx


def settle(tx: Tx, interaction_id: str, answer: Answer, at: int) -> tuple[Interaction, dict[int, Block]] | None:
    """Record an answer; return the interaction and the blocks that changed, or None when it was answered before.

    Raises ``NotFound`` for an unknown interaction. "For this session" stores a grant of the asked level for the
    folder that was shown; a command is never granted this way.
    """
    tx.interactions.get(interaction_id)
    status = "allowed" if answer.allow else "denied"
    settled = tx.interactions.settle(interaction_id, status, answer.scope, answer.why, at)
    if settled is None:
        return None
    session = tx.sessions.get(settled.session_id)
    if answer.allow and answer.scope == "session" and settled.level != "command":
        root = session_root(session, settled.target)
        tx.grants.add(Grant(session_id=session.id, root=root, level=settled.level, created_at=at))
    tx.tape.append(session.id, _fact(settled, answer), at)
    changed = _changed_blocks(tx.messages.get(settled.message_id), settled, at)
    tx.messages.save_blocks(settled.message_id, changed)
    return settled, changed


def _fact(interaction: Interaction, answer: Answer) -> TapeFact:
    return TapeFact(
        kind="event",
        name="permission/answered",
        source="user",
        provenance=f"answer:{interaction.id}",
        payload={"interaction_id": interaction.id, **answer.model_dump(mode="json")},
    )


def _changed_blocks(message: Message, interaction: Interaction, at: int) -> dict[int, Block]:
    changed: dict[int, Block] = {}
    denied = interaction.status == "denied"
    for index, block in enumerate(message.blocks):
        if isinstance(block, PermissionBlock) and block.interaction_id == interaction.id:
            mark = "granted" if interaction.status == "allowed" else "denied"
            changed[index] = block.model_copy(update={"status": mark})
        elif isinstance(block, ToolCallBlock) and block.call_id == interaction.call_id and denied:
            done = {"status": "denied", "result": refusal(interaction), "ended_at": at}
            changed[index] = block.model_copy(update=done)
    return changed
