"""One answer from its empty message to its end: ``answer`` and ``resume``.

Both end in ``_conclude``, the one exit: whatever happens in between, a run is finalised there and its lock is
released.
"""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Sequence

from deepchat_desktop.domain.accumulate import Answer, next_round
from deepchat_desktop.domain.blocks import tool_calls_of
from deepchat_desktop.domain.errors import DeepChatError, StoreError
from deepchat_desktop.domain.events import MessageAdded, Notice, RunEnded, RuntimeEvent, StatusChanged
from deepchat_desktop.domain.ids import new_id
from deepchat_desktop.domain.journal import JournalFact
from deepchat_desktop.domain.messages import Message, Session
from deepchat_desktop.domain.outcome import Aborted, Failed, Outcome
from deepchat_desktop.domain.permission import Interaction
from deepchat_desktop.domain.settings import LOCAL_PROVIDER
from deepchat_desktop.services.providers.directory import ModelDirectory
from deepchat_desktop.services.runtime.batch import Batch
from deepchat_desktop.services.runtime.context import ContextTooLarge
from deepchat_desktop.services.runtime.echo import Echo
from deepchat_desktop.services.runtime.finish import error_report, finish, settle_blocks
from deepchat_desktop.services.runtime.loop import LoopParts, process_stream
from deepchat_desktop.services.runtime.report import run_ended
from deepchat_desktop.services.runtime.run import Run, now_ms
from deepchat_desktop.services.runtime.system_prompt import system_prompt
from deepchat_desktop.services.runtime.tasks import TaskOwner
from deepchat_desktop.services.runtime.titles import model_title
from deepchat_desktop.services.store import Store, Tx
from deepchat_desktop.services.tools.router import ToolRouter

_log = logging.getLogger(__name__)

STOP_TIMEOUT_S = 2.0

Work = Callable[[LoopParts], Awaitable[Outcome]]


class TurnRunner:
    """Runs answers. Knows the live runs by their session."""

    def __init__(
        self,
        store: Store,
        models: ModelDirectory,
        router: ToolRouter,
        tasks: TaskOwner,
        emit: Callable[[RuntimeEvent], None],
    ) -> None:
        self._store = store
        self._models = models
        self._router = router
        self._tasks = tasks
        self._emit = emit
        self._live: dict[str, asyncio.Task[object]] = {}
        self._cancelled: dict[str, str] = {}
        self._turn_wanted: set[str] = set()

    async def answer(self, session: Session) -> RunEnded:
        """Answer the last user message of a session."""
        message = await self._store.write(lambda tx: _open_answer(tx, session))
        self._emit(MessageAdded(session_id=session.id, message=message))
        run = Run(session=session, message=message, answer=Answer(), id=message.run_id or "")
        return await self._conclude(run, process_stream)

    async def resume(self, interaction: Interaction) -> RunEnded:
        """Go on with a paused message whose last interaction was answered.

        The resume lock is taken by compare-and-set and released at the single exit; whoever does not get it
        does nothing (APR-5).
        """
        owner = f"{os.getpid()}:{new_id()}"
        session_id, message_id = interaction.session_id, interaction.message_id
        locked = await self._store.write(lambda tx: tx.interactions.lock(session_id, message_id, owner))
        if not locked:
            message = await self._store.read(lambda tx: tx.messages.get(message_id))
            return run_ended(message, ())
        try:
            run = await self._reopen(session_id, message_id)
            return await self._conclude(run, _resume_then_loop)
        finally:
            await self._store.write(lambda tx: tx.interactions.unlock(session_id, message_id, owner))

    async def abandon_paused(self, session_id: str) -> None:
        """Stop a run that waits for the user: what waits is void, the message ends as stopped."""
        pending = await self._store.read(lambda tx: tx.interactions.pending(session_id))
        for message_id in dict.fromkeys(item.message_id for item in pending):
            run = await self._reopen(session_id, message_id)
            await finish(run, Aborted(), store=self._store, echo=self._echo(run), emit=self._emit)

    async def title(self, session_id: str, question: str, answer: str) -> str | None:
        """Ask the session's model for a title; the embedded model is not asked, its titles are poor."""
        session = await self._store.read(lambda tx: tx.sessions.get(session_id))
        connection = session.settings.connection or self._models.default_connection()
        model = await self._models.connect(connection)
        if connection.provider == LOCAL_PROVIDER:
            return None
        return await model_title(model, question, answer)

    def mark_cancelled(self, session_id: str, reason: str) -> None:
        """Stop the live run of a session, once."""
        task = self._live.get(session_id)
        if session_id not in self._cancelled:
            self._cancelled[session_id] = reason
            if task is not None:
                task.cancel()

    def request_turn(self, session_id: str) -> None:
        """Note that other input wants the session."""
        self._turn_wanted.add(session_id)

    def forget(self, session_id: str) -> None:
        """Drop what is known of a session's ended run."""
        self._live.pop(session_id, None)
        self._cancelled.pop(session_id, None)
        self._turn_wanted.discard(session_id)

    async def _reopen(self, session_id: str, message_id: str) -> Run:
        session, message = await self._store.write(lambda tx: _load_for_resume(tx, session_id, message_id))
        calls = tool_calls_of(message.blocks)
        answer = Answer(
            blocks=message.blocks, round=max((call.round for call in calls), default=0), usage=message.usage
        )
        return Run(session=session, message=message, answer=answer)

    def _echo(self, run: Run) -> Echo:
        return Echo(run, self._store, self._emit, self._tasks)

    async def _conclude(self, run: Run, work: Work) -> RunEnded:
        """Run the work in a task of its own and finalise whatever comes of it, in this one place."""
        echo = self._echo(run)
        session_id = run.session.id
        self._emit(StatusChanged(session_id=session_id, status="generating"))
        task = self._tasks.start(self._guarded(run, echo, work), f"run {run.id}", awaited=True)
        self._live[session_id] = task
        if session_id in self._cancelled:
            task.cancel()
        try:
            outcome = await asyncio.shield(task)
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait({task}, timeout=STOP_TIMEOUT_S)
            reason = "shutdown" if self._cancelled.get(session_id) != "user_stop" else "user_stop"
            outcome = Aborted(reason=reason)
        try:
            return await finish(run, outcome, store=self._store, echo=echo, emit=self._emit)
        except StoreError as error:
            return self._end_unsaved(run, echo, error)

    async def _guarded(self, run: Run, echo: Echo, work: Work) -> Outcome:
        """Turn every failure into an outcome; only a cancellation goes through."""
        try:
            return await work(await self._parts(run, echo))
        except ContextTooLarge as error:
            return Failed(reason="context_window", code=error.code, message=error.user_message)
        except StoreError as error:
            return Failed(reason="store_error", code=error.code, message=error.user_message, retryable=True)
        except DeepChatError as error:
            return Failed(
                reason="provider_error", code=error.code, message=error.user_message, retryable=error.retryable
            )
        except Exception as error:  # noqa: BLE001 - logged, and an outcome the user sees
            _log.exception("Run %s failed", run.id)
            return Failed(
                reason="internal",
                code="internal",
                message=f"Something went wrong inside the program ({type(error).__name__}). The log has the details.",
            )

    async def _parts(self, run: Run, echo: Echo) -> LoopParts:
        session = run.session
        run.model = await self._models.connect(session.settings.connection or self._models.default_connection())
        tools = self._router.specs(session) if run.model.capabilities.tools else ()
        history = await self._store.read(lambda tx: _history(tx, run.message))
        return LoopParts(
            run=run,
            history=history,
            tools=tools,
            system=system_prompt(session, run.model, with_tools=bool(tools)),
            echo=echo,
            batch=Batch(self._store, self._router, echo, self._emit, self._tasks),
            emit=self._emit,
            input_waits=lambda: session.id in self._turn_wanted,
        )

    def _end_unsaved(self, run: Run, echo: Echo, error: StoreError) -> RunEnded:
        """The end cannot be written: the answer stays in the window, and the user is told what to do."""
        outcome = Failed(reason="store_error", code=error.code, message=error.user_message, retryable=True)
        settle_blocks(run, outcome, echo)
        echo.drop()
        message = run.message.model_copy(
            update={"blocks": run.answer.blocks, "status": "error", "outcome": "error", "stop_reason": outcome.reason}
        )
        self._emit(Notice(session_id=run.session.id, code=error.code, text=error.user_message))
        self._emit(StatusChanged(session_id=run.session.id, status="idle"))
        ended = run_ended(message, (), error_report(outcome))
        self._emit(ended)
        return ended


async def _resume_then_loop(parts: LoopParts) -> Outcome:
    """Run the approved calls of the last round in order, then go on from a rebuilt context."""
    run = parts.run
    calls = [call for call in tool_calls_of(run.answer.blocks) if call.round == run.answer.round]
    outcome = await parts.batch.execute(run, calls)
    if outcome is not None:
        return outcome
    run.answer = next_round(run.answer)
    return await process_stream(parts)


def _open_answer(tx: Tx, session: Session) -> Message:
    """Write the empty answer to the session's last user message; a repeated answer is its next variant."""
    at = now_ms()
    history = tx.messages.of_session(session.id)
    parent = next((message.id for message in reversed(history) if message.role == "user"), None)
    message = Message(
        id=new_id(),
        session_id=session.id,
        role="assistant",
        status="streaming",
        run_id=new_id(),
        parent=parent,
        variant=sum(1 for message in history if message.role == "assistant" and message.parent == parent),
        created_at=at,
        updated_at=at,
    )
    tx.messages.add(message)
    tx.journal.record(_started(message, message.run_id or ""))
    return message


def _started(message: Message, pass_id: str) -> JournalFact:
    return JournalFact(
        name="run_started",
        session_id=message.session_id,
        run_id=pass_id,
        payload={"message_id": message.id},
        created_at=now_ms(),
    )


def _load_for_resume(tx: Tx, session_id: str, message_id: str) -> tuple[Session, Message]:
    session = tx.sessions.get(session_id).model_copy(update={"status": "generating"})
    tx.sessions.save(session)
    message = tx.messages.get(message_id).model_copy(update={"status": "streaming"})
    tx.messages.save(message)
    return session, message


def _history(tx: Tx, answer: Message) -> Sequence[Message]:
    """Everything before the answer that is being written, oldest first, up to the user's last message."""
    history = [message for message in tx.messages.of_session(answer.session_id) if message.id != answer.id]
    last = max((i for i, message in enumerate(history) if message.role == "user"), default=-1)
    return history[: last + 1]
