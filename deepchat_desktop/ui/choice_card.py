"""One card of the first page: icon, state, title, caption, words, and one button.

At least 240 x 210 px; it grows with its words, so that an error is read in full.
"""

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.controls import Button
from deepchat_desktop.ui.controls_shown import Box, Label, Pill, PillTone, Progress
from deepchat_desktop.ui.icons import IconName
from deepchat_desktop.ui.paint import painting, rr
from deepchat_desktop.ui.theme import theme


class _Tile(QWidget):
    def __init__(self, icon: IconName, recommended: bool) -> None:
        super().__init__()
        self._icon: IconName = icon
        self._recommended = recommended
        self.setFixedSize(36, 36)

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            rr(p, self.rect(), 10, theme.selected if self._recommended else theme.hover)
            ink = theme.accent_text if self._recommended else theme.muted
            icons.draw(p, QRectF(self.rect()), self._icon, ink, 20)


class ChoiceCard(Box):
    """A card; ``pressed`` comes from its button."""

    WIDTH = 240
    pressed = Signal()

    def __init__(self, icon: IconName, title: str, *, recommended: bool = False) -> None:
        super().__init__("surface", "line2" if recommended else "line", 10)
        self.setFixedWidth(self.WIDTH)
        self.setMinimumHeight(210)
        self.setAccessibleName(title)
        self.pill = Pill("", "plain")
        self.title = Label(title, fonts.BODY, fonts.SEMIBOLD)
        self.caption = Label("", fonts.META, tone="subtle", wrap=True)
        self.words = Label("", tone="muted", wrap=True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.words.setMinimumHeight(40)
        self.command = Label("", fonts.META, mono=True, wrap=True)
        self.command.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.command.hide()
        self.progress = Progress(title)
        self.progress.hide()
        self.button = Button(title)
        self.button.clicked.connect(self.pressed)
        top = QHBoxLayout()
        top.addWidget(_Tile(icon, recommended))
        top.addStretch(1)
        top.addWidget(self.pill)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(0)
        column.addLayout(top)
        column.addSpacing(13)
        column.addWidget(self.title)
        column.addSpacing(1)
        column.addWidget(self.caption)
        column.addSpacing(8)
        column.addWidget(self.words)
        column.addSpacing(4)
        column.addWidget(self.command)
        column.addStretch(1)
        column.addWidget(self.progress)
        column.addSpacing(12)
        column.addWidget(self.button)

    def show_state(
        self, pill: str, tone: PillTone, caption: str, words: str, *, percent: float | None = None
    ) -> None:
        """Show what is the case; ``percent`` (0 to 100) shows the bar."""
        self.pill.set_state(pill, tone)
        self.caption.setText(caption)
        self.words.setText(words)
        self.command.hide()
        self.progress.setVisible(percent is not None)
        if percent is not None:
            self.progress.set_percent(percent)
        self.setAccessibleDescription(". ".join(part for part in (pill, caption, words) if part))

    def show_command(self, command: str) -> None:
        """Show a command line under the words."""
        self.command.setText(command)
        self.command.show()

    def show_button(self, label: str, *, primary: bool = False) -> None:
        """Name the next step."""
        self.button.set_label(label)
        self.button.set_kind("primary" if primary else "normal")
