"""The runtime: every way to start, answer, continue and stop a run. At most one run a session.

It never touches a widget: what happens goes out as ``RuntimeEvent`` through one plain callable.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from deepchat_desktop.domain.attachments import AttachedBlock
from deepchat_desktop.domain.errors import DeepChatError, Refused
from deepchat_desktop.domain.events import (
    BlockSet,
    InteractionSettled,
    MessageAdded,
    MessageFinished,
    Notice,
    RunEnded,
    RuntimeEvent,
    SessionChanged,
    SessionDeleted,
)
from deepchat_desktop.domain.ids import new_id
from deepchat_desktop.domain.messages import Message, Session, SessionSettings
from deepchat_desktop.domain.permission import Answer
from deepchat_desktop.services.clock import now_ms
from deepchat_desktop.services.providers.directory import ModelDirectory
from deepchat_desktop.services.runtime.answers import Settled, settle
from deepchat_desktop.services.runtime.begin import Begun, begin, begin_again
from deepchat_desktop.services.runtime.recover import recover
from deepchat_desktop.services.runtime.report import run_ended
from deepchat_desktop.services.runtime.tasks import TaskOwner
from deepchat_desktop.services.runtime.turn import TurnRunner
from deepchat_desktop.services.store import Store, Tx
from deepchat_desktop.services.tools.router import ToolRouter

STOP_TIMEOUT_S = 3.0
T = TypeVar("T")
_log = logging.getLogger(__name__)


class Runtime:
    """The agent runtime of one data folder."""

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
        self._tasks = tasks
        self._emit = emit
        self._turns = TurnRunner(store, models, router, tasks, emit)
        self._running: dict[str, asyncio.Task[Any]] = {}
        self.ask_titles = False
        """Whether the model is asked for a short title after a session's first answer."""

    # Sessions

    async def create_session(self, settings: SessionSettings, title: str = "") -> Session:
        """Create an empty session."""
        at = now_ms()
        session = Session(
            id=new_id(), title=title, title_by_user=bool(title), settings=settings, created_at=at, updated_at=at
        )
        await self._store.write(lambda tx: tx.sessions.add(session))
        self._emit(SessionChanged(session=session))
        return session

    async def change_session(self, session_id: str, **changes: object) -> Session:
        """Change fields of a session (title, pinned, unread, settings). Raises ``NotFound``."""

        def change(tx: Tx) -> Session:
            session = tx.sessions.get(session_id).model_copy(update=changes)
            tx.sessions.save(session)
            return session

        session = await self._store.write(change)
        self._emit(SessionChanged(session=session))
        return session

    async def change_settings(self, session_id: str, **changes: object) -> Session:
        """Change single settings of a session; the others stay as they are stored. Raises ``NotFound``."""

        def change(tx: Tx) -> Session:
            session = tx.sessions.get(session_id)
            session = session.model_copy(update={"settings": session.settings.model_copy(update=changes)})
            tx.sessions.save(session)
            return session

        session = await self._store.write(change)
        self._emit(SessionChanged(session=session))
        return session

    async def delete_session(self, session_id: str) -> None:
        """Stop what runs in a session and delete it with everything it holds."""
        await self.cancel(session_id)
        self._turns.drop(session_id)
        await self._start(session_id, lambda: self._delete(session_id), "delete")

    # Runs

    async def process_message(
        self,
        session_id: str,
        text: str,
        attached: Sequence[AttachedBlock] = (),
        *,
        draft_of: str | None = None,
        drafted: Sequence[str] = (),
    ) -> RunEnded:
        """Answer a user message: it is stored first, so that nothing typed is ever lost.

        ``draft_of`` names the draft that the text was typed as; it is cleared in the same commit, in which what was
        ``drafted`` as attachments (their names in the store) becomes the message's.

        Raises ``Refused`` (codes ``busy``, ``pending_interaction``, ``empty``), ``NotFound`` and ``StoreError``
        before anything was written; every later failure is the outcome of the returned run.
        """
        if not text.strip() and not attached:
            raise Refused("There is nothing to send: write something or attach a file.", code="empty")
        return await self._start(
            session_id, lambda: self._answer_new(session_id, text, attached, draft_of, drafted), "answer"
        )

    async def respond(self, interaction_id: str, answer: Answer) -> RunEnded | None:
        """Answer a permission and, when it was the last one that waited, resume the run.

        Returns None when it had been answered before: a second click does nothing. Raises ``NotFound``.
        """
        interaction = await self._store.read(lambda tx: tx.interactions.get(interaction_id))
        if interaction.status != "pending":
            return None
        session_id = interaction.session_id
        while (task := self._running.get(session_id)) is not None:
            # The pass that asked is still on its way to its pause, or another answer is being written.
            await asyncio.wait({task})
        return await self._start(session_id, lambda: self._respond(interaction_id, answer), "respond")

    async def continue_run(self, session_id: str) -> RunEnded:
        """Go on after an interrupted answer or the tool-call limit: a user message "continue" and a new answer."""
        return await self._start(
            session_id, lambda: self._answer_new(session_id, "continue", (), None, carry_on=True), "continue"
        )

    async def retry(self, session_id: str) -> RunEnded:
        """Answer the last user message again, after an answer that failed or was stopped."""
        return await self._start(session_id, lambda: self._answer_again(session_id), "retry")

    async def cancel(self, session_id: str, reason: str = "user_stop") -> None:
        """Stop a session's run and void what waits in it. Idempotent; returns when it has ended."""
        while (task := self._running.get(session_id)) is not None:
            self._turns.mark_cancelled(session_id, reason)
            done, _ = await asyncio.wait({task}, timeout=STOP_TIMEOUT_S)
            if not done:
                return
        if reason != "user_stop":
            return
        # Also after a live run: it may have been pausing just then.
        waiting = await self._store.read(lambda tx: tx.interactions.pending(session_id))
        if waiting and session_id not in self._running:
            await self._start(session_id, lambda: self._turns.abandon_paused(session_id), "stop")

    def is_running(self, session_id: str) -> bool:
        """Tell whether a run is under way in a session."""
        return session_id in self._running

    def request_turn(self, session_id: str) -> None:
        """Ask the session's run to make way at its next safe point (it ends with ``pending_input``)."""
        self._turns.request_turn(session_id)

    async def recover(self) -> list[Message]:
        """Put in order what a former process left. Call once, before anything else."""
        return await self._store.write(recover)

    def recover_now(self) -> list[Message]:
        """Be ``recover`` for a caller that lets nothing else happen meanwhile (blocking)."""
        return self._store.write_now(recover)

    def live_message(self, session_id: str) -> Message | None:
        """Return the answer that is being written in a session; the store may lack its last words."""
        return self._turns.live_message(session_id)

    async def close(self) -> None:
        """Stop every run, keeping what was shown, and store what could not be stored before."""
        await asyncio.gather(*(self.cancel(session_id, "shutdown") for session_id in list(self._running)))
        for session_id in self._turns.unsaved():
            try:
                await self._turns.save_unsaved(session_id)
            except DeepChatError as error:
                _log.warning("The end of an answer could not be stored: %s", error.user_message)

    # Parts

    async def _start(self, session_id: str, work: Callable[[], Coroutine[Any, Any, T]], name: str) -> T:
        """Do the one thing that happens in a session at a time. Raises ``Refused`` (code ``busy``)."""
        if session_id in self._running:
            raise Refused("An answer is still being written in this session: stop it, or wait.", code="busy")
        task = self._tasks.start(self._after_unsaved(session_id, work), f"{name} {session_id}", awaited=True)
        self._running[session_id] = task
        task.add_done_callback(lambda _task: self._ended(session_id))
        return await task

    async def _after_unsaved(self, session_id: str, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        await self._turns.save_unsaved(session_id)
        return await work()

    def _ended(self, session_id: str) -> None:
        self._running.pop(session_id, None)
        self._turns.forget(session_id)

    async def _answer_new(
        self,
        session_id: str,
        text: str,
        attached: Sequence[AttachedBlock],
        draft_of: str | None,
        drafted: Sequence[str] = (),
        *,
        carry_on: bool = False,
    ) -> RunEnded:
        def write(tx: Tx) -> Begun:
            if draft_of is not None:
                tx.drafts.set(draft_of, "", now_ms())
            tx.attachments.keep(drafted, session_id, draft=False)
            return begin(tx, session_id, text, attached, carry_on=carry_on)

        begun = await self._store.write(write)
        ended = await self._answer(begun)
        if begun.first and self.ask_titles and ended.outcome == "completed":
            self._tasks.start(self._ask_title(session_id, text, ended.text), f"title {session_id}")
        return ended

    async def _answer_again(self, session_id: str) -> RunEnded:
        return await self._answer(await self._store.write(lambda tx: begin_again(tx, session_id)))

    async def _answer(self, begun: Begun) -> RunEnded:
        session_id = begun.session.id
        for message in begun.left:
            self._emit(MessageFinished(session_id=session_id, message=message))
        if begun.question is not None:
            self._emit(MessageAdded(session_id=session_id, message=begun.question))
        self._emit(SessionChanged(session=begun.session))
        return await self._turns.answer(begun.session, begun.answer)

    async def _respond(self, interaction_id: str, answer: Answer) -> RunEnded | None:
        at, pass_id = now_ms(), new_id()
        settled = await self._store.write(lambda tx: settle(tx, interaction_id, answer, at, pass_id))
        if settled is None:
            return None
        self._tell_settled(settled)
        if not settled.resumes:
            return run_ended(settled.message, settled.pending)
        self._emit(SessionChanged(session=settled.session))
        return await self._turns.resume(settled, pass_id)

    async def _delete(self, session_id: str) -> None:
        await self._store.write(lambda tx: tx.sessions.delete(session_id))
        self._emit(SessionDeleted(session_id=session_id))

    async def _ask_title(self, session_id: str, question: str, answer: str) -> None:
        """A failure here is none of the session: the first words stay its title."""
        try:
            title = await self._turns.title(session_id, question, answer)
            session = await self._store.write(lambda tx: _entitle(tx, session_id, title)) if title else None
        except DeepChatError as error:
            _log.info("No title for session %s: %s", session_id, error.code)
            return
        if session is not None:
            self._emit(SessionChanged(session=session))

    def _tell_settled(self, settled: Settled) -> None:
        interaction = settled.interaction
        session_id = interaction.session_id
        for index, block in settled.changed.items():
            self._emit(
                BlockSet(session_id=session_id, message_id=interaction.message_id, index=index, block=block)
            )
        self._emit(InteractionSettled(session_id=session_id, interaction=interaction))

    def notice(self, error: DeepChatError, session_id: str | None = None) -> None:
        """Tell the user of a failure that belongs to no message."""
        self._emit(Notice(session_id=session_id, code=error.code, text=error.user_message))


def _entitle(tx: Tx, session_id: str, title: str) -> Session | None:
    """Take over a title of the model's, unless the user has named the session meanwhile."""
    session = tx.sessions.get(session_id)
    if session.title_by_user:
        return None
    session = session.model_copy(update={"title": title})
    tx.sessions.save(session)
    return session
