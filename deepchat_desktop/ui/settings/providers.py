"""Providers & models: the providers at the left, one of them at the right with its key, check and models.

A key can be set or replaced and is never shown. What a check found stands where it was asked for. The order of the
list is the order in the choice of models: Alt+Up and Alt+Down, or the two buttons, move a provider.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPaintEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QHBoxLayout,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from deepchat_desktop.domain.catalogue import catalogue, offered
from deepchat_desktop.domain.provider_presets import on_this_computer
from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.controls import Button, IconButton
from deepchat_desktop.ui.controls_shown import Box, Label, Line
from deepchat_desktop.ui.dialogs.add_provider import AddProviderSheet
from deepchat_desktop.ui.paint import Align, painting, rr, text
from deepchat_desktop.ui.settings.form import keep_bar, tab_along, tab_to_checked
from deepchat_desktop.ui.settings.provider_detail import ProviderDetail
from deepchat_desktop.ui.theme import theme

if TYPE_CHECKING:
    from deepchat_desktop.domain.settings import ProviderSettings
    from deepchat_desktop.presenters.check_words import CheckShown
    from deepchat_desktop.presenters.settings import SettingsPresenter
    from deepchat_desktop.presenters.setup import SetupPresenter

LIST_WIDTH = 232


class ProviderButton(QAbstractButton):
    """One provider in the list: letter, name, how many models or what is wrong."""

    radius = 6
    moved = Signal(int)
    """Up (-1) or down (1)."""

    def __init__(self, provider: "ProviderSettings") -> None:
        super().__init__()
        self.provider_id = provider.id
        self.failed = False
        self._on = True
        self._below = ""
        self.setCheckable(True)
        self.setFixedHeight(46)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)  # a scroll bar takes of its width
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.show_state(provider, None)

    def show_state(self, provider: "ProviderSettings", check: "CheckShown | None") -> None:
        """Show what is known: what is wrong wins over the number of models."""
        self.setText(provider.name)
        self.failed = check is not None and not check.ok
        self._on = provider.enabled
        self._below = self._state(provider, check)
        self.setAccessibleName(f"{self.text()}, {self._below}")
        self.update()

    def _state(self, provider: "ProviderSettings", check: "CheckShown | None") -> str:
        if not provider.enabled:
            return self.tr("Off")
        if check is not None and not check.ok:
            return check.short or check.title
        count = len(offered(provider))
        words = self.tr("1 model") if count == 1 else self.tr("{count} models").format(count=count)
        if not catalogue(provider):
            return self.tr("No models yet")
        here = on_this_computer(provider.base_url)
        return self.tr("{models}, this computer").format(models=words) if here else words

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Alt with an arrow moves the provider."""
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if step and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.moved.emit(step)
            return
        super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(LIST_WIDTH, 46)

    def paintEvent(self, event: QPaintEvent) -> None:
        box = QRectF(self.rect()).adjusted(8, 1, 0, -1)
        on = self.isChecked()
        failed = self.failed and self._on
        with painting(self) as p:
            if on or self.underMouse():
                rr(p, box, 6, theme.selected if on else theme.hover)
            tile = QRectF(box.left() + 8, box.top() + 8, 28, 28)
            rr(p, tile, 8, theme.raised if on else theme.hover, theme.line)
            letter = self.text()[:1].upper()
            text(p, tile, letter, fonts.CONTROL, fonts.SEMIBOLD, theme.muted, align=Align.AlignHCenter)
            room = box.width() - 56 - (22 if failed else 0)
            ink = theme.text if self._on else theme.muted
            text(p, QRectF(box.left() + 46, box.top() + 4, room, 19), self.text(), fonts.CONTROL, fonts.MEDIUM, ink)
            ink = theme.danger if failed else theme.muted if on else theme.subtle
            text(p, QRectF(box.left() + 46, box.top() + 22, room, 17), self._below, fonts.META, colour=ink)
            if failed:
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
        self._current = ""
        self._shown: tuple[str, int, int] = ("", 0, 0)
        self._area = QScrollArea()
        self._group = QButtonGroup(self)
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        self.add_button = IconButton("plus", self.tr("Add a provider"), px=16)
        self.up = IconButton("arrow-up", self.tr("Move up (Alt+Up)"), px=15)
        self.down = IconButton("arrow-down", self.tr("Move down (Alt+Down)"), px=15)
        self.add_button.clicked.connect(self.add_provider)
        self.up.clicked.connect(lambda: self._settings.move(self._current, -1))
        self.down.clicked.connect(lambda: self._settings.move(self._current, 1))
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
        """Show the providers as they are now; the chosen one stays chosen, and the focus where it is."""
        if not self.isVisible() and self._buttons:
            return  # what is not seen is shown anew when it is
        providers = {provider.id: provider for provider in self._settings.providers()}
        if list(providers) != list(self._buttons):
            self._rebuild(list(providers.values()))
        for provider in providers.values():
            self._buttons[provider.id].show_state(provider, self._settings.check_of(provider.id))
        if self._current not in providers:
            self._current = next(iter(providers), "")
        self._stack.setCurrentIndex(0 if self._current else 1)
        if self._current:
            self.choose(self._current)
        self._show_ways(list(providers))

    def _rebuild(self, providers: "list[ProviderSettings]") -> None:
        focused = next((key for key, button in self._buttons.items() if button.hasFocus()), "")
        for button in self._buttons.values():
            self._group.removeButton(button)
            self._list.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._buttons = {}
        for place, provider in enumerate(providers):
            button = ProviderButton(provider)
            button.clicked.connect(lambda _on=False, key=provider.id: self.choose(key))
            button.moved.connect(lambda step, key=provider.id: self._settings.move(key, step))
            self._buttons[provider.id] = button
            self._group.addButton(button)
            self._list.insertWidget(place, button)
        tab_along(self.add_button, self._buttons.values())
        if focused in self._buttons:
            self._buttons[focused].setFocus(Qt.FocusReason.TabFocusReason)

    def _show_ways(self, order: list[str]) -> None:
        """Turn the ways on that lead on. The focus of one that ends goes to the other, not to the next field."""
        ends = {self.up: order[:1] == [self._current], self.down: order[-1:] == [self._current]}
        for way, other in ((self.up, self.down), (self.down, self.up)):
            if ends[way] and way.hasFocus() and not ends[other]:
                other.setEnabled(True)
                other.setFocus(Qt.FocusReason.TabFocusReason)
        for way, ended in ends.items():
            way.setEnabled(bool(order) and not ended)

    def choose(self, provider_id: str) -> None:
        """Show one provider."""
        order = self._settings.providers()
        provider = next(p for p in order if p.id == provider_id)
        moved = self._shown != (provider_id, len(order), order.index(provider))
        self._shown = (provider_id, len(order), order.index(provider))
        self._current = provider_id
        self._buttons[provider_id].setChecked(True)
        tab_to_checked(self._group)
        self.detail.show_provider(provider, self._settings.check_of(provider_id))
        self._show_ways([each.id for each in order])
        if moved:
            self._show_row()

    def _show_row(self) -> None:
        if (row := self._buttons.get(self._current)) is not None:
            self._area.ensureWidgetVisible(row, 0, 8)

    def _added(self, ok: bool, _words: str) -> None:
        """Show what was just set up."""
        providers = self._settings.providers()
        if ok and providers:
            self._current = providers[-1].id
            self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """Show what was set up elsewhere meanwhile."""
        super().showEvent(event)
        self.refresh()

    def _checked(self, _provider_id: str, _ok: bool, _words: str) -> None:
        self.refresh()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(16, 8, 8, 8)
        head.addWidget(Label(self.tr("Providers"), weight=fonts.SEMIBOLD))
        head.addStretch(1)
        for button in (self.up, self.down, self.add_button):
            head.addWidget(button)
        side = QWidget()
        side.setFixedWidth(LIST_WIDTH)
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self._scrolled())
        self._stack.addWidget(self.detail)
        self._stack.addWidget(self._nothing())
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(side)
        row.addWidget(Line(vertical=True))
        row.addWidget(self._stack, 1)

    def _scrolled(self) -> QWidget:
        """Return the list in a frame that scrolls when it is long."""
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(self._list)
        column.addStretch(1)
        area = self._area
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        keep_bar(area)
        area.viewport().setAutoFillBackground(False)
        area.setWidget(inner)
        # The row of a provider that was just added has its place only after the layout.
        area.verticalScrollBar().rangeChanged.connect(self._show_row)
        inner.setAutoFillBackground(False)
        return area

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
