"""The one road to every side effect: ``dispatch``.

Order (REL-1, APR-3, APR-6): the permission is decided again and the approval is consumed in the same transaction
that commits ``dispatch_committed``; then the tool runs; then ``tool_outcome`` is committed; only then is
anything shown. An operation that was dispatched before is never run again.
"""

import asyncio
from collections.abc import Callable

from deepchat_desktop.domain.blocks import ToolCallBlock
from deepchat_desktop.domain.journal import JournalFact, recovery_class
from deepchat_desktop.domain.permission import Interaction
from deepchat_desktop.domain.tape import TapeFact
from deepchat_desktop.domain.tools import ToolCall, ToolResult
from deepchat_desktop.services.clock import now_ms
from deepchat_desktop.services.files.resolve import ResolvedPath
from deepchat_desktop.services.permissions import binding, decide
from deepchat_desktop.services.runtime.run import Run
from deepchat_desktop.services.store import Store, Tx
from deepchat_desktop.services.store.failpoints import reach
from deepchat_desktop.services.tools.router import ToolRouter

Claim = ResolvedPath | ToolResult | None
"""Where the call may run; or its result without running; or None: the user must be asked."""

STOPPED = ToolResult(status="skipped", text="This call was not carried out: the user stopped the answer first.")


def tool_call(block: ToolCallBlock) -> ToolCall:
    """Return the call that a block describes."""
    return ToolCall(
        call_id=block.call_id,
        name=block.name,
        arguments=block.arguments or {},
        arguments_text=block.arguments_text,
    )


async def dispatch(
    run: Run,
    block: ToolCallBlock,
    *,
    store: Store,
    router: ToolRouter,
    on_start: Callable[[], None],
) -> ToolResult | None:
    """Carry out one call and return its result, or None when it must be asked for first.

    ``on_start`` is called after the dispatch is committed and before the tool runs.
    """
    call = tool_call(block)
    reach("dispatch", "before")
    claim = await store.write(lambda tx: _claim(tx, run, block, call, router))
    if claim is None or isinstance(claim, ToolResult):
        return claim
    reach("dispatch", "after")
    if run.stopped:
        result = STOPPED
    else:
        on_start()
        result = await asyncio.to_thread(router.run, call, claim)
    reach("outcome", "before")
    await store.write(lambda tx: _record_outcome(tx, run, block, result))
    reach("outcome", "after")
    return result


def _claim(tx: Tx, run: Run, block: ToolCallBlock, call: ToolCall, router: ToolRouter) -> Claim:
    """Decide, consume the approval and commit the dispatch, all in one transaction."""
    request_id = run.request_id(block.round)
    facts = tx.journal.of_call(run.origin, request_id, call.call_id)
    match recovery_class(facts):
        case "completed":
            outcome = next(fact for fact in facts if fact.name == "tool_outcome")
            return ToolResult(status=outcome.payload["status"], text=outcome.payload["text"])
        case "indeterminate":
            return ToolResult(status="interrupted", text="")
        case "not_dispatched":
            pass
    if run.stopped:
        return STOPPED
    session = tx.sessions.get(run.session.id)
    decision, target = decide(router, call, session, tx.grants.of_session(session.id))
    if decision.decision == "deny" or target is None:
        return ToolResult(status="error", text=decision.why)
    key = binding(call, decision, session)
    if decision.decision == "ask" and not _approved(tx, tx.interactions.of_call(call.call_id), key):
        return None
    tx.journal.record(
        JournalFact(
            name="dispatch_committed",
            session_id=session.id,
            run_id=run.origin,
            request_id=request_id,
            call_id=call.call_id,
            payload={"tool": call.name, "binding": key, "target": decision.target},
            created_at=now_ms(),
        )
    )
    running = block.model_copy(update={"status": "running", "started_at": now_ms()})
    tx.messages.save_blocks(run.message.id, {_index_of(run, block): running})
    return target


def _approved(tx: Tx, interaction: Interaction | None, key: str) -> bool:
    """Whether the user allowed exactly this call; a second use finds the approval consumed."""
    if interaction is None or interaction.status != "allowed" or interaction.binding != key:
        return False
    return tx.interactions.consume(interaction.id, now_ms())


def _record_outcome(tx: Tx, run: Run, block: ToolCallBlock, result: ToolResult) -> None:
    request_id = run.request_id(block.round)
    tx.journal.record(
        JournalFact(
            name="tool_outcome",
            session_id=run.session.id,
            run_id=run.origin,
            request_id=request_id,
            call_id=block.call_id,
            payload={"status": result.status, "text": result.text},
            created_at=now_ms(),
        )
    )
    tx.tape.append(run.session.id, outcome_fact(run.message.id, block, result), now_ms())


def outcome_fact(message_id: str, block: ToolCallBlock, result: ToolResult) -> TapeFact:
    """Return the tape's record of a call's result."""
    return TapeFact(
        kind="tool_result",
        name=block.name,
        source="runtime",
        provenance=f"tool_result:{block.call_id}",
        payload={
            "message_id": message_id,
            "call_id": block.call_id,
            "status": result.status,
            "text": result.text,
        },
    )


def _index_of(run: Run, block: ToolCallBlock) -> int:
    for index, candidate in enumerate(run.answer.blocks):
        if isinstance(candidate, ToolCallBlock) and candidate.call_id == block.call_id:
            return index
    raise KeyError(block.call_id)


