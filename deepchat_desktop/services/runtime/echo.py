"""From the accumulator to the bridge at once, to the store at its own pace.

Every change is emitted as it happens. The store gets the changed blocks 250 ms after the first change, one
commit at a time, and always at a boundary through ``flush``. What a kill can lose is therefore at most
one pace plus one commit (the promise is 600 ms).
"""

import asyncio
from collections.abc import Callable

from deepchat_desktop.domain.accumulate import Answer, Step
from deepchat_desktop.domain.blocks import Block
from deepchat_desktop.domain.events import BlockSet, BlockText, RuntimeEvent
from deepchat_desktop.services.runtime.run import Run
from deepchat_desktop.services.runtime.tasks import TaskOwner
from deepchat_desktop.services.store import Store

COMMIT_PACE_S = 0.25
Emit = Callable[[RuntimeEvent], None]


class Echo:
    """Hands a run's changes on. One instance a run; all methods on the event loop."""

    def __init__(self, run: Run, store: Store, emit: Emit, tasks: TaskOwner) -> None:
        self._run = run
        self._store = store
        self._emit = emit
        self._tasks = tasks
        self._dirty: dict[int, Block] = {}
        self._lock = asyncio.Lock()
        self._timer: asyncio.TimerHandle | None = None
        self._failure: BaseException | None = None

    def apply(self, step: Step) -> None:
        """Take over a step's answer, tell the bridge what changed, and see that it is stored."""
        known = len(self._run.answer.blocks)
        self._run.answer = step.answer
        for index in step.changed:
            self._tell(index, step.answer, step.added if index < known else None)
            self._dirty[index] = step.answer.blocks[index]
        if self._dirty and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(COMMIT_PACE_S, self._due)

    def set(self, index: int, block: Block) -> None:
        """Replace or append one block."""
        blocks = (*self._run.answer.blocks[:index], block, *self._run.answer.blocks[index + 1 :])
        self.apply(Step(answer=self._run.answer.model_copy(update={"blocks": blocks}), changed=(index,)))

    def raise_failure(self) -> None:
        """Raise what a commit in the background failed with, once."""
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    async def flush(self) -> None:
        """Store everything changed so far; returns after the commit. Raises ``StoreError``."""
        self._disarm()
        async with self._lock:
            dirty, self._dirty = self._dirty, {}
            if not dirty:
                return
            message_id = self._run.message.id
            try:
                await self._store.write(lambda tx: tx.messages.save_blocks(message_id, dirty))
            except BaseException:
                # What was not stored stays due: later states of the same blocks win.
                self._dirty = {**dirty, **self._dirty}
                raise
            self._failure = None  # what failed in the background before is stored now

    def drop(self) -> None:
        """Forget pending work: the whole message is about to be written."""
        self._disarm()
        self._dirty = {}

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _due(self) -> None:
        self._timer = None
        self._tasks.start(self._background(), f"commit {self._run.message.id}")

    async def _background(self) -> None:
        try:
            await self.flush()
        except Exception as error:  # noqa: BLE001 - handed to the run, which raises it at its next boundary
            self._failure = error

    def _tell(self, index: int, answer: Answer, added: str | None) -> None:
        session_id, message_id = self._run.session.id, self._run.message.id
        if added is not None:
            self._emit(BlockText(session_id=session_id, message_id=message_id, index=index, text=added))
        else:
            block = answer.blocks[index]
            self._emit(BlockSet(session_id=session_id, message_id=message_id, index=index, block=block))
