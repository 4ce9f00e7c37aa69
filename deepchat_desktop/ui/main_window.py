"""The window: side bar, header, conversation; the settings in their place when asked for.

Invariants: at least 760 x 520, 1200 x 800 at first, its place remembered through the settings presenter; below
900 px the side bar folds by itself. F6 and Shift+F6 go through the regions. Nothing here blocks.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, cast

from PySide6.QtCore import QByteArray, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QCloseEvent, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QApplication, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.controls_shown import Box, Line
from deepchat_desktop.ui.focus_ring import FocusRing
from deepchat_desktop.ui.header import Header
from deepchat_desktop.ui.notice_bar import NoticeBar
from deepchat_desktop.ui.sidebar import Sidebar
from deepchat_desktop.ui.theme import ThemeChoice, theme

if TYPE_CHECKING:
    from deepchat_desktop.domain.settings import ReadingPlace
    from deepchat_desktop.presenters.agent_runtime import AgentRuntimePresenter
    from deepchat_desktop.presenters.session import SessionPresenter
    from deepchat_desktop.presenters.settings import SettingsPresenter
    from deepchat_desktop.presenters.setup import SetupPresenter
    from deepchat_desktop.ui.empty_session import EmptySession
    from deepchat_desktop.ui.first_start import FirstStart
    from deepchat_desktop.ui.settings.page import SettingsPage

MINIMUM = (760, 520)
DEFAULT = (1200, 800)
FOLD_BELOW = 900


class ChatSurface(Protocol):
    """What the window needs of the conversation beside it being a widget."""

    settings_asked: SignalInstance

    def set_empty_widget(self, widget: QWidget | None) -> None:
        """Show ``widget`` above the composer while the session has no message."""

    def focus_regions(self) -> list[QWidget]:
        """Return the parts that F6 goes to, in order."""

    def focus_composer(self) -> None:
        """Put the caret into the composer."""

    def open_find(self) -> None:
        """Show the bar that finds words in the session."""

    def set_minimap(self, shown: bool) -> None:
        """Show or hide the map of the conversation."""

    def places(self) -> "tuple[ReadingPlace, ...]":
        """Return where each session stands or was left."""

    def take_places(self, places: "tuple[ReadingPlace, ...]") -> None:
        """Know where sessions were left before this start."""


class MainWindow(Box):
    """The main window. ``closing`` comes when the user closes it, after its place was remembered."""

    closing = Signal()

    def __init__(
        self,
        *,
        session: "SessionPresenter",
        agent: "AgentRuntimePresenter",
        setup: "SetupPresenter",
        settings: "SettingsPresenter",
        make_chat: Callable[[], QWidget],
    ) -> None:
        """``make_chat`` gives a widget that is also a ``ChatSurface``."""
        super().__init__("surface")
        self._session, self._agent, self._setup, self._settings = session, agent, setup, settings
        self._take_appearance()
        self.setWindowTitle("DeepChat Desktop")
        self.setMinimumSize(*MINIMUM)
        self.resize(*DEFAULT)
        self._side_wanted = settings.window().sidebar
        self._side_narrow = False
        self._started = False
        self.sidebar = Sidebar(session, setup)
        self._side_line = Line(vertical=True)
        self.header = Header(session, agent, settings)
        self.notice = NoticeBar()
        self.chat = make_chat()
        self.settings_page: SettingsPage | None = None
        self.first_start: FirstStart | None = None
        self._empty_session: EmptySession | None = None
        self._pages = QStackedWidget()
        self.ring = FocusRing(self)
        self._lay_out()
        self._connect()
        self._shortcuts()
        self._restore()
        self._show_sidebar()
        self.surface.set_minimap(settings.window().minimap)
        self._show_empty()
        self.focus_composer()

    @property
    def surface(self) -> ChatSurface:
        """The conversation as the window uses it."""
        return cast("ChatSurface", self.chat)

    # -- settings

    def open_providers(self) -> None:
        """Show the providers page of the settings."""
        from deepchat_desktop.ui.settings.page import PROVIDERS

        self.open_settings(PROVIDERS)

    def open_settings(self, page: int = 0) -> None:
        """Show the settings in place of the conversation."""
        if self.settings_page is None:
            from deepchat_desktop.ui.settings.page import SettingsPage

            self.settings_page = SettingsPage(self._settings, self._setup)
            self.settings_page.left.connect(self.close_settings)
            self._pages.addWidget(self.settings_page)
        self.settings_page.show_page(page)
        self._pages.setCurrentWidget(self.settings_page)
        self.settings_page.back.setFocus(Qt.FocusReason.OtherFocusReason)

    def close_settings(self) -> None:
        """Go back to the conversation."""
        self._pages.setCurrentIndex(0)
        self.focus_composer()

    def settings_open(self) -> bool:
        """Tell whether the settings are shown."""
        return self._pages.currentIndex() > 0

    # -- side bar

    def fold_sidebar(self, folded: bool) -> None:
        """Hide or show the side bar; a choice made in a wide window is remembered."""
        if self._narrow():
            self._side_narrow = not folded
        else:
            self._side_wanted = not folded
        self._show_sidebar()

    def _narrow(self) -> bool:
        return self.width() < FOLD_BELOW

    def _show_sidebar(self) -> None:
        shown = self._side_narrow if self._narrow() else self._side_wanted
        self.sidebar.setVisible(shown)
        self._side_line.setVisible(shown)
        self.header.unfold.setVisible(not shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        was_narrow = 0 < event.oldSize().width() < FOLD_BELOW
        if was_narrow and not self._narrow():
            self._side_narrow = False
        self._show_sidebar()
        super().resizeEvent(event)

    # -- focus

    def regions(self) -> list[QWidget]:
        """Return the visible regions in the order of F6: what waits in the conversation comes before the side bar."""
        sessions = self.sidebar.list if self.sidebar.list.isVisible() else self.sidebar.new_button
        return [part for part in (*self.surface.focus_regions(), sessions) if part.isVisible()]

    def next_region(self, by: int = 1) -> None:
        """Move the focus to the next (1) or the previous (-1) region."""
        regions = self.regions()
        if self.settings_open() or not regions:
            return
        focus = QApplication.focusWidget()
        here = [i for i, part in enumerate(regions) if focus and (part is focus or part.isAncestorOf(focus))]
        if not here and focus and self.sidebar.isAncestorOf(focus):
            here = [len(regions) - 1]
        start = here[-1] if here else (-1 if by > 0 else 0)
        regions[(start + by) % len(regions)].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def focus_composer(self) -> None:
        """Put the caret into the composer."""
        self.surface.focus_composer()

    def new_session(self) -> None:
        """Begin a new session with the caret in its composer."""
        if self.settings_open():
            self.close_settings()
        self._session.new_session()
        self.focus_composer()

    def _show_minimap(self, shown: bool) -> None:
        self._settings.save_window(self._settings.window().model_copy(update={"minimap": shown}))
        self.surface.set_minimap(shown)

    # -- remembering

    def remember(self) -> None:
        """Keep place and panels for the next start."""
        data = bytes(self.saveGeometry().toBase64().data()).decode("ascii")
        now = {"geometry": data, "sidebar": self._side_wanted, "places": self.surface.places()}
        self._settings.save_window(self._settings.window().model_copy(update=now))

    def closeEvent(self, event: QCloseEvent) -> None:
        self.remember()
        event.accept()
        self.closing.emit()

    def _restore(self) -> None:
        self.surface.take_places(self._settings.window().places)
        text = self._settings.window().geometry
        if text:
            self.restoreGeometry(QByteArray.fromBase64(text.encode("ascii", "ignore")))

    # -- inside

    def _lay_out(self) -> None:
        right = QVBoxLayout()
        right.setSpacing(0)
        right.addWidget(self.header)
        right.addWidget(Line())
        right.addWidget(self.notice)
        right.addWidget(self.chat, 1)
        conversation = QWidget()
        row = QHBoxLayout(conversation)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.sidebar)
        row.addWidget(self._side_line)
        row.addLayout(right, 1)
        self._pages.addWidget(conversation)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._pages)

    def _connect(self) -> None:
        self.sidebar.fold_asked.connect(lambda: self.fold_sidebar(True))
        self.header.unfold_asked.connect(lambda: self.fold_sidebar(False))
        self.sidebar.settings_asked.connect(self.open_settings)
        self.sidebar.new_button.clicked.connect(self.new_session)
        self.sidebar.list.opened.connect(self.focus_composer)
        self.surface.settings_asked.connect(self.open_providers)
        self.header.settings_asked.connect(self.open_settings)
        self.header.delete_asked.connect(self.sidebar.ask_delete)
        self.header.rename_asked.connect(self._rename)
        self.header.find_asked.connect(self.surface.open_find)
        self.header.minimap_asked.connect(self._show_minimap)
        self._settings.changed.connect(self._take_appearance)
        self._session.current_changed.connect(self._show_empty)
        self._agent.settings_changed.connect(self._show_empty)
        self._session.notice.connect(self.notice.tell)
        self._settings.notice.connect(self._tell_of_settings)

    def _tell_of_settings(self, code: str, words: str) -> None:
        """Tell what the settings page does not tell itself, because it is not shown."""
        if not self.settings_open():
            self.notice.tell(code, words)

    def _shortcuts(self) -> None:
        for keys, act in (
            ("Ctrl+N", self.new_session),
            ("Ctrl+,", self.open_settings),
            ("F6", self.next_region),
            ("Shift+F6", lambda: self.next_region(-1)),
        ):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.activated.connect(self.ring.note_keyboard)
            shortcut.activated.connect(act)

    def _rename(self, session_id: str) -> None:
        if not self.sidebar.isVisible():
            self.fold_sidebar(False)
        # The row has its place only after the layout that showing the side bar asked for.
        QTimer.singleShot(0, self, lambda: self.sidebar.rename(session_id))

    def _show_empty(self) -> None:
        """Choose what an empty session shows: the first choice until one was made, then the plain page."""
        if self._session.current_id():
            self.surface.set_empty_widget(None)  # its messages are there, or on their way
            return
        known = self._started or self._session.model.session_count() > 0 or bool(self._settings.providers())
        chosen = bool(self._agent.model_text()) and known
        if chosen:
            if self._empty_session is None:
                from deepchat_desktop.ui.empty_session import EmptySession

                self._empty_session = EmptySession(self._agent)
            self.surface.set_empty_widget(self._empty_session)
            return
        if self.first_start is None:
            from deepchat_desktop.ui.first_start import FirstStart

            self.first_start = FirstStart(self._setup)
            self.first_start.started.connect(self._begin)
        self.surface.set_empty_widget(self.first_start)

    def _begin(self) -> None:
        self._started = True
        self._show_empty()
        self.focus_composer()

    def _take_appearance(self) -> None:
        size = self._settings.text_size()
        if size in fonts.TEXT_SIZES and size != fonts.text_size():
            fonts.set_text_size(size)
            theme.refresh()
        theme.use(cast("ThemeChoice", self._settings.theme()))
