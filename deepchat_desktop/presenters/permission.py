"""What waits for the user's leave, as cards: our words first, the exact call, the model's words last."""

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from deepchat_desktop.core import Core
from deepchat_desktop.domain.errors import DeepChatError
from deepchat_desktop.domain.events import InteractionAsked, InteractionSettled, MessageFinished, RuntimeEvent
from deepchat_desktop.domain.permission import Answer, Interaction, Scope
from deepchat_desktop.presenters.guarded import guarded
from deepchat_desktop.presenters.session import SessionPresenter
from deepchat_desktop.presenters.words import words_of


@dataclass(frozen=True)
class PermissionCard:
    """One request as it is shown. Everything but ``model_says`` is ours."""

    id: str
    title: str
    consequence: str
    detail: str
    folder: str
    model_says: str
    remember_text: str
    tool: str
    kind: str


class PermissionPresenter(QObject):
    """The open session's queue of requests."""

    changed = Signal()
    notice = Signal(str, str)

    def __init__(self, core: Core, session: SessionPresenter, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._core = core
        self._session = session
        self._waiting: list[Interaction] = []
        session.current_changed.connect(self._reload)

    def cards(self) -> list[PermissionCard]:
        """Return what waits in the open session, in order."""
        return [self._card(item) for item in self._waiting]

    def answer(self, card_id: str, allow: bool, scope: Scope = "once", why: str = "") -> None:
        """Answer one request; the card leaves at once, and a second answer does nothing."""
        known = [item for item in self._waiting if item.id == card_id]
        if known:
            self._waiting = [item for item in self._waiting if item.id != card_id]
            self.changed.emit()
            self._core.tasks.start(self._respond(card_id, Answer(allow=allow, scope=scope, why=why)), "answer")

    def stop(self) -> None:
        """Stop the run that waits."""
        if session_id := self._session.current_id():
            self._core.tasks.start(guarded(self._core.runtime.cancel(session_id), self.notice.emit), "stop")

    def on_event(self, event: RuntimeEvent) -> None:
        """Follow the runtime."""
        if getattr(event, "session_id", None) != self._session.current_id():
            return
        match event:
            case InteractionAsked() if all(item.id != event.interaction.id for item in self._waiting):
                self._waiting.append(event.interaction)
                self.changed.emit()
            case InteractionSettled():
                self._drop(event.interaction.id)
            case MessageFinished() if event.message.status != "paused":
                self._waiting = [item for item in self._waiting if item.message_id != event.message.id]
                self.changed.emit()
            case _:
                pass

    def _drop(self, interaction_id: str) -> None:
        if any(item.id == interaction_id for item in self._waiting):
            self._waiting = [item for item in self._waiting if item.id != interaction_id]
            self.changed.emit()

    def _reload(self, session_id: str) -> None:
        self._waiting = []
        self.changed.emit()
        if session_id:
            self._core.tasks.start(guarded(self._load(session_id), self.notice.emit), "load requests")

    async def _load(self, session_id: str) -> None:
        waiting = await self._core.store.read(lambda tx: tx.interactions.pending(session_id))
        if session_id == self._session.current_id():
            self._waiting = waiting
            self.changed.emit()

    async def _respond(self, card_id: str, answer: Answer) -> None:
        try:
            await self._core.runtime.respond(card_id, answer)
        except DeepChatError as error:
            self._tell(error)
            if session_id := self._session.current_id():
                await guarded(self._load(session_id), self.notice.emit)

    def _tell(self, error: DeepChatError) -> None:
        self.notice.emit(error.code, words_of(error))

    def _card(self, item: Interaction) -> PermissionCard:
        folder = str(Path(item.target).parent)
        return PermissionCard(
            id=item.id,
            title=item.summary,
            consequence=self._consequence(item),
            detail=item.detail,
            folder=folder,
            model_says=item.reason,
            remember_text=self._remember(item, folder),
            tool=item.tool,
            kind=item.kind,
        )

    def _consequence(self, item: Interaction) -> str:
        if item.level == "read":
            return self.tr("The model will see what is in this file. Nothing has been read yet.")
        return self.tr("It changes files on this computer. Nothing has been written yet.")

    def _remember(self, item: Interaction, folder: str) -> str:
        session = self._session.current()
        from deepchat_desktop.services.permissions import session_root

        root = session_root(session, item.target) if session else folder
        if item.level == "read":
            return self.tr("For this session it remembers: reading anything in {0}.").format(root)
        return self.tr("For this session it remembers: reading and writing anything in {0}.").format(root)
