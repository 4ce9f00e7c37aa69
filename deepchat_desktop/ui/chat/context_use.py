"""How full the model's window is: what the last answer reported, also for a session that was just opened.

Invariant: nothing is estimated here; without a report, or without a known window, it is unknown.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from deepchat_desktop.presenters.message_list_model import MessageListModel

if TYPE_CHECKING:
    from deepchat_desktop.presenters.agent_runtime import AgentRuntimePresenter

LOOKED_AT = 40
"""How many of the last messages are looked through for a report."""


class ContextUse(QObject):
    """The open session's figures, in tokens; 0 is unknown."""

    changed = Signal(int, int)
    """Used, and the window."""

    def __init__(self, agent: "AgentRuntimePresenter", model: MessageListModel, parent: QObject) -> None:
        super().__init__(parent)
        self._agent, self._model = agent, model
        self._used = 0
        self._told = (0, 0)
        agent.context_changed.connect(self._on_reported)
        agent.settings_changed.connect(self._tell)
        model.reset.connect(self._on_reset)

    def figures(self) -> tuple[int, int]:
        """Return used and the window."""
        return self._told

    def _on_reported(self, used: int, window: int) -> None:
        self._used = used
        self._told = (used, window)
        self.changed.emit(used, window)

    def _on_reset(self) -> None:
        rows = range(self._model.count() - 1, max(-1, self._model.count() - 1 - LOOKED_AT), -1)
        figures = (self._model.message(row).meta.context_tokens for row in rows)
        self._used = next((used for used in figures if used), 0)
        self._tell()

    def _tell(self) -> None:
        """Tell the figures if they are others: the model, and with it the window, may have been changed."""
        budget = self._agent.budget()
        now = (self._used, budget.window if budget is not None else 0)
        if now != self._told:
            self._told = now
            self.changed.emit(*now)
