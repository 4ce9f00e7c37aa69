"""An answer to a permission: settled once, in one transaction with what it changes (APR-2).

The last answer of a message also takes the resume lock and sets the message going again, in the same transaction: so an
answer is either recorded and its run resumed, or not given at all.
"""

from dataclasses import dataclass

from deepchat_desktop.domain.blocks import Block, PermissionBlock, ToolCallBlock
from deepchat_desktop.domain.messages import Message, Session
from deepchat_desktop.domain.permission import Answer, Grant, Interaction
from deepchat_desktop.domain.tape import TapeFact
from deepchat_desktop.services.permissions import session_root
from deepchat_desktop.services.runtime.batch import refusal
from deepchat_desktop.services.runtime.begin import started
from deepchat_desktop.services.store import Tx


@dataclass(frozen=True)
class Settled:
    """What an answer changed. ``resumes`` tells that it was the last one and that the caller holds the lock."""

    interaction: Interaction
    changed: dict[int, Block]
    session: Session
    message: Message
    pending: tuple[Interaction, ...]
    resumes: bool


def settle(tx: Tx, interaction_id: str, answer: Answer, at: int, owner: str) -> Settled | None:
    """Record an answer; return what changed, or None when it was answered before.

    ``owner`` names the pass that resumes the message when this was its last answer. Raises ``NotFound`` for an unknown
    interaction. "For this session" stores a grant of the asked level for the folder that was shown; a command is never
    granted this way.
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
    message = tx.messages.get(settled.message_id)
    pending = tuple(tx.interactions.pending(session.id))
    # Whoever does not get the lock does nothing (APR-5).
    resumes = not pending and tx.interactions.lock(session.id, message.id, owner)
    if resumes:
        session = session.model_copy(update={"status": "generating"})
        tx.sessions.save(session)
        message = message.model_copy(update={"status": "streaming"})
        tx.messages.save(message)
        tx.journal.record(started(message, owner, at))
    return Settled(settled, changed, session, message, pending, resumes)


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
        elif isinstance(block, ToolCallBlock) and block.call_id == interaction.call_id:
            done = {"status": "denied", "result": refusal(interaction), "ended_at": at}
            # An allowed call waits for the others of its batch now, and no longer for the user.
            changed[index] = block.model_copy(update=done if denied else {"status": "pending"})
    return changed
