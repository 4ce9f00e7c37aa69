"""What an empty session shows above its composer: who answers, and what can be asked of it."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.controls_shown import Glyph, Label
from deepchat_desktop.ui.icons import IconName
from deepchat_desktop.ui.paint import painting
from deepchat_desktop.ui.session_delegate import draw_logo

if TYPE_CHECKING:
    from deepchat_desktop.presenters.agent_runtime import AgentRuntimePresenter


class LogoMark(QWidget):
    """The program's mark, 48 px."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(48, 48)

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            draw_logo(p, QRectF(self.rect()), 30, 14)


class EmptySession(QWidget):
    """The page of a session without messages."""

    def __init__(self, agent: "AgentRuntimePresenter", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._agent = agent
        self.answers = Label("", fonts.BODY, tone="muted", wrap=True)
        self.answers.setAlignment(Qt.AlignmentFlag.AlignCenter)
        hero = Label(self.tr("What is on your mind?"), fonts.HERO, fonts.SEMIBOLD)
        hero.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(0)
        column.addStretch(1)
        column.addWidget(LogoMark(), 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(20)
        column.addWidget(hero)
        column.addSpacing(6)
        column.addWidget(self.answers)
        column.addSpacing(28)
        column.addWidget(self._hints(), 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)
        agent.settings_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show who answers now."""
        label = self._agent.model_text()
        self.answers.setText(self.tr("Answers come from {model}.").format(model=label) if label else "")

    def _hints(self) -> QWidget:
        block = QWidget()
        lines = QVBoxLayout(block)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.setSpacing(10)
        for icon, words in self._can():
            row = QHBoxLayout()
            row.setSpacing(10)
            row.addWidget(Glyph(icon, "subtle", 16))
            row.addWidget(Label(words, tone="muted"), 1)
            lines.addLayout(row)
        return block

    def _can(self) -> tuple[tuple[IconName, str], ...]:
        return (
            ("folder-simple", self.tr("Choose a folder, and it can read and write files there")),
            ("hand-palm", self.tr("It asks before it changes anything")),
            ("lock-simple", self.tr("Conversations are kept on this computer")),
        )
