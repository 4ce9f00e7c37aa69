"""The calls of one round: all are judged before any runs.

Calls that only read and need no leave run at once, side by side. When a call must be asked for, it joins the
session's queue and the run pauses; calls with side effects wait for the last answer of the batch and then run in
order (BAT-1).
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from deepchat_desktop.domain.blocks import PermissionBlock, ToolCallBlock, ToolStatus
from deepchat_desktop.domain.errors import NotFound
from deepchat_desktop.domain.events import InteractionAsked, RuntimeEvent
from deepchat_desktop.domain.ids import new_id
from deepchat_desktop.domain.messages import Session
from deepchat_desktop.domain.outcome import Outcome, Paused
from deepchat_desktop.domain.permission import Decision, Grant, Interaction
from deepchat_desktop.domain.tape import TapeFact
from deepchat_desktop.domain.tools import InvalidArguments, ToolResult, parse_arguments
from deepchat_desktop.services.clock import now_ms
from deepchat_desktop.services.permissions import binding, decide
from deepchat_desktop.services.runtime.dispatch import dispatch, tool_call
from deepchat_desktop.services.runtime.echo import Echo
from deepchat_desktop.services.runtime.run import Run
from deepchat_desktop.services.runtime.tasks import TaskOwner
from deepchat_desktop.services.store import Store, Tx
from deepchat_desktop.services.tools.router import ToolRouter

_log = logging.getLogger(__name__)

REFUSED = "The user refused this call."
LAST_WORDS = 300
GRACE_S = 0.8
"""How long a stopped run waits for a tool that is just finishing, so that its outcome is known."""


@dataclass
class _Plan:
    reads: list[ToolCallBlock] = field(default_factory=list)
    effects: list[ToolCallBlock] = field(default_factory=list)
    asks: list[tuple[ToolCallBlock, Decision]] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)


class Batch:
    """Judges and runs the calls of a round, on the first pass and after a resume alike."""

    def __init__(
        self, store: Store, router: ToolRouter, echo: Echo, emit: Callable[[RuntimeEvent], None], tasks: TaskOwner
    ) -> None:
        self._store = store
        self._router = router
        self._echo = echo
        self._emit = emit
        self._tasks = tasks

    async def execute(self, run: Run, calls: Sequence[ToolCallBlock]) -> Outcome | None:
        """Run what may run. Returns ``Paused`` when something waits for the user, else None."""
        plan = await self._plan(run, [call for call in calls if call.status in ("pending", "waiting")])
        # All of them end before a failure of one goes on: nothing may change a message that has ended.
        ends = await asyncio.gather(*(self._carry_out(run, call) for call in plan.reads), return_exceptions=True)
        for end in ends:
            if isinstance(end, BaseException):
                raise end
        again = [call for call, end in zip(plan.reads, ends, strict=True) if end is False]
        waiting = plan.waiting + await self._ask(run, plan.asks)
        for call in again:
            waiting += await self._ask_again(run, call)
        for call in plan.effects:
            if waiting:
                break  # what has to wait now runs in order after the last answer
            if not await self._carry_out(run, call):
                waiting += await self._ask_again(run, call)
        await self._echo.flush()
        return Paused(interactions=tuple(waiting)) if waiting else None

    async def _plan(self, run: Run, calls: Sequence[ToolCallBlock]) -> _Plan:
        """Judge calls by the session and the grants as they are stored now."""

        def known(tx: Tx) -> tuple[Session, list[Grant], list[Interaction | None]]:
            session_id = run.session.id
            settled = [tx.interactions.of_call(call.call_id) for call in calls]
            return tx.sessions.get(session_id), tx.grants.of_session(session_id), settled

        run.session, grants, settled = await self._store.read(known)
        # Off the loop: schemas, large arguments and slow file systems take their time.
        verdicts = await asyncio.to_thread(lambda: [self._verdict(run, call, grants) for call in calls])
        plan = _Plan()
        for call, interaction, verdict in zip(calls, settled, verdicts, strict=True):
            self._sort(run, call, interaction, verdict, plan)
        return plan

    def _verdict(self, run: Run, call: ToolCallBlock, grants: Sequence[Grant]) -> str | Decision:
        """Return what is wrong with a call, or what the rules say of it. Blocks."""
        fault = self._fault(call)
        return decide(self._router, tool_call(call), run.session, grants)[0] if fault is None else fault

    def _sort(
        self, run: Run, call: ToolCallBlock, interaction: Interaction | None, verdict: str | Decision, plan: _Plan
    ) -> None:
        if isinstance(verdict, str):
            self._settle(run, call, ToolResult(status="error", text=verdict))
        elif interaction is not None and interaction.status == "pending":
            plan.waiting.append(interaction.id)
        elif interaction is not None and interaction.status == "denied":
            self._settle(run, call, ToolResult(status="denied", text=refusal(interaction)))
        elif interaction is not None and interaction.status == "allowed":
            plan.effects.append(call)
        elif verdict.decision == "deny":
            self._settle(run, call, ToolResult(status="error", text=verdict.why))
        elif verdict.decision == "ask":
            plan.asks.append((call, verdict))
        else:
            spec = self._router.spec(call.name)
            (plan.reads if spec is not None and spec.effect == "read" else plan.effects).append(call)

    def _fault(self, call: ToolCallBlock) -> str | None:
        """Return what is wrong with a call as the model should read it."""
        if call.arguments is None:
            try:
                parse_arguments(call.arguments_text)
            except InvalidArguments as error:
                return f"The call did not run: {error}. Send exactly one JSON object."
        return self._router.validate(tool_call(call))

    async def _carry_out(self, run: Run, call: ToolCallBlock) -> bool:
        """Dispatch a call and show its result; False when it must be asked for first."""

        def started() -> None:
            self._set(run, call, "running")

        work = dispatch(run, call, store=self._store, router=self._router, on_start=started)
        task = self._tasks.start(work, f"tool {call.name}", awaited=True)
        try:
            result = await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait({task}, timeout=GRACE_S)
            late = task.result() if task.done() and not task.cancelled() and task.exception() is None else None
            if late is not None:
                self._settle(run, call, late)
            task.add_done_callback(_note_late_failure)
            raise
        if result is None:
            return False
        self._settle(run, call, result)
        return True

    async def _ask_again(self, run: Run, call: ToolCallBlock) -> list[str]:
        """A call that was to run must be asked for: its place or the rules have changed since it was judged."""

        def known(tx: Tx) -> tuple[Session, list[Grant]]:
            return tx.sessions.get(run.session.id), tx.grants.of_session(run.session.id)

        run.session, grants = await self._store.read(known)
        verdict = await asyncio.to_thread(self._verdict, run, call, grants)
        if isinstance(verdict, str):
            raise TypeError("a call that was judged valid is not valid any more")
        return await self._ask(run, [(call, verdict)])

    async def _ask(self, run: Run, asks: Sequence[tuple[ToolCallBlock, Decision]]) -> list[str]:
        """Queue the calls that need an answer, all in one commit; returns the interactions' ids in order."""
        if not asks:
            return []
        interactions = [self._interaction(run, call, decision) for call, decision in asks]
        for interaction, (call, _decision) in zip(interactions, asks, strict=True):
            self._set(run, call, "waiting")
            self._echo.set(len(run.answer.blocks), _mark(interaction))
        await self._echo.flush()
        await self._store.write(lambda tx: _record_asked(tx, interactions))
        for interaction in interactions:
            self._emit(InteractionAsked(session_id=run.session.id, interaction=interaction))
        return [interaction.id for interaction in interactions]

    def _interaction(self, run: Run, call: ToolCallBlock, decision: Decision) -> Interaction:
        return Interaction(
            id=new_id(),
            session_id=run.session.id,
            message_id=run.message.id,
            run_id=run.origin,
            request_id=run.request_id(call.round),
            call_id=call.call_id,
            tool=call.name,
            level=decision.level,
            target=decision.target,
            summary=decision.summary,
            detail=decision.detail,
            reason=_last_words(run),
            binding=binding(tool_call(call), decision, run.session),
            order=self._index(run, call),
            created_at=now_ms(),
        )

    def _settle(self, run: Run, call: ToolCallBlock, result: ToolResult) -> None:
        index = self._index(run, call)
        done = {"status": result.status, "result": result.text, "ended_at": now_ms()}
        self._echo.set(index, run.answer.blocks[index].model_copy(update=done))

    def _set(self, run: Run, call: ToolCallBlock, status: ToolStatus) -> None:
        index = self._index(run, call)
        update: dict[str, object] = {"status": status}
        if status == "running":
            update["started_at"] = now_ms()
        self._echo.set(index, run.answer.blocks[index].model_copy(update=update))

    @staticmethod
    def _index(run: Run, call: ToolCallBlock) -> int:
        for index, block in enumerate(run.answer.blocks):
            if isinstance(block, ToolCallBlock) and block.call_id == call.call_id:
                return index
        raise KeyError(call.call_id)


def _note_late_failure(task: asyncio.Task[ToolResult | None]) -> None:
    """Nobody waits any more for a tool that outlives its run; with its session gone there is nothing to record."""
    error = None if task.cancelled() else task.exception()
    if error is not None and not isinstance(error, NotFound):
        _log.warning("The end of a stopped %s could not be recorded: %s", task.get_name(), type(error).__name__)


def refusal(interaction: Interaction) -> str:
    """Return what the model reads about a refused call."""
    return f"{REFUSED} They said: {interaction.why}" if interaction.why else REFUSED


def _mark(interaction: Interaction) -> PermissionBlock:
    return PermissionBlock(
        interaction_id=interaction.id,
        call_id=interaction.call_id,
        tool=interaction.tool,
        level=interaction.level,
        summary=interaction.summary,
    )


def _record_asked(tx: Tx, interactions: Sequence[Interaction]) -> None:
    for interaction in interactions:
        tx.interactions.add(interaction)
        tx.tape.append(
            interaction.session_id,
            TapeFact(
                kind="event",
                name="permission/asked",
                source="runtime",
                provenance=f"interaction:{interaction.id}",
                payload=interaction.model_dump(mode="json"),
            ),
            interaction.created_at,
        )


def _last_words(run: Run) -> str:
    """Return what the model said last, for the card's quotation."""
    for block in reversed(run.answer.blocks):
        if block.kind == "text" and block.text.strip():
            return block.text.strip()[-LAST_WORDS:]
    return ""
