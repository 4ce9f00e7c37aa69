"""The one place where a run ends, however it ends.

The message, the tape's fact, the journal's ``run_terminal`` and the session's state are one transaction; only after
it are they told.
"""

import time
from collections.abc import Callable

from deepchat_desktop.domain.accumulate import close_open, total_usage, with_error
from deepchat_desktop.domain.blocks import Block, ToolCallBlock
from deepchat_desktop.domain.budget import estimate_text
from deepchat_desktop.domain.catalogue import cost_of
from deepchat_desktop.domain.events import (
    ErrorReport,
    MessageFinished,
    RunEnded,
    RuntimeEvent,
    SessionChanged,
    StatusChanged,
)
from deepchat_desktop.domain.journal import JournalFact
from deepchat_desktop.domain.messages import Message, MessageMeta, MessageStatus, OutcomeName, Session
from deepchat_desktop.domain.outcome import Completed, Failed, Outcome, Paused
from deepchat_desktop.domain.permission import Interaction
from deepchat_desktop.domain.tape import TapeFact
from deepchat_desktop.domain.usage import Usage
from deepchat_desktop.services.clock import now_ms
from deepchat_desktop.services.runtime.echo import Echo
from deepchat_desktop.services.runtime.report import run_ended
from deepchat_desktop.services.runtime.run import Run
from deepchat_desktop.services.store import Store, Tx

_STATUS: dict[str, MessageStatus] = {
    "completed": "done",
    "paused": "paused",
    "aborted": "interrupted",
    "error": "error",
}


async def finish(
    run: Run, outcome: Outcome, *, store: Store, echo: Echo, emit: Callable[[RuntimeEvent], None]
) -> RunEnded:
    """Write the end of a run, tell it, and return the report. Raises ``StoreError`` when it cannot be written."""
    echo.drop()
    settle_blocks(run, outcome, echo)
    echo.drop()
    _session, pending = await write_end(run, outcome, store=store, emit=emit)
    ended = run_ended(run.message, pending, error_report(outcome))
    emit(ended)
    return ended


async def write_end(
    run: Run, outcome: Outcome, *, store: Store, emit: Callable[[RuntimeEvent], None]
) -> tuple[Session, list[Interaction]]:
    """Write a run whose blocks are settled as ended, and tell the views. Raises ``StoreError``."""
    message = final_message(run, outcome)
    session, pending = await store.write(lambda tx: _write(tx, run, message, outcome))
    run.message, run.session = message, session
    emit(MessageFinished(session_id=session.id, message=message))
    emit(SessionChanged(session=session))
    emit(StatusChanged(session_id=session.id, status=session.status))
    return session, pending


def settle_blocks(run: Run, outcome: Outcome, echo: Echo) -> None:
    """Close what is open, settle what never ran, and put an error where it happened."""
    echo.apply(close_open(run.answer, now_ms()))
    if not isinstance(outcome, Paused):
        for index, block in enumerate(run.answer.blocks):
            if (settled := _settled(block, outcome)) is not None:
                echo.set(index, settled)
    if isinstance(outcome, Failed):
        echo.apply(
            with_error(
                run.answer,
                code=outcome.code,
                message=outcome.message,
                retryable=outcome.retryable,
                now=now_ms(),
            )
        )


def _settled(block: Block, outcome: Outcome) -> Block | None:
    if block.kind == "permission" and block.status == "pending":
        return block.model_copy(update={"status": "void"})
    if not isinstance(block, ToolCallBlock):
        return None
    match block.status:
        case "streaming":
            return block.model_copy(update={"status": "incomplete"})
        case "running":
            return block.model_copy(update={"status": "interrupted"})
        case "waiting" | "pending":
            kept = isinstance(outcome, Completed) and outcome.reason == "max_tool_calls"
            return None if kept else block.model_copy(update={"status": "skipped"})
        case _:
            return None


def error_report(outcome: Outcome) -> ErrorReport | None:
    """Return the command line's form of a failure."""
    if not isinstance(outcome, Failed):
        return None
    return ErrorReport(kind=outcome.code, retryable=outcome.retryable, message=outcome.message)


def final_message(run: Run, outcome: Outcome) -> Message:
    """Return the message as it stands at the end of a pass."""
    name: OutcomeName = outcome.kind
    usage = total_usage(run.answer)
    seconds = time.monotonic() - run.started
    before = run.message.meta
    streamed_ms = before.streamed_ms + round(run.streamed * 1000)
    last = run.answer.round_usage
    meta = MessageMeta(
        model=run.model.label if run.model else before.model,
        provider=run.model.connection.provider if run.model else before.provider,
        rounds=run.answer.round + 1,
        tool_calls=run.calls_made,
        first_token_ms=before.first_token_ms
        or (round((run.first_token - run.started) * 1000) if run.first_token is not None else None),
        duration_ms=(before.duration_ms or 0) + round(seconds * 1000),
        streamed_ms=streamed_ms,
        tokens_per_second=round(usage.output * 1000 / streamed_ms, 1) if usage.output and streamed_ms > 50 else None,
        context_tokens=last.input + last.output or before.context_tokens,
        cost=_cost(run, usage),
        token_estimate=sum(estimate_text(b.text) for b in run.answer.blocks if b.kind in ("text", "reasoning")),
    )
    return run.message.model_copy(
        update={
            "status": _STATUS[name],
            "outcome": name,
            "stop_reason": outcome.reason,
            "blocks": run.answer.blocks,
            "usage": usage,
            "meta": meta,
            "updated_at": now_ms(),
        }
    )


def _cost(run: Run, usage: Usage) -> float | None:
    """Return what the whole answer cost; an answer that two models share has no one price."""
    before = run.message.meta.model
    if run.model is None or (before and before != run.model.label):
        return None
    return cost_of(usage, run.model.price)


def _write(tx: Tx, run: Run, message: Message, outcome: Outcome) -> tuple[Session, list[Interaction]]:
    at = message.updated_at
    tx.messages.save(message)
    if not isinstance(outcome, Paused):
        tx.interactions.void_message(message.id, at)
    if run.locked:
        tx.interactions.unlock(message.session_id, message.id, run.id)
    tx.tape.append(message.session_id, message_fact(message, run.id), at)
    tx.journal.record(
        JournalFact(
            name="run_terminal",
            session_id=message.session_id,
            run_id=run.id,
            payload={"outcome": outcome.kind, "reason": outcome.reason},
            created_at=at,
        )
    )
    pending = tx.interactions.pending(message.session_id)
    session = tx.sessions.get(message.session_id).model_copy(
        update={
            "status": "waiting" if pending else "idle",
            "last_outcome": message.outcome,
            "updated_at": at,
        }
    )
    tx.sessions.save(session)
    return session, pending


def message_fact(message: Message, pass_id: str) -> TapeFact:
    """Return the tape's record of a message as it stands after one pass."""
    return TapeFact(
        kind="message",
        name="final" if message.status != "paused" else "paused",
        source="runtime",
        provenance=f"message:{message.id}:{pass_id}",
        payload={"message_id": message.id, "message": message.model_dump(mode="json")},
    )


