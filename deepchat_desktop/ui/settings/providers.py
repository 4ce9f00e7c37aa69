"""Providers & models: the providers at the left, one of them at the right with its key, check and models.

A key can be set or replaced and is never shown. What a check found stands where it was asked for.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPaintEvent, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.controls import Button, IconButton
from deepchat_desktop.ui.controls_shown import Box, Label, Line
from deepchat_desktop.ui.dialogs.add_provider import AddProviderSheet
from deepchat_desktop.ui.paint import Align, painting, rr, text
from deepchat_desktop.ui.settings.provider_detail import ProviderDetail
from deepchat_desktop.ui.theme import theme

if TYPE_CHECKING:
    from deepchat_desktop.domain.settings import ProviderSettings
    from deepchat_desktop.presenters.settings import SettingsPresenter
    from deepchat_desktop.presenters.setup import SetupPresenter

LIST_WIDTH = 232


class ProviderButton(QAbstractButton):
    """One provider in the list: letter, name, how many models or what is wrong."""

    radius = 6

    def __init__(self, provider: "ProviderSettings") -> None:
        super().__init__()
        self.provider_id = provider.id
        self.failed = False
        self._below = ""
        self.setText(provider.name)
        self.setCheckable(True)
        self.setFixedHeight(46)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.show_state(len(provider.models), None)

    def show_state(self, models: int, ok: bool | None) -> None:
        """Show what is known: a failed check wins over the number of models."""
        self.failed = ok is False
        count = self.tr("1 model") if models == 1 else self.tr("{count} models").format(count=models)
        self._below = self.tr("The check failed") if self.failed else count
        self.setAccessibleName(f"{self.text()}, {self._below}")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(LIST_WIDTH, 46)

    def paintEvent(self, event: QPaintEvent) -> None:
        box = QRectF(self.rect()).adjusted(8, 1, -8, -1)
        on = self.isChecked()
        with painting(self) as p:
            if on or self.underMouse():
                rr(p, box, 6, theme.selected if on else theme.hover)
            tile = QRectF(box.left() + 8, box.top() + 8, 28, 28)
            rr(p, tile, 8, theme.raised if on else theme.hover, theme.line)
            letter = self.text()[:1].upper()
            text(p, tile, letter, fonts.CONTROL, fonts.SEMIBOLD, theme.muted, align=Align.AlignHCenter)
            room = box.width() - 56 - (22 if self.failed else 0)
            text(p, QRectF(box.left() + 46, box.top() + 4, room, 19), self.text(), fonts.CONTROL, fonts.MEDIUM)
            ink = theme.danger if self.failed else theme.muted if on else theme.subtle
            text(p, QRectF(box.left() + 46, box.top() + 22, room, 17), self._below, fonts.META, colour=ink)
            if self.failed:
                spot = QRectF(box.right() - 26, box.top(), 16, box.height())
                icons.draw(p, spot, "warning-circle", theme.danger, 16)


class ProvidersPage(QWidget):
    """The page."""

    def __init__(
        self, settings: "SettingsPresenter", setup: "SetupPresenter", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._settings, self._setup = settings, setup
        self._buttons: dict[str, ProviderButton] = {}
        self._checks: dict[str, tuple[bool, str]] = {}
        self._current = ""
        self._group = QButtonGroup(self)
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        self.add_button = IconButton("plus", self.tr("Add a provider"), px=16)
        self.add_button.clicked.connect(self.add_provider)
        self.detail = ProviderDetail(settings)
        self._stack = QStackedWidget()
        self._lay_out()
        settings.changed.connect(self.refresh)
        settings.check_result.connect(self._checked)
        setup.provider_added.connect(self._added)
        self.refresh()

    def add_provider(self) -> AddProviderSheet:
        """Open the sheet for a new provider."""
        sheet = AddProviderSheet(self.window(), self._setup)
        sheet.open()
        return sheet

    def refresh(self) -> None:
        """Show the providers as they are now; the chosen one stays chosen."""
        providers = {provider.id: provider for provider in self._settings.providers()}
        for button in self._buttons.values():
            self._group.removeButton(button)
            self._list.removeWidget(button)
            button.deleteLater()
        self._buttons = {}
        for place, provider in enumerate(providers.values()):
            button = ProviderButton(provider)
            if provider.id in self._checks:
                button.show_state(len(provider.models), self._checks[provider.id][0])
            button.clicked.connect(lambda _on=False, key=provider.id: self.choose(key))
            self._buttons[provider.id] = button
            self._group.addButton(button)
            self._list.insertWidget(place, button)
        if self._current not in providers:
            self._current = next(iter(providers), "")
        self._stack.setCurrentIndex(0 if self._current else 1)
        if self._current:
            self.choose(self._current)

    def choose(self, provider_id: str) -> None:
        """Show one provider."""
        provider = next(p for p in self._settings.providers() if p.id == provider_id)
        self._current = provider_id
        self._buttons[provider_id].setChecked(True)
        self.detail.show_provider(provider, self._checks.get(provider_id))

    def _added(self, ok: bool, _words: str) -> None:
        """Show what was just set up."""
        providers = self._settings.providers()
        if ok and providers:
            self._current = providers[-1].id
            self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """Show what was set up elsewhere meanwhile."""
        self.refresh()
        super().showEvent(event)

    def _checked(self, provider_id: str, ok: bool, words: str) -> None:
        self._checks[provider_id] = (ok, words)
        if provider_id in self._buttons:
            provider = next(p for p in self._settings.providers() if p.id == provider_id)
            self._buttons[provider_id].show_state(len(provider.models), ok)
            if provider_id == self._current:
                self.detail.show_check(ok, words)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(16, 8, 8, 8)
        head.addWidget(Label(self.tr("Providers"), weight=fonts.SEMIBOLD))
        head.addStretch(1)
        head.addWidget(self.add_button)
        side = QWidget()
        side.setFixedWidth(LIST_WIDTH)
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addLayout(self._list)
        column.addStretch(1)
        self._stack.addWidget(self.detail)
        self._stack.addWidget(self._nothing())
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(side)
        row.addWidget(Line(vertical=True))
        row.addWidget(self._stack, 1)

    def _nothing(self) -> QWidget:
        box = Box()
        column = QVBoxLayout(box)
        column.addStretch(1)
        words = Label(self.tr("No provider yet"), fonts.BODY, fonts.SEMIBOLD)
        more = self.tr("Add one with its key. The local model needs none.")
        hint = Label(more, tone="muted", wrap=True)
        for label in (words, hint):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            column.addWidget(label)
        column.addSpacing(14)
        add = Button(self.tr("Add a provider"), "primary")
        add.clicked.connect(self.add_provider)
        column.addWidget(add, 0, Qt.AlignmentFlag.AlignCenter)
        column.addStretch(1)
        return box
