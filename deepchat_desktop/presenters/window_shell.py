"""All presenters of one window, built over a core and wired to the bridge."""

import logging
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from deepchat_desktop.core import Core
from deepchat_desktop.domain.errors import DeepChatError
from deepchat_desktop.domain.messages import Session
from deepchat_desktop.presenters.agent_runtime import AgentRuntimePresenter
from deepchat_desktop.presenters.bridge import EventBridge
from deepchat_desktop.presenters.message_list_model import MessageListModel
from deepchat_desktop.presenters.permission import PermissionPresenter
from deepchat_desktop.presenters.session import SessionPresenter
from deepchat_desktop.presenters.settings import SettingsPresenter
from deepchat_desktop.presenters.setup import SetupPresenter
from deepchat_desktop.services.clock import now_ms
from deepchat_desktop.services.store import Tx

if TYPE_CHECKING:
    from deepchat_desktop.presenters.render import Renders

_log = logging.getLogger(__name__)

REMEMBER_AFTER_MS = 500


class WindowShell:
    """The presenters. Order of the bridge's receivers: sessions, messages, requests, runs."""

    def __init__(self, core: Core, bridge: EventBridge) -> None:
        self.core = core
        self.bridge = bridge
        self.messages = MessageListModel()
        self.session = SessionPresenter(core, self.messages, bridge)
        self.agent = AgentRuntimePresenter(core, self.session)
        self.permission = PermissionPresenter(core, self.session)
        self.settings = SettingsPresenter(core)
        self.setup = SetupPresenter(core, self.agent)
        self.settings.changed.connect(self.agent.settings_changed)  # a provider that goes takes its models along
        for receiver in (
            self.session.on_event,
            self.messages.apply,
            self.permission.on_event,
            self.agent.on_event,
        ):
            bridge.posted.connect(receiver)
        # After a kill too the window comes back to its session: noted soon after it changes, off the click itself.
        self._remember = QTimer()
        self._remember.setSingleShot(True)
        self._remember.setInterval(REMEMBER_AFTER_MS)
        self._remember.timeout.connect(self.remember_session)
        self.session.current_changed.connect(lambda _id: self._remember.start())

    @cached_property
    def renders(self) -> "Renders":
        """What the render process makes."""
        from deepchat_desktop.presenters.render import Renders
        from deepchat_desktop.services.render import RenderWorker

        return Renders(RenderWorker(self.core.tasks.start), self.core.tasks.start)

    def load(self) -> None:
        """Read the sessions and drafts (blocking, before the window shows) and open the last session."""

        def read(tx: Tx) -> tuple[list[Session], dict[str, str]]:
            sessions = tx.sessions.list()
            return sessions, {key: tx.drafts.get(key) for key in ["", *(session.id for session in sessions)]}

        self.session.load(*self.core.store.read_now(read))

    def expect_last(self) -> None:
        """Begin with the session that was open when the window was closed; ``open_last`` brings its messages."""
        if last := self._last():
            self.session.expect(last)

    def open_last(self) -> None:
        """Open the session that was open when the window was closed, if it is still there."""
        if last := self._last():
            self.session.open(last)

    def _last(self) -> str | None:
        last = self.settings.window().last_session
        return last if last and self.session.model.session(last) is not None else None

    def remember_session(self) -> None:
        """Note the open session for the next start."""
        self._remember.stop()
        state = self.settings.window().model_copy(update={"last_session": self.session.current_id() or None})
        self.settings.save_window(state)

    async def save_drafts(self) -> None:
        """Write every draft once more, so that the last half second of typing is kept too."""
        drafts = self.session.drafts_to_save()

        def write(tx: Tx) -> None:
            for key, text in drafts.items():
                tx.drafts.set(key, text, now_ms())

        try:
            await self.core.store.write(write)
        except DeepChatError as error:
            _log.warning("The drafts could not be written: %s", error.user_message)
