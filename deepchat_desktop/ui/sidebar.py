"""The side bar: mark and fold button, New session, search, the session list, settings and the model's state.

248 px wide. It asks the session presenter and never the store; deleting asks first, in a sheet that does
not block.
"""

from datetime import date
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.controls import IconButton
from deepchat_desktop.ui.controls_shown import Box, Label, Line, SearchField, ShortLabel, StatusDot
from deepchat_desktop.ui.dialogs.confirm import ConfirmSheet
from deepchat_desktop.ui.paint import Align, painting, rr, text
from deepchat_desktop.ui.plain_tip import set_plain_tip
from deepchat_desktop.ui.session_delegate import draw_logo
from deepchat_desktop.ui.session_list import SessionList
from deepchat_desktop.ui.theme import theme

if TYPE_CHECKING:
    from deepchat_desktop.presenters.session import SessionPresenter
    from deepchat_desktop.presenters.setup import SetupPresenter

WIDTH = 248
SEARCH_PAUSE_MS = 120
DAY_CHECK_MS = 60_000


class _Brand(QWidget):
    """The mark and the name."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(160, 44)

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            draw_logo(p, QRectF(14, 13, 18, 18), 13, 5)
            text(p, QRectF(40, 0, 120, self.height()), "DeepChat", fonts.CONTROL, fonts.SEMIBOLD)


class _NewButton(QPushButton):
    """New session, with its key."""

    radius = 6

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("New session"))
        self.setAutoDefault(True)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFixedHeight(32)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH - 16, 32)

    def paintEvent(self, event: QPaintEvent) -> None:
        box = QRectF(self.rect())
        fill = theme.pressed if self.isDown() else theme.hover if self.underMouse() else theme.raised
        with painting(self) as p:
            rr(p, box, 6, fill, theme.line2)
            icons.draw(p, QRectF(9, 0, 18, box.height()), "note-pencil", theme.text, 17)
            text(p, QRectF(34, 0, 130, box.height()), self.accessibleName(), fonts.CONTROL, fonts.MEDIUM)
            keys = QRectF(0, 0, box.width() - 10, box.height())
            text(p, keys, self.tr("Ctrl N"), fonts.META, colour=theme.subtle, align=Align.AlignRight)


class SettingsButton(QAbstractButton):
    """The way to the settings, at the foot."""

    radius = 6

    def __init__(self) -> None:
        super().__init__()
        self.setText(self.tr("Settings"))
        self.setAccessibleName(self.text())
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        return QSize(round(fonts.text_width(self.text())) + 42, 30)

    def paintEvent(self, event: QPaintEvent) -> None:
        box = QRectF(self.rect())
        lit = self.underMouse() or self.isDown()
        ink = theme.text if lit else theme.muted
        with painting(self) as p:
            if lit:
                rr(p, box, 6, theme.hover)
            icons.draw(p, QRectF(8, 0, 18, box.height()), "gear-six", ink, 18)
            text(p, QRectF(34, 0, box.width() - 34, box.height()), self.text(), colour=ink)


class Sidebar(Box):
    """The whole side bar."""

    fold_asked = Signal()
    settings_asked = Signal()

    def __init__(self, session: "SessionPresenter", setup: "SetupPresenter", parent: QWidget | None = None) -> None:
        super().__init__("window", parent=parent)
        self.setFixedWidth(WIDTH)
        self._session = session
        self._setup = setup
        self._day = date.today()
        self.new_button = _NewButton()
        self.search = SearchField(self.tr("Search sessions"))
        self.list = SessionList(session.model)
        self._empty = Label(self.tr("Your sessions appear here"), tone="subtle")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.list)
        self._status = ShortLabel("", fonts.META, tone="subtle")
        self._dot = StatusDot()
        self.settings_button = SettingsButton()
        self.fold = IconButton("sidebar-simple", self.tr("Hide side bar"))
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(SEARCH_PAUSE_MS)
        self._days = QTimer(self)
        self._days.start(DAY_CHECK_MS)
        self._lay_out()
        self._connect()
        self.list.set_open(session.current_id())
        self._show_list()
        self._show_model()

    def rename(self, session_id: str) -> None:
        """Rename a session in its row."""
        self.list.rename(session_id)

    def ask_delete(self, session_id: str) -> ConfirmSheet:
        """Ask whether to delete a session; nothing happens before the answer."""
        title = self._session.model.title(session_id)
        sheet = ConfirmSheet(
            self.window(),
            self.tr("Delete this session?"),
            self.tr("“{title}” and all its messages are removed from this computer. This cannot be undone.").format(
                title=title
            ),
            self.tr("Delete session"),
        )
        sheet.accepted.connect(lambda: self._session.delete(session_id))
        sheet.open()
        return sheet

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 8, 0)
        head.addWidget(_Brand())
        head.addStretch(1)
        head.addWidget(self.fold)
        foot = QHBoxLayout()
        foot.setContentsMargins(6, 0, 14, 0)
        foot.setSpacing(6)
        foot.addWidget(self.settings_button)
        foot.addStretch(1)
        foot.addWidget(self._status)
        foot.addWidget(self._dot)
        foot_box = QWidget()
        foot_box.setFixedHeight(43)
        foot_box.setLayout(foot)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addLayout(_inset(self.new_button, 4, 0))
        column.addLayout(_inset(self.search, 8, 4))
        column.addWidget(self._stack, 1)
        column.addWidget(Line())
        column.addWidget(foot_box)

    def _connect(self) -> None:
        session, model = self._session, self._session.model
        self.fold.clicked.connect(self.fold_asked)
        self.settings_button.clicked.connect(self.settings_asked)
        self.search.textChanged.connect(lambda _text: self._pause.start())
        self.search.left.connect(self.list.setFocus)
        self._pause.timeout.connect(self._search)
        self._days.timeout.connect(self._check_day)
        self.list.opened.connect(session.open)
        self.list.renamed.connect(session.rename)
        self.list.pin_asked.connect(session.set_pinned)
        self.list.delete_asked.connect(self.ask_delete)
        session.current_changed.connect(self.list.set_open)
        for signal in (model.rowsInserted, model.rowsRemoved):
            signal.connect(self._show_list)
        self._setup.changed.connect(self._show_model)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Down leaves the search field for the list."""
        if event.key() == Qt.Key.Key_Down and self.search.hasFocus():
            self.list.setFocus(Qt.FocusReason.ShortcutFocusReason)
            return
        super().keyPressEvent(event)

    def _search(self) -> None:
        self._session.search(self.search.text().strip())

    def _check_day(self) -> None:
        if date.today() != self._day:
            self._day = date.today()
            self._session.model.refresh_days()

    def _show_list(self) -> None:
        shown = self._session.model.session_count() > 0 or bool(self.search.text())
        self._stack.setCurrentWidget(self.list if shown else self._empty)

    def _show_model(self) -> None:
        local = self._setup.local()
        match local.state:
            case "ready":
                self._status.setText(self.tr("Offline model ready"))
                self._dot.set_tone("ok")
            case "fetching":
                self._status.setText(self.tr("Fetching, {percent} %").format(percent=round(local.percent)))
                self._dot.set_tone("warn")
            case "error":
                self._status.setText(self.tr("Offline model failed"))
                self._dot.set_tone("danger")
            case _:
                self._status.setText("")
        set_plain_tip(self._status, self._status.text())
        self._dot.setVisible(bool(self._status.text()))


def _inset(widget: QWidget, top: int, bottom: int) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setContentsMargins(8, top, 8, bottom)
    row.addWidget(widget)
    return row
