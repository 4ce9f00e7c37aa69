"""The composer's foot: attachments, model, mode, workspace, how full the window is, send or stop."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QFileDialog, QWidget

from deepchat_desktop.domain.visible_text import visible_exact
from deepchat_desktop.presenters.words import mode_words
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.chat.context_popover import ContextPopover
from deepchat_desktop.ui.chat.mode_chip import ModeChip
from deepchat_desktop.ui.controls import Chip, IconButton, Menu
from deepchat_desktop.ui.controls_shown import Ring
from deepchat_desktop.ui.paint import Align, painting, text
from deepchat_desktop.ui.theme import theme

if TYPE_CHECKING:
    from deepchat_desktop.presenters.agent_runtime import AgentRuntimePresenter

HEIGHT = 32
COMPACT_BELOW = 600
MODES = ("ask", "read", "chat", "full")


class ComposerBar(QWidget):
    """One row of controls. ``primary`` is send, or stop while a run is on."""

    attach_asked = Signal()
    primary_pressed = Signal()

    def __init__(self, agent: "AgentRuntimePresenter", parent: QWidget) -> None:
        super().__init__(parent)
        self._agent = agent
        self._percent = "—"
        self._used = 0
        self.attach = IconButton("paperclip", self.tr("Attach pictures and text files"), 28, 18, self)
        self.model = Chip("", "sparkle", parent=self)
        self.mode = ModeChip("", "shield-check", parent=self)
        self.workspace = Chip("", "folder-simple", parent=self)
        self.ring = Ring(self.tr("Context"), parent=self)
        self.primary = IconButton("arrow-up", self.tr("Send"), 32, 18, self)
        self.primary.set_filled(True)
        self.attach.clicked.connect(self.attach_asked)
        self.primary.clicked.connect(self.primary_pressed)
        self.ring.clicked.connect(self.open_context)
        self.model.clicked.connect(self.open_models)
        self.mode.clicked.connect(self.open_modes)
        self.workspace.clicked.connect(self.pick_workspace)
        theme.changed.connect(self._place)  # after the chips took their new measures
        self.refresh()
        self.show_context(0, 0)

    def refresh(self) -> None:
        """Read model, mode and workspace anew."""
        model = visible_exact(self._agent.model_text(), multiline=False)
        words = model or self.tr("Choose a model")
        self.model.set_label(words, name=self.tr("Model: {model}").format(model=words))
        self.mode.set_mode(self._agent.mode(), mode_words(self._agent.mode()))
        folder = self._agent.workspace()
        place = visible_exact(Path(folder).name or folder, multiline=False) if folder else self.tr("No folder")
        self.workspace.set_label(place, name=self.tr("Workspace: {folder}").format(folder=folder or place))
        self._place()

    def show_context(self, used: int, window: int) -> None:
        """Show how full the window is; a figure of 0 is unknown."""
        known = used > 0 and window > 0
        self._used = used
        share = used / window if known else 0.0
        self._percent = f"{min(share, 1.0) * 100:.0f} %" if known else "—"
        self.ring.set_share(share)
        words = self.tr("Context: {used} of {window} tokens").format(used=f"{used:,}", window=f"{window:,}")
        self.ring.setToolTip(words if known else self.tr("Context: unknown"))
        self.ring.setAccessibleDescription(self.ring.toolTip())
        self.update()

    def show_running(self, running: bool) -> None:
        """Turn the round button into Stop, or back."""
        self.primary.set_icon("stop" if running else "arrow-up")
        self.primary.set_name(self.tr("Stop") if running else self.tr("Send"))

    def resizeEvent(self, event: object) -> None:
        self._place()

    def _place(self) -> None:
        width = self.width()
        compact = width < COMPACT_BELOW
        for chip in (self.model, self.mode, self.workspace):
            chip.set_compact(compact)
            chip.set_limit(180 if width > 680 else 130)
        x = 0
        for part, high in ((self.attach, 28), (self.model, 28), (self.mode, 28), (self.workspace, 28)):
            part.move(x, (HEIGHT - high) // 2)
            x += part.width() + 4
        self.primary.move(width - 32, 0)
        self.ring.move(width - 32 - 12 - self._percent_width() - 8 - 18, 7)
        self.update()

    def _percent_width(self) -> int:
        return round(fonts.metrics(fonts.META, tabular=True).horizontalAdvance("100 %"))

    def open_context(self) -> ContextPopover:
        """Show the figures behind the ring."""
        popover = ContextPopover(self._used, self._agent.budget(), self)
        popover.open_above(self.ring)
        return popover

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            wide = self._percent_width()
            area = QRectF(self.width() - 32 - 12 - wide, 0, wide, HEIGHT)
            text(p, area, self._percent, fonts.META, colour=theme.muted, align=Align.AlignRight, tabular=True)

    def open_models(self) -> None:
        """Offer the models."""
        menu = Menu(self)
        for provider, model, label in self._agent.models():
            action = menu.addAction(_plain(label))
            action.setCheckable(True)
            action.setChecked(label == self._agent.model_text())
            action.triggered.connect(lambda _=False, p=provider, m=model: self._agent.choose_model(p, m))
        if menu.isEmpty():
            menu.addAction(self.tr("No models yet: add a provider in the settings")).setEnabled(False)
        popup_above(menu, self.model)

    def open_modes(self) -> None:
        """Offer the permission modes."""
        menu = Menu(self)
        about = {
            "ask": self.tr("Ask: reads in the folder, asks for everything else"),
            "read": self.tr("Read: reads anywhere, asks before it writes"),
            "full": self.tr("Full access: reads and writes without asking"),
            "chat": self.tr("Chat only: no tools"),
        }
        for mode in MODES:
            if mode == "full":
                menu.addSeparator()
            action = menu.addAction(about[mode])
            action.setCheckable(True)
            action.setChecked(mode == self._agent.mode())
            action.triggered.connect(lambda _=False, m=mode: self._agent.set_mode(m))
        popup_above(menu, self.mode)

    def pick_workspace(self) -> None:
        """Let the user choose the workspace folder."""
        dialog = QFileDialog(self.window(), self.tr("Choose the workspace folder"), self._agent.workspace() or "")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._agent.set_workspace)
        dialog.open()


def popup_above(menu: Menu, anchor: QWidget) -> None:
    """Open a menu above its button: the composer stands at the foot of the window."""
    at = anchor.mapToGlobal(anchor.rect().topLeft())
    at.setY(at.y() - menu.sizeHint().height() - 4)
    menu.popup(at)


def _plain(label: str) -> str:
    """Return a label for a menu, where an ampersand would mark a key."""
    return visible_exact(label, multiline=False).replace("&", "&&")
