"""The runtime: every way to start, answer, continue and stop a run. At most one run a session.

It never touches a widget: what happens goes out as ``RuntimeEvent`` through one plain callable.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from deepchat_desktop.domain.blocks import Block, ImageBlock, TextBlock
from deepchat_desktop.domain.budget import estimate_text
from deepchat_desktop.domain.errors import DeepChatError, NotFound, Refused
from deepchat_desktop.domain.events import (
    BlockSet,
    InteractionSettled,
    MessageAdded,
    Notice,
    RunEnded,
    RuntimeEvent,
    SessionChanged,
    SessionDeleted,
    StatusChanged,
)
from deepchat_desktop.domain.ids import new_id
from deepchat_desktop.domain.messages import Message, MessageMeta, Session, SessionSettings
from deepchat_desktop.domain.permission import Answer, Interaction
from deepchat_desktop.services.providers.directory import ModelDirectory
from deepchat_desktop.services.runtime.answers import settle
from deepchat_desktop.services.runtime.finish import message_fact
from deepchat_desktop.services.runtime.recover import recover
from deepchat_desktop.services.runtime.report import run_ended
from deepchat_desktop.services.runtime.run import now_ms
from deepchat_desktop.services.runtime.tasks import TaskOwner
from deepchat_desktop.services.runtime.titles import first_words
from deepchat_desktop.services.runtime.turn import TurnRunner
from deepchat_desktop.services.store import Store, Tx
from deepchat_desktop.services.tools.router import ToolRouter

STOP_TIMEOUT_S = 3.0


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
        self._running: dict[str, asyncio.Task[RunEnded]] = {}
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

    async def delete_session(self, session_id: str) -> None:
        """Stop what runs in a session and delete it with everything it holds."""
        await self.cancel(session_id)
        await self._store.write(lambda tx: tx.sessions.delete(session_id))
        self._emit(SessionDeleted(session_id=session_id))

    # Runs

    async def process_message(
        self, session_id: str, text: str, images: Sequence[ImageBlock] = (), *, draft_of: str | None = None
    ) -> RunEnded:
        """Answer a user message: it is stored first, so that nothing typed is ever lost.

        ``draft_of`` names the draft that the text was typed as; it is cleared in the same commit.

        Raises ``Refused`` (codes ``busy``, ``pending_interaction``, ``empty``), ``NotFound`` and ``StoreError``
        before anything was written; every later failure is the outcome of the returned run.
        """
        if not text.strip() and not images:
            raise Refused("There is nothing to send: write something or attach a file.", code="empty")
        self._refuse_busy(session_id)
        return await self._start(session_id, self._answer_new(session_id, text, images, draft_of), "answer")

    async def respond(self, interaction_id: str, answer: Answer) -> RunEnded | None:
        """Answer a permission and, when it was the last one that waited, resume the run.

        Returns None when it had been answered before: a second click does nothing. Raises ``NotFound``.
        """
        at = now_ms()
        settled = await self._store.write(lambda tx: settle(tx, interaction_id, answer, at))
        if settled is None:
            return None
        interaction, changed = settled
        self._tell_settled(interaction, changed)
        message, pending = await self._store.read(lambda tx: _standing(tx, interaction))
        if pending:
            return run_ended(message, pending)
        return await self._start(interaction.session_id, self._turns.resume(interaction), "resume")

    async def continue_run(self, session_id: str) -> RunEnded:
        """Go on after an interrupted answer: a user message "continue" and a new answer."""
        self._refuse_busy(session_id)
        return await self._start(session_id, self._answer_new(session_id, "continue", (), None), "continue")

    async def retry(self, session_id: str) -> RunEnded:
        """Answer the last user message again, after an answer that failed or was stopped."""
        self._refuse_busy(session_id)
        return await self._start(session_id, self._answer_again(session_id), "retry")

    async def cancel(self, session_id: str, reason: str = "user_stop") -> None:
        """Stop a session's run and void what waits in it. Idempotent; returns when it has ended."""
        task = self._running.get(session_id)
        if task is not None:
            self._turns.mark_cancelled(session_id, reason)
            await asyncio.wait({task}, timeout=STOP_TIMEOUT_S)
        if reason == "user_stop":
            # Also after a live run: it may have been pausing just then.
            await self._turns.abandon_paused(session_id)

    def is_running(self, session_id: str) -> bool:
        """Tell whether a run is under way in a session."""
        return session_id in self._running

    def request_turn(self, session_id: str) -> None:
        """Ask the session's run to make way at its next safe point (it ends with ``pending_input``)."""
        self._turns.request_turn(session_id)

    async def recover(self) -> list[Message]:
        """Put in order what a former process left. Call once, before anything else."""
        return await self._store.write(recover)

    async def close(self) -> None:
        """Stop every run, keeping what was shown."""
        for session_id in list(self._running):
            await self.cancel(session_id, "shutdown")

    # Parts

    def _refuse_busy(self, session_id: str) -> None:
        if session_id in self._running:
            raise Refused("An answer is still being written in this session: stop it, or wait.", code="busy")

    async def _start(self, session_id: str, work: Coroutine[Any, Any, RunEnded], name: str) -> RunEnded:
        if session_id in self._running:
            work.close()
            self._refuse_busy(session_id)
        task = self._tasks.start(work, f"{name} {session_id}", awaited=True)
        self._running[session_id] = task
        try:
            return await task
        finally:
            self._running.pop(session_id, None)
            self._turns.forget(session_id)

    async def _answer_new(
        self, session_id: str, text: str, images: Sequence[ImageBlock], draft_of: str | None
    ) -> RunEnded:
        def write(tx: Tx) -> tuple[Message, Session, bool]:
            if draft_of is not None:
                tx.drafts.set(draft_of, "", now_ms())
            return _write_user_message(tx, session_id, text, images)

        message, session, first = await self._store.write(write)
        self._emit(MessageAdded(session_id=session_id, message=message))
        self._emit(SessionChanged(session=session))
        self._emit(StatusChanged(session_id=session_id, status="generating"))
        ended = await self._turns.answer(session)
        if first and self.ask_titles and ended.outcome == "completed":
            self._tasks.start(self._ask_title(session_id, text, ended.text), f"title {session_id}")
        return ended

    async def _answer_again(self, session_id: str) -> RunEnded:
        session = await self._store.write(lambda tx: _begin_again(tx, session_id))
        self._emit(SessionChanged(session=session))
        self._emit(StatusChanged(session_id=session_id, status="generating"))
        return await self._turns.answer(session)

    async def _ask_title(self, session_id: str, question: str, answer: str) -> None:
        title = await self._turns.title(session_id, question, answer)
        session = await self._store.read(lambda tx: tx.sessions.get(session_id))
        if title and not session.title_by_user:
            await self.change_session(session_id, title=title)

    def _tell_settled(self, interaction: Interaction, changed: dict[int, Block]) -> None:
        session_id = interaction.session_id
        for index, block in changed.items():
            self._emit(
                BlockSet(session_id=session_id, message_id=interaction.message_id, index=index, block=block)
            )
        self._emit(InteractionSettled(session_id=session_id, interaction=interaction))

    def notice(self, error: DeepChatError, session_id: str | None = None) -> None:
        """Tell the user of a failure that belongs to no message."""
        self._emit(Notice(session_id=session_id, code=error.code, text=error.user_message))


def _standing(tx: Tx, interaction: Interaction) -> tuple[Message, list[Interaction]]:
    return tx.messages.get(interaction.message_id), tx.interactions.pending(interaction.session_id)


def _write_user_message(
    tx: Tx, session_id: str, text: str, images: Sequence[ImageBlock]
) -> tuple[Message, Session, bool]:
    """Write what the user sent; the third value tells whether it is the session's first message."""
    session = tx.sessions.get(session_id)
    if tx.interactions.pending(session_id):
        raise Refused("Answer the request that waits in this session first.", code="pending_interaction")
    at = now_ms()
    message = Message(
        id=new_id(),
        session_id=session_id,
        role="user",
        blocks=(TextBlock(text=text), *images) if text else tuple(images),
        meta=MessageMeta(token_estimate=estimate_text(text)),
        created_at=at,
        updated_at=at,
    )
    first = tx.messages.count(session_id) == 0
    tx.messages.add(message)
    tx.tape.append(session_id, message_fact(message, "user"), at)
    changes: dict[str, object] = {"status": "generating", "updated_at": at}
    if not session.title:
        changes["title"] = first_words(text) or "Image"
    session = session.model_copy(update=changes)
    tx.sessions.save(session)
    return message, session, first


def _begin_again(tx: Tx, session_id: str) -> Session:
    if tx.interactions.pending(session_id):
        raise Refused("Answer the request that waits in this session first.", code="pending_interaction")
    if not any(message.role == "user" for message in tx.messages.of_session(session_id)):
        raise NotFound("There is no message to answer in this session.")
    session = tx.sessions.get(session_id).model_copy(update={"status": "generating", "updated_at": now_ms()})
    tx.sessions.save(session)
    return session
