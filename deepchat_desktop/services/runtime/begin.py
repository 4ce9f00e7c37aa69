"""How a turn begins: one transaction for what the user sent and the empty answer to it.

Nothing can be left half begun: either both messages are there and the session is generating, or nothing was
written. What an earlier answer left open is settled in the same step, since nobody will come back to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from deepchat_desktop.domain.accumulate import Answer, close_open
from deepchat_desktop.domain.attachments import AttachedBlock
from deepchat_desktop.domain.blocks import OPEN_TOOL_STATUSES, Block, Blocks, FileBlock, TextBlock, ToolCallBlock
from deepchat_desktop.domain.budget import estimate_text
from deepchat_desktop.domain.errors import NotFound, Refused
from deepchat_desktop.domain.ids import new_id
from deepchat_desktop.domain.journal import JournalFact
from deepchat_desktop.domain.messages import Message, MessageMeta, Session
from deepchat_desktop.services.clock import now_ms
from deepchat_desktop.services.runtime.finish import message_fact
from deepchat_desktop.services.runtime.history import last_turn
from deepchat_desktop.services.runtime.titles import first_words
from deepchat_desktop.services.store import Tx

_SETTLED = {"streaming": "incomplete", "running": "interrupted"}


@dataclass(frozen=True)
class Begun:
    """What a beginning wrote. ``question`` is None when the last user message is answered once more."""

    session: Session
    question: Message | None
    answer: Message
    left: tuple[Message, ...]
    """Earlier answers that had something open and are now settled."""
    first: bool
    """Whether the question is the session's first message."""


def begin(
    tx: Tx, session_id: str, text: str, attached: Sequence[AttachedBlock], *, carry_on: bool = False
) -> Begun:
    """Write a user message and the empty answer to it.

    With ``carry_on`` the calls that the last answer left at its limit begin the new answer; else they are skipped
    for good. Raises ``Refused`` (code ``pending_interaction``) and ``NotFound``.
    """
    session, history = _ready(tx, session_id)
    at = now_ms()
    question = Message(
        id=new_id(),
        session_id=session_id,
        role="user",
        blocks=(TextBlock(text=text), *attached) if text else tuple(attached),
        meta=MessageMeta(token_estimate=_estimate(text, attached)),
        created_at=at,
        updated_at=at,
    )
    carried = _left_at_limit(history) if carry_on else ()
    left = _settle_left(tx, history, at)
    tx.messages.add(question)
    tx.tape.append(session_id, message_fact(question, "user"), at)
    title = session.title or first_words(text) or _first_name(attached)
    session = session.model_copy(update={"status": "generating", "updated_at": at, "title": title})
    tx.sessions.save(session)
    return Begun(session, question, _open_answer(tx, question, 0, carried, at), left, not history)


def _estimate(text: str, attached: Sequence[AttachedBlock]) -> int:
    return estimate_text(text) + sum(estimate_text(block.text) for block in attached if isinstance(block, FileBlock))


def _first_name(attached: Sequence[AttachedBlock]) -> str:
    """Return a title for a session that begins without words."""
    return next((block.name for block in attached if isinstance(block, FileBlock)), "Image")


def begin_again(tx: Tx, session_id: str) -> Begun:
    """Write another empty answer, the next variant, to the last user message. Raises as ``begin`` does."""
    session, history = _ready(tx, session_id)
    question = next((message for message in reversed(history) if message.role == "user"), None)
    if question is None:
        raise NotFound("There is no message to answer in this session.")
    at = now_ms()
    left = _settle_left(tx, history, at)
    session = session.model_copy(update={"status": "generating", "updated_at": at})
    tx.sessions.save(session)
    variant = sum(1 for message in history if message.role == "assistant" and message.parent == question.id)
    return Begun(session, None, _open_answer(tx, question, variant, (), at), left, False)


def _ready(tx: Tx, session_id: str) -> tuple[Session, list[Message]]:
    session = tx.sessions.get(session_id)
    if tx.interactions.pending(session_id):
        raise Refused("Answer the request that waits in this session first.", code="pending_interaction")
    return session, last_turn(tx, session_id)  # what is open is there: each beginning settles what was before


def _open_answer(tx: Tx, question: Message, variant: int, blocks: Blocks, at: int) -> Message:
    message = Message(
        id=new_id(),
        session_id=question.session_id,
        role="assistant",
        status="streaming",
        run_id=new_id(),
        blocks=blocks,
        parent=question.id,
        variant=variant,
        created_at=at,
        updated_at=at,
    )
    tx.messages.add(message)
    tx.journal.record(started(message, message.run_id or "", at))
    return message


def started(message: Message, pass_id: str, at: int) -> JournalFact:
    """Return the journal's record of a pass that begins or resumes a message."""
    return JournalFact(
        name="run_started",
        session_id=message.session_id,
        run_id=pass_id,
        payload={"message_id": message.id},
        created_at=at,
    )


def _left_at_limit(history: Sequence[Message]) -> tuple[ToolCallBlock, ...]:
    """Return the calls that the last answer left at its limit, as calls of a new answer's first round."""
    last = history[-1] if history else None
    if last is None or last.stop_reason != "max_tool_calls":
        return ()
    return tuple(
        block.model_copy(update={"call_id": new_id(), "round": 0})
        for block in last.blocks
        if isinstance(block, ToolCallBlock) and block.status == "pending"
    )


def _settle_left(tx: Tx, history: Sequence[Message], at: int) -> tuple[Message, ...]:
    changed = []
    for message in history:
        if message.role != "assistant" or not _is_open(message):
            continue
        blocks = tuple(_settled(block) for block in close_open(Answer(blocks=message.blocks), at).answer.blocks)
        update: dict[str, object] = {"blocks": blocks, "updated_at": at}
        if message.status in ("streaming", "paused"):
            update |= {"status": "interrupted", "outcome": "aborted", "stop_reason": "interrupted"}
        settled = message.model_copy(update=update)
        tx.messages.save(settled)
        tx.tape.append(message.session_id, message_fact(settled, f"left:{new_id()}"), at)
        changed.append(settled)
    return tuple(changed)


def _is_open(message: Message) -> bool:
    return message.status in ("streaming", "paused") or any(
        isinstance(block, ToolCallBlock) and block.status in OPEN_TOOL_STATUSES for block in message.blocks
    )


def _settled(block: Block) -> Block:
    if block.kind == "permission" and block.status == "pending":
        return block.model_copy(update={"status": "void"})
    if isinstance(block, ToolCallBlock) and block.status in OPEN_TOOL_STATUSES:
        return block.model_copy(update={"status": _SETTLED.get(block.status, "skipped")})
    return block
