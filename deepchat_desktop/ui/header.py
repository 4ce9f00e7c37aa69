"""The line above the conversation: the session's title, its project folder, and the menu of more.

44 px high. It shows the model of the session list and asks the presenters; with nothing open it says so.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QPaintEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QSizePolicy, QWidget

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.controls import Chip, IconButton, Menu, menu_icon
from deepchat_desktop.ui.controls_shown import Box, Turning
from deepchat_desktop.ui.paint import painting, rr, spinner, text
from deepchat_desktop.ui.theme import theme

if TYPE_CHECKING:
    from deepchat_desktop.presenters.agent_runtime import AgentRuntimePresenter
    from deepchat_desktop.presenters.session import SessionPresenter
    from deepchat_desktop.presenters.settings import SettingsPresenter

HEIGHT = 44
TAB_LIMIT = 360


class TitlePill(QWidget):
    """The open session's title; with a running mark while its run is on."""

    def __init__(self) -> None:
        super().__init__()
        self._title = ""
        self._filled = False
        self._running = False
        self._beat = Turning(self)
        self._beat.timeout.connect(self.update)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(HEIGHT)

    def show_title(self, title: str, *, filled: bool) -> None:
        """Show a title; ``filled`` gives it the ground of an open session."""
        self._title, self._filled = title, filled
        self.setAccessibleName(title)
        self.updateGeometry()
        self.update()

    def title(self) -> str:
        """Return the title shown."""
        return self._title

    def set_running(self, running: bool) -> None:
        """Show or hide the running mark."""
        self._running = running
        self._beat.run(running)
        self.updateGeometry()
        self.update()

    def _weight(self) -> int:
        return fonts.MEDIUM if self._filled else fonts.SEMIBOLD

    def sizeHint(self) -> QSize:
        words = fonts.text_width(self._title, fonts.CONTROL, self._weight())
        extra = 25 + (18 if self._running else 0) if self._filled else 2
        return QSize(min(TAB_LIMIT, round(words) + extra), HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(min(80, self.sizeHint().width()), HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        box = QRectF(self.rect())
        x = 0.0
        with painting(self) as p:
            if self._filled:
                rr(p, box.adjusted(0, 7, 0, -7), 6, theme.hover)
                x = 12.0
            if self._filled and self._running:
                spinner(p, QRectF(x, box.center().y() - 5.5, 11, 11), self._beat.degrees, 1.8)
                x += 18
            room = QRectF(x, 0, box.width() - x - (8 if self._filled else 0), box.height())
            text(p, room, self._title, fonts.CONTROL, self._weight())


class Header(Box):
    """The header of the conversation."""

    unfold_asked = Signal()
    settings_asked = Signal()
    rename_asked = Signal(str)
    delete_asked = Signal(str)
    find_asked = Signal()
    minimap_asked = Signal(bool)

    def __init__(
        self,
        session: "SessionPresenter",
        agent: "AgentRuntimePresenter",
        settings: "SettingsPresenter",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("surface", parent=parent)
        self.setFixedHeight(HEIGHT)
        self._session, self._agent, self._settings = session, agent, settings
        self._id = ""
        self.unfold = IconButton("sidebar-simple", self.tr("Show side bar"))
        self.unfold.hide()
        self.title = TitlePill()
        self.folder = Chip(self.tr("No folder"), "folder-simple")
        self.folder.set_limit(160)
        self.find_button = IconButton("magnifying-glass", self.tr("Find in session (Ctrl+F)"))
        self.more = IconButton("dots-three", self.tr("More"), px=19)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 10, 0)
        row.setSpacing(4)
        row.addWidget(self.unfold)
        row.addWidget(self.title)
        row.addStretch(1)
        row.addWidget(self.folder)
        row.addWidget(self.find_button)
        row.addWidget(self.more)
        self._connect()
        self._show_session(session.current_id())

    def _connect(self) -> None:
        model = self._session.model
        self.unfold.clicked.connect(self.unfold_asked)
        self.folder.clicked.connect(self._open_folder_menu)
        self.find_button.clicked.connect(self.find_asked)
        self.more.clicked.connect(lambda: self.menu().popup_under(self.more, right=True))
        self._session.current_changed.connect(self._show_session)
        self._agent.running_changed.connect(self.title.set_running)
        self._agent.settings_changed.connect(self._show_folder)
        for signal in (model.dataChanged, model.rowsInserted):
            signal.connect(self._show_again)

    def _show_again(self) -> None:
        self._show_session(self._id)

    def _show_session(self, session_id: str) -> None:
        self._id = session_id
        model = self._session.model
        known = model.session(session_id) if session_id else None
        if known is not None:
            self.title.show_title(model.title(session_id), filled=True)
        else:
            first = model.session_count() == 0
            self.title.show_title(self.tr("Welcome") if first else self.tr("New session"), filled=False)
        self.find_button.setVisible(known is not None)
        self.folder.setVisible(known is not None or model.session_count() > 0)
        self._show_folder()

    def _show_folder(self) -> None:
        path = self._agent.workspace()
        name = Path(path).name or str(path) if path else self.tr("No folder")
        self.folder.set_label(name, name=self.tr("Project folder: {path}").format(path=path or self.tr("none")))

    def _open_folder_menu(self) -> None:
        menu = Menu(self)
        menu.addAction(menu_icon("folder-open"), self.tr("Choose a folder…")).triggered.connect(self.choose_folder)
        if self._agent.workspace():
            none = menu.addAction(menu_icon("x"), self.tr("Work without a folder"))
            none.triggered.connect(lambda: self._take_folder(""))
        menu.popup_under(self.folder)

    def choose_folder(self) -> QFileDialog:
        """Open the system's folder dialog; it does not block."""
        dialog = QFileDialog(self.window(), self.tr("Project folder"), self._agent.workspace() or "")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._take_folder)
        dialog.open()
        return dialog

    def _take_folder(self, path: str) -> None:
        self._agent.set_workspace(path or None)
        self._show_folder()

    def menu(self) -> Menu:
        """Make the menu of more."""
        menu = Menu(self)
        if self._session.model.session(self._id) is not None:
            rename = menu.addAction(menu_icon("pencil-simple"), self.tr("Rename session"))
            rename.triggered.connect(lambda: self.rename_asked.emit(self._id))
            delete = menu.addAction(menu_icon("trash"), self.tr("Delete session…"))
            delete.triggered.connect(lambda: self.delete_asked.emit(self._id))
            menu.addSeparator()
        group = QActionGroup(menu)
        for choice, words in (
            ("system", self.tr("Theme of the system")),
            ("light", self.tr("Light theme")),
            ("dark", self.tr("Dark theme")),
        ):
            entry: QAction = menu.addAction(words)
            entry.setCheckable(True)
            entry.setChecked(self._settings.theme() == choice)
            entry.triggered.connect(lambda _on=False, choice=choice: self._settings.set_theme(choice))
            group.addAction(entry)
        menu.addSeparator()
        strip = menu.addAction(self.tr("Map of the conversation"))
        strip.setCheckable(True)
        strip.setChecked(self._settings.window().minimap)
        strip.triggered.connect(self.minimap_asked)
        menu.addAction(menu_icon("gear-six"), self.tr("Settings")).triggered.connect(self.settings_asked)
        return menu
