"""What can be mentioned with ``@`` while typing: sources that are asked off the event loop, the last question wins.

Invariants: an answer to an older question is never told; a source gives at most as many as asked for.
"""

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from PySide6.QtCore import QObject, Signal

from deepchat_desktop.domain.visible_text import visible_exact
from deepchat_desktop.presenters.session_list_model import SessionListModel
from deepchat_desktop.services.runtime.tasks import TaskOwner
from deepchat_desktop.services.workspace_files import list_files, matching, offered

LIMIT = 12
_SESSIONS = 4


@dataclass(frozen=True)
class Suggestion:
    """One line of the popup. ``insert`` replaces what was typed; ``key`` names the thing to its source's kind."""

    kind: Literal["file", "session"]
    label: str
    detail: str
    insert: str
    key: str


class Source(Protocol):
    """Something that knows what can be mentioned."""

    async def find(self, query: str, limit: int) -> Sequence[Suggestion]:
        """Return what fits the query, best first."""

    def forget(self) -> None:
        """Let go of what was read: the popup is closed."""


class WorkspaceFiles:
    """Files of the open session's folder. It is walked once for each time the popup opens."""

    def __init__(self, workspace: Callable[[], str | None], forbidden: Path) -> None:
        self._workspace, self._forbidden = workspace, forbidden
        self._listed: tuple[str, asyncio.Future[list[str]], threading.Event] | None = None

    async def find(self, query: str, limit: int) -> Sequence[Suggestion]:
        """Return files whose path has the query in it; none without a workspace."""
        workspace = self._workspace()
        if not workspace:
            return ()
        paths = await asyncio.shield(self._list(workspace))
        found = await asyncio.to_thread(
            lambda: offered(workspace, matching(paths, query, 4 * limit), self._forbidden, limit)
        )
        return [_file(path, real) for path, real in found]

    def forget(self) -> None:
        """Stop a walk that is under way."""
        if self._listed is not None:
            self._listed[2].set()
            self._listed = None

    def _list(self, workspace: str) -> "asyncio.Future[list[str]]":
        if self._listed is None or self._listed[0] != workspace:
            self.forget()
            stop = threading.Event()
            walk = asyncio.get_running_loop().run_in_executor(None, list_files, workspace, stop.is_set)
            self._listed = (workspace, walk, stop)
        return self._listed[1]


class Sessions:
    """Other sessions, by their title."""

    def __init__(self, model: SessionListModel, current: Callable[[], str]) -> None:
        self._model, self._current = model, current

    async def find(self, query: str, limit: int) -> Sequence[Suggestion]:
        """Return sessions whose title has the query in it, the latest first."""
        wanted = query.casefold()
        found = []
        for session in self._model.sessions():
            if session.id != self._current() and session.title and wanted in session.title.casefold():
                title = visible_exact(session.title, multiline=False)
                found.append(Suggestion("session", title, "", f"@{title} ", session.id))
        return found[: min(limit, _SESSIONS)]

    def forget(self) -> None:
        """There is nothing to let go of."""


class CompletionPresenter(QObject):
    """Asks the sources."""

    found = Signal(str, object)
    """The query and a tuple of ``Suggestion``."""

    def __init__(self, tasks: TaskOwner, sources: Sequence[Source], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._sources = sources
        self._asked = 0

    def ask(self, query: str) -> None:
        """Look for what fits; ``found`` comes with the answer unless another question came first."""
        self._asked += 1
        self._tasks.start(self._find(query, self._asked), "complete")

    def forget(self) -> None:
        """The popup is closed: no answer is wanted any more."""
        self._asked += 1
        for source in self._sources:
            source.forget()

    async def _find(self, query: str, asked: int) -> None:
        found: list[Suggestion] = []
        for source in self._sources:
            found += await source.find(query, LIMIT - len(found))
            if asked != self._asked:
                return
        self.found.emit(query, tuple(found))


def _file(path: str, real: str) -> Suggestion:
    folder, _, name = path.rpartition("/")
    shown = visible_exact(path, multiline=False)
    label, detail = (visible_exact(part, multiline=False) for part in (name, folder))
    return Suggestion("file", label, detail, f"@{shown} ", real)
