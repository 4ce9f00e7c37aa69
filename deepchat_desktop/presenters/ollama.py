"""Models on an Ollama server's disk: fetched with progress, stopped, deleted. One fetch a server at a time."""

import asyncio
from contextlib import aclosing
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from deepchat_desktop.core import Core
from deepchat_desktop.domain.errors import DeepChatError
from deepchat_desktop.presenters.words import words_of


@dataclass(frozen=True)
class Pull:
    """A fetch as it is shown; ``percent`` is -1 while the whole is not known."""

    model: str
    words: str
    percent: float = -1.0
    running: bool = True
    failed: bool = False


class OllamaPresenter(QObject):
    """``changed`` tells the provider whose fetch moved on; ``listed`` that its models are others now."""

    changed = Signal(str)
    listed = Signal(str)
    notice = Signal(str, str)

    def __init__(self, core: Core, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._core = core
        self._pulls: dict[str, Pull] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def pull_of(self, provider_id: str) -> Pull | None:
        """Return the fetch that runs, or how the last one of this run ended."""
        return self._pulls.get(provider_id)

    def pull(self, provider_id: str, model: str) -> None:
        """Have the server fetch a model."""
        name = model.strip()
        if name and provider_id not in self._tasks:
            self._show(provider_id, Pull(name, self.tr("Asking for {model}…").format(model=name)))
            task = self._core.tasks.start(self._pull(provider_id, name), "pull model")
            self._tasks[provider_id] = task
            task.add_done_callback(lambda done: self._ended(provider_id, name, stopped=done.cancelled()))

    def stop(self, provider_id: str) -> None:
        """Stop fetching; the server keeps what came."""
        if task := self._tasks.get(provider_id):
            task.cancel()

    def delete(self, provider_id: str, model: str) -> None:
        """Delete a model from the server's disk."""
        self._core.tasks.start(self._delete(provider_id, model), "delete model")

    async def _pull(self, provider_id: str, model: str) -> None:
        try:
            async with aclosing(self._core.models.ollama_store(provider_id).pull(model)) as steps:
                async for step in steps:
                    percent = 100.0 * step.done / step.total if step.total else -1.0
                    self._show(provider_id, Pull(model, self._words(model, step.done, step.total), percent))
        except DeepChatError as error:
            self._show(provider_id, Pull(model, words_of(error), running=False, failed=True))
        else:
            words = self.tr("{model} is there.").format(model=model)
            self._show(provider_id, Pull(model, words, 100.0, running=False))
            self.listed.emit(provider_id)

    def _ended(self, provider_id: str, model: str, *, stopped: bool) -> None:
        """Tidy up, also after a task that was stopped before it began."""
        self._tasks.pop(provider_id, None)
        if stopped:
            words = self.tr("Stopped. What came of {model} is kept: fetching it again goes on from there.")
            self._show(provider_id, Pull(model, words.format(model=model), running=False))
        self.changed.emit(provider_id)

    async def _delete(self, provider_id: str, model: str) -> None:
        try:
            await self._core.models.ollama_store(provider_id).delete(model)
        except DeepChatError as error:
            self.notice.emit(error.code, words_of(error))
        else:
            self.listed.emit(provider_id)

    def _words(self, model: str, done: int, total: int) -> str:
        if not total:
            return self.tr("Fetching {model}…").format(model=model)
        size = self.tr("{done} of {total} MB").format(done=f"{done / 1e6:,.0f}", total=f"{total / 1e6:,.0f}")
        return self.tr("Fetching {model}: {size}").format(model=model, size=size)

    def _show(self, provider_id: str, pull: Pull) -> None:
        before = self._pulls.get(provider_id)
        self._pulls[provider_id] = pull
        if before is None or before.words != pull.words or before.running != pull.running:
            self.changed.emit(provider_id)
