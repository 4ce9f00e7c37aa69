"""What a crash left, put in order at start-up, before anything else writes.

Nothing is repeated by itself: a call with an outcome is done, a dispatched call without one is *interrupted*, an
approved call that was never dispatched is asked for again (APR-4), unless its batch still waits for other answers:
these may come from one process each. Pure of tasks: one transaction.
"""

from deepchat_desktop.domain.accumulate import Answer, close_open
from deepchat_desktop.domain.blocks import Block, Blocks, PermissionBlock, ToolCallBlock
from deepchat_desktop.domain.ids import new_id
from deepchat_desktop.domain.journal import recovery_class
from deepchat_desktop.domain.messages import Message
from deepchat_desktop.services.clock import now_ms
from deepchat_desktop.services.runtime.finish import message_fact
from deepchat_desktop.services.store import Tx


def recover(tx: Tx) -> list[Message]:
    """Settle every message that a former process left streaming or answered; return those that changed."""
    tx.interactions.forget_locks()
    changed = [_recover_message(tx, message) for message in tx.messages.unfinished()]
    for session in tx.sessions.list():
        if session.status != "idle":
            waits = bool(tx.interactions.pending(session.id))
            tx.sessions.save(session.model_copy(update={"status": "waiting" if waits else "idle"}))
    return [message for message in changed if message is not None]


def _recover_message(tx: Tx, message: Message) -> Message | None:
    if message.status == "paused" and _waits(tx, message):
        return None
    at = now_ms()
    blocks = close_open(Answer(blocks=message.blocks), at).answer.blocks
    asked_again: list[PermissionBlock] = []
    settled = tuple(_recover_block(tx, message, block, asked_again) for block in blocks)
    settled = (*_void_answered(tx, settled), *asked_again)
    waits = _waits(tx, message)
    if not waits:
        settled = tuple(_skipped(block) for block in settled)
    status = "paused" if waits else "interrupted"
    if settled == message.blocks and status == message.status:
        return None
    recovered = message.model_copy(
        update={
            "blocks": settled,
            "status": status,
            "outcome": "paused" if waits else "aborted",
            "stop_reason": "interaction" if waits else "interrupted",
            "updated_at": at,
        }
    )
    tx.messages.save(recovered)
    tx.tape.append(message.session_id, message_fact(recovered, f"recovered:{new_id()}"), at)
    return recovered


def _waits(tx: Tx, message: Message) -> bool:
    return any(item.message_id == message.id for item in tx.interactions.pending(message.session_id))


def _recover_block(tx: Tx, message: Message, block: Block, asked_again: list[PermissionBlock]) -> Block:
    if not isinstance(block, ToolCallBlock):
        return block
    if block.status == "streaming":
        return block.model_copy(update={"status": "incomplete"})
    if block.status not in ("pending", "waiting", "running"):
        return block
    run_id = message.run_id or ""
    facts = tx.journal.of_call(run_id, f"{run_id}:{block.round}", block.call_id)
    match recovery_class(facts):
        case "completed":
            outcome = next(fact for fact in facts if fact.name == "tool_outcome")
            done = {"status": outcome.payload["status"], "result": outcome.payload["text"]}
            return block.model_copy(update=done)
        case "indeterminate":
            return block.model_copy(update={"status": "interrupted"})
        case "not_dispatched":
            return _ask_again(tx, block, asked_again)


def _ask_again(tx: Tx, block: ToolCallBlock, asked_again: list[PermissionBlock]) -> Block:
    """An approval that was given but not used before the crash is asked for anew."""
    interaction = tx.interactions.of_call(block.call_id)
    if interaction is None or interaction.status == "pending":
        return block
    if interaction.status != "allowed":
        return block.model_copy(update={"status": "denied" if interaction.status == "denied" else "skipped"})
    fresh = interaction.model_copy(
        update={
            "id": new_id(),
            "status": "pending",
            "scope": None,
            "why": "",
            "created_at": now_ms(),
            "answered_at": None,
        }
    )
    tx.interactions.add(fresh)
    asked_again.append(
        PermissionBlock(
            interaction_id=fresh.id,
            call_id=fresh.call_id,
            tool=fresh.tool,
            level=fresh.level,
            summary=fresh.summary,
        )
    )
    return block.model_copy(update={"status": "waiting"})


def _skipped(block: Block) -> Block:
    """A call that was never dispatched, in a message that nothing resumes, will not run any more."""
    if isinstance(block, ToolCallBlock) and block.status in ("pending", "waiting"):
        return block.model_copy(update={"status": "skipped"})
    return block


def _void_answered(tx: Tx, blocks: Blocks) -> Blocks:
    """Marks whose interaction is no longer waiting are void."""
    waiting = {item.id for item in tx.interactions.pending()}
    return tuple(
        block.model_copy(update={"status": "void"})
        if isinstance(block, PermissionBlock) and block.status == "pending" and block.interaction_id not in waiting
        else block
        for block in blocks
    )
