"""The settings, as a page in place of the conversation: a list of pages at the left, the page at the right.

Only pages whose feature exists are listed.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.controls import IconButton
from deepchat_desktop.ui.controls_shown import Box, Label, Line
from deepchat_desktop.ui.icons import IconName
from deepchat_desktop.ui.notice_bar import NoticeBar
from deepchat_desktop.ui.paint import painting, rr, text
from deepchat_desktop.ui.plain_tip import set_plain_tip
from deepchat_desktop.ui.settings.about import AboutPage
from deepchat_desktop.ui.settings.form import tab_to_checked
from deepchat_desktop.ui.settings.general import GeneralPage
from deepchat_desktop.ui.settings.providers import ProvidersPage
from deepchat_desktop.ui.theme import theme

if TYPE_CHECKING:
    from deepchat_desktop.presenters.settings import SettingsPresenter
    from deepchat_desktop.presenters.setup import SetupPresenter

NAV_WIDTH, FOLDED_WIDTH = 248, 50
FOLDS_BELOW = 900
"""In a narrower window the list of pages shows its icons only."""
GENERAL, PROVIDERS, ABOUT = range(3)
"""The pages by their place in the list."""


class NavButton(QAbstractButton):
    """One line of the list of pages."""

    radius = 6
    ring_away = -1
    """It reaches to the window's edge."""

    def __init__(self, icon: IconName, words: str) -> None:
        super().__init__()
        self._icon: IconName = icon
        self.setText(words)
        self.setAccessibleName(words)
        set_plain_tip(self, words)
        self.setCheckable(True)
        self.setFixedHeight(34)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        return QSize(NAV_WIDTH, 34)

    def paintEvent(self, event: QPaintEvent) -> None:
        box = QRectF(self.rect()).adjusted(8, 1, -8, -1)
        on = self.isChecked()
        with painting(self) as p:
            if on or self.underMouse():
                rr(p, box, 6, theme.selected if on else theme.hover)
            spot = QRectF(box.left() + 8, box.top(), 18, box.height())
            icons.draw(p, spot, self._icon, theme.accent_text if on else theme.muted, 17)
            if self.width() <= FOLDED_WIDTH:
                return
            words = QRectF(box.left() + 34, box.top(), box.width() - 40, box.height())
            text(p, words, self.text(), fonts.CONTROL, fonts.MEDIUM if on else fonts.REGULAR)


class SettingsPage(Box):
    """All settings; ``left`` says that the user is done."""

    left = Signal()

    def __init__(
        self, settings: "SettingsPresenter", setup: "SetupPresenter", parent: QWidget | None = None
    ) -> None:
        super().__init__("surface", parent=parent)
        self.pages = QStackedWidget()
        self.notice = NoticeBar()
        settings.notice.connect(self.notice.tell)
        self._nav = QVBoxLayout()
        self._nav.setContentsMargins(0, 4, 0, 0)
        self._nav.setSpacing(0)
        self._group = QButtonGroup(self)
        self.back = IconButton("arrow-left", self.tr("Back to the conversation"), px=17)
        self.back.clicked.connect(self.left)
        for icon, words, page in self._registry(settings, setup):
            self._add(icon, words, page)
        self._words = Label(self.tr("Settings"), weight=fonts.SEMIBOLD)
        self._side = Box("window")
        self._lay_out()
        self._fold(False)
        self.show_page(0)

    def _registry(
        self, settings: "SettingsPresenter", setup: "SetupPresenter"
    ) -> tuple[tuple[IconName, str, QWidget], ...]:
        return (
            ("sliders-horizontal", self.tr("General"), GeneralPage(settings)),
            ("cloud", self.tr("Providers & models"), ProvidersPage(settings, setup)),
            ("info", self.tr("About"), AboutPage()),
        )

    def show_page(self, index: int) -> None:
        """Show a page by its place in the list."""
        self.pages.setCurrentIndex(index)
        self._group.button(index).setChecked(True)
        tab_to_checked(self._group)

    def _add(self, icon: IconName, words: str, page: QWidget) -> None:
        index = self.pages.addWidget(page)
        button = NavButton(icon, words)
        button.clicked.connect(lambda: self.show_page(index))
        self._group.addButton(button, index)
        self._nav.addWidget(button)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(8, 0, 8, 0)
        head.setSpacing(4)
        head.addWidget(self.back)
        head.addWidget(self._words)
        head.addStretch(1)
        top = QWidget()
        top.setFixedHeight(44)
        top.setLayout(head)
        side = self._side
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(top)
        column.addLayout(self._nav)
        column.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(side)
        row.addWidget(Line(vertical=True))
        right = QVBoxLayout()
        right.setSpacing(0)
        right.addWidget(self.notice)
        right.addWidget(self.pages, 1)
        row.addLayout(right, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold the list of pages where the page needs the room."""
        self._fold(event.size().width() < FOLDS_BELOW)
        super().resizeEvent(event)

    def _fold(self, folded: bool) -> None:
        self._side.setFixedWidth(FOLDED_WIDTH if folded else NAV_WIDTH)
        self._words.setVisible(not folded)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape goes back."""
        if event.key() == Qt.Key.Key_Escape:
            self.notice.hide()
            self.left.emit()
            return
        super().keyPressEvent(event)
