"""One answer from its empty message to its end: ``answer`` and ``resume``.

Both end in ``_conclude``, the one exit: whatever happens in between, a run is finalised there and its lock is
released. An end that the store cannot take is kept and written before the session does anything else.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from deepchat_desktop.domain.accumulate import Answer
from deepchat_desktop.domain.blocks import tool_calls_of
from deepchat_desktop.domain.budget import DEFAULT_WINDOW
from deepchat_desktop.domain.errors import DeepChatError, NotFound, StoreError
from deepchat_desktop.domain.events import (
    MessageAdded,
    MessageFinished,
    Notice,
    RunEnded,
    RuntimeEvent,
    SessionChanged,
    StatusChanged,
)
from deepchat_desktop.domain.ids import new_id
from deepchat_desktop.domain.messages import Message, Session
from deepchat_desktop.domain.outcome import Aborted, Failed, Outcome
from deepchat_desktop.domain.settings import LOCAL_PROVIDER
from deepchat_desktop.services.providers.directory import ModelDirectory
from deepchat_desktop.services.runtime.answers import Settled
from deepchat_desktop.services.runtime.batch import Batch
from deepchat_desktop.services.runtime.context import ContextTooLarge
from deepchat_desktop.services.runtime.echo import Echo
from deepchat_desktop.services.runtime.finish import error_report, final_message, finish, settle_blocks, write_end
from deepchat_desktop.services.runtime.history import history
from deepchat_desktop.services.runtime.loop import LoopParts, process_stream, resume_stream
from deepchat_desktop.services.runtime.report import run_ended
from deepchat_desktop.services.runtime.run import Run
from deepchat_desktop.services.runtime.system_prompt import system_prompt
from deepchat_desktop.services.runtime.tasks import TaskOwner
from deepchat_desktop.services.runtime.titles import model_title
from deepchat_desktop.services.store import Store, Tx
from deepchat_desktop.services.tools.router import ToolRouter

_log = logging.getLogger(__name__)

STOP_TIMEOUT_S = 2.0

Work = Callable[[LoopParts], Awaitable[Outcome]]


@dataclass(frozen=True)
class _Live:
    run: Run
    task: asyncio.Task[Outcome]


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
        self._live: dict[str, _Live] = {}
        self._unsaved: dict[str, tuple[Run, Outcome]] = {}
        self._cancelled: dict[str, str] = {}
        self._turn_wanted: set[str] = set()

    async def answer(self, session: Session, message: Message) -> RunEnded:
        """Fill an empty answer; calls that an earlier message left at its limit stand in it already and run first."""
        self._emit(MessageAdded(session_id=session.id, message=message))
        run = Run(session=session, message=message, answer=Answer(blocks=message.blocks), id=message.run_id or "")
        return await self._conclude(run, resume_stream if message.blocks else process_stream)

    async def resume(self, settled: Settled, pass_id: str) -> RunEnded:
        """Go on with a paused message whose last interaction was answered; ``pass_id`` holds its resume lock."""
        run = _reopened(settled.session, settled.message, pass_id)
        run.locked = True
        return await self._conclude(run, resume_stream)

    async def abandon_paused(self, session_id: str) -> None:
        """Stop a run that waits for the user: what waits is void, the message ends as stopped."""

        def paused(tx: Tx) -> tuple[Session, list[Message]]:
            ids = dict.fromkeys(item.message_id for item in tx.interactions.pending(session_id))
            return tx.sessions.get(session_id), [tx.messages.get(message_id) for message_id in ids]

        session, messages = await self._store.read(paused)
        for message in messages:
            run = _reopened(session, message, new_id())
            await finish(run, Aborted(), store=self._store, echo=self._echo(run), emit=self._emit)

    async def save_unsaved(self, session_id: str) -> None:
        """Write the end of a run that could not be written when it came. Raises ``StoreError``: still not."""
        if (unsaved := self._unsaved.get(session_id)) is not None:
            run, outcome = unsaved
            await write_end(run, outcome, store=self._store, emit=self._emit)
            del self._unsaved[session_id]

    def unsaved(self) -> list[str]:
        """Return the sessions whose last end is not stored."""
        return list(self._unsaved)

    def live_message(self, session_id: str) -> Message | None:
        """Return the answer that is being written, or could not be stored, with all that was received so far."""
        if (live := self._live.get(session_id)) is not None:
            return live.run.snapshot()
        unsaved = self._unsaved.get(session_id)
        return final_message(*unsaved) if unsaved else None

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
        if session_id not in self._cancelled:
            self._cancelled[session_id] = reason
            if (live := self._live.get(session_id)) is not None:
                live.run.stopped = True
                live.task.cancel()

    def request_turn(self, session_id: str) -> None:
        """Note that other input wants the session."""
        self._turn_wanted.add(session_id)

    def forget(self, session_id: str) -> None:
        """Drop what is known of a session's ended run."""
        self._live.pop(session_id, None)
        self._cancelled.pop(session_id, None)
        self._turn_wanted.discard(session_id)

    def drop(self, session_id: str) -> None:
        """Forget what could not be stored: the session is gone."""
        self._unsaved.pop(session_id, None)

    def _echo(self, run: Run) -> Echo:
        return Echo(run, self._store, self._emit, self._tasks)

    async def _conclude(self, run: Run, work: Work) -> RunEnded:
        """Run the work in a task of its own and finalise whatever comes of it, in this one place."""
        echo = self._echo(run)
        session_id = run.session.id
        self._emit(StatusChanged(session_id=session_id, status="generating"))
        task = self._tasks.start(self._guarded(run, echo, work), f"run {run.id}", awaited=True)
        self._live[session_id] = _Live(run, task)
        if session_id in self._cancelled:
            run.stopped = True
            task.cancel()
        try:
            outcome = await asyncio.shield(task)
        except asyncio.CancelledError:
            run.stopped = True
            task.cancel()
            await asyncio.wait({task}, timeout=STOP_TIMEOUT_S)
            reason = "shutdown" if self._cancelled.get(session_id) != "user_stop" else "user_stop"
            outcome = Aborted(reason=reason)
        try:
            return await finish(run, outcome, store=self._store, echo=echo, emit=self._emit)
        except Exception as error:  # noqa: BLE001 - whatever it is, the run ends and the user is told
            return await self._end_unsaved(run, outcome, echo, error)

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
            return internal_failure(error)

    async def _parts(self, run: Run, echo: Echo) -> LoopParts:
        session = run.session
        run.model = await self._models.connect(session.settings.connection or self._models.default_connection())
        able = run.model.capabilities.tools is not False or run.model.capabilities.tools_as_text
        tools = self._router.specs(session) if able else ()
        window = session.settings.context or run.model.capabilities.context or DEFAULT_WINDOW
        return LoopParts(
            run=run,
            history=await self._store.read(lambda tx: history(tx, run.message, window)),
            tools=tools,
            system=system_prompt(session, run.model, with_tools=bool(tools)),
            echo=echo,
            batch=Batch(self._store, self._router, echo, self._emit, self._tasks),
            emit=self._emit,
            input_waits=lambda: session.id in self._turn_wanted,
        )

    async def _end_unsaved(self, run: Run, outcome: Outcome, echo: Echo, error: Exception) -> RunEnded:
        """The end cannot be written: it is kept, shown, and written before anything else happens in the session."""
        session_id = run.session.id
        failed = _unsaved_outcome(run, error)
        if not (isinstance(outcome, Failed) and outcome.code == failed.code):
            settle_blocks(run, failed, echo)
        echo.drop()
        message = final_message(run, failed)
        if not isinstance(error, NotFound):
            self._unsaved[session_id] = (run, failed)
            self._emit(MessageFinished(session_id=session_id, message=message))
            self._emit(Notice(session_id=session_id, code=failed.code, text=failed.message))
            with contextlib.suppress(StoreError):  # its state is only shown: the run's error has been told
                session = await self._store.read(lambda tx: tx.sessions.get(session_id))
                shown = session.model_copy(update={"status": "idle", "last_outcome": "error"})
                self._emit(SessionChanged(session=shown))
        self._emit(StatusChanged(session_id=session_id, status="idle"))
        ended = run_ended(message, (), error_report(failed))
        self._emit(ended)
        return ended


def _unsaved_outcome(run: Run, error: Exception) -> Failed:
    if isinstance(error, DeepChatError):
        return Failed(reason="store_error", code=error.code, message=error.user_message, retryable=True)
    _log.error("The end of run %s could not be written", run.id, exc_info=error)
    return internal_failure(error)


def internal_failure(error: Exception) -> Failed:
    """Return the outcome of a fault of the program itself; the caller has logged it."""
    return Failed(
        reason="internal",
        code="internal",
        message=f"Something went wrong inside the program ({type(error).__name__}). The log has the details.",
    )


def _reopened(session: Session, message: Message, pass_id: str) -> Run:
    last = max((call.round for call in tool_calls_of(message.blocks)), default=0)
    return Run(
        session=session,
        message=message,
        answer=Answer(blocks=message.blocks, round=last, usage=message.usage),
        id=pass_id,
    )
