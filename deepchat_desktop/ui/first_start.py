"""The first page: who answers? The local model, what already runs on this computer, or a provider's key.

It shows the setup presenter's state and nothing of its own; each card says what is the case in words and
offers the one next step as its button. The composer below it works meanwhile.
"""

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QScrollArea, QSpacerItem, QVBoxLayout, QWidget

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.choice_card import ChoiceCard
from deepchat_desktop.ui.controls_shown import Glyph, Label
from deepchat_desktop.ui.dialogs.add_provider import AddProviderSheet
from deepchat_desktop.ui.empty_session import LogoMark

if TYPE_CHECKING:
    from deepchat_desktop.presenters.setup import LocalChoice, SetupPresenter

PULL_COMMAND = "deepchat models pull --from FILE"
GAP = 12
LOW = 430


class Server(Protocol):
    """A model server that was found."""

    @property
    def kind(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def address(self) -> str: ...
    @property
    def models(self) -> tuple[str, ...]: ...


class FirstStart(QScrollArea):
    """The page; ``started`` says that the user chose who answers."""

    started = Signal()

    def __init__(self, setup: "SetupPresenter", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._setup = setup
        self._columns = 0
        self._mark = LogoMark()
        self._gaps = tuple(QSpacerItem(0, 0) for _ in range(3))
        self.local = ChoiceCard("cpu", self.tr("Local model"), recommended=True)
        self.key = ChoiceCard("key", self.tr("Provider key"))
        self.servers: dict[str, ChoiceCard] = {}
        self._hero = Label(self.tr("Choose who answers"), fonts.HERO, fonts.SEMIBOLD)
        self._cards = QGridLayout()
        self._cards.setSpacing(GAP)
        self._lay_out()
        self.local.pressed.connect(self._local_pressed)
        self.key.pressed.connect(self.add_key)
        self._fill_key()
        setup.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the presenter's state."""
        self._fill_local(self._setup.local())
        found = {f"{server.kind} {server.address}": server for server in self._setup.servers()}
        for key in [key for key in self.servers if key not in found]:
            card = self.servers.pop(key)
            self._cards.removeWidget(card)
            card.deleteLater()
            self._columns = 0
        for key, server in found.items():
            if key not in self.servers:
                self.servers[key] = self._new_server_card(server)
                self._columns = 0
            self._fill_server(self.servers[key], server)
        self._place_cards()

    def add_key(self) -> AddProviderSheet:
        """Open the sheet for a provider's key."""
        sheet = AddProviderSheet(self.window(), self._setup)
        sheet.accepted.connect(self.started)
        sheet.open()
        return sheet

    # -- layout

    def _lay_out(self) -> None:
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        line = Label(self.tr("You can change this at any time, and mix models within one session."), fonts.BODY)
        line.set_tone("muted")
        line.setWordWrap(True)
        for label in (self._hero, line):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        privacy = QHBoxLayout()
        privacy.setSpacing(6)
        privacy.addStretch(1)
        privacy.addWidget(Glyph("lock-simple", "subtle", 14))
        self._privacy = Label("", fonts.META, tone="subtle", wrap=True)
        privacy.addWidget(self._privacy)
        privacy.addStretch(1)
        centred = QHBoxLayout()
        centred.addStretch(1)
        centred.addLayout(self._cards)
        centred.addStretch(1)
        page = QWidget()
        column = self._column = QVBoxLayout(page)
        column.setSpacing(0)
        column.addStretch(1)
        column.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacerItem(self._gaps[0])
        column.addWidget(self._hero)
        column.addSpacing(6)
        column.addWidget(line)
        column.addSpacerItem(self._gaps[1])
        column.addLayout(centred)
        column.addSpacerItem(self._gaps[2])
        column.addLayout(privacy)
        column.addStretch(1)
        self.setWidget(page)
        page.setAutoFillBackground(False)  # setWidget turns it on

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_cards()
        self._fit_privacy()
        self._fit_height()

    def _fit_height(self) -> None:
        """In a low window, leave out the mark and draw the parts together, so that the buttons are in sight."""
        low = self.viewport().height() < LOW
        self._mark.setVisible(not low)
        for gap, height in zip(self._gaps, (0, 14, 8) if low else (20, 28, 20), strict=True):
            gap.changeSize(0, height)
        pad = 8 if low else 24
        self._column.setContentsMargins(24, pad, 24, pad)
        self._column.invalidate()

    def _fit_privacy(self) -> None:
        """Keep the line beside its icon in the middle: as wide as its words, or as the page."""
        words = round(fonts.text_width(self._privacy.text(), fonts.META)) + 4
        self._privacy.setFixedWidth(max(120, min(words, self.viewport().width() - 100)))

    def _place_cards(self) -> None:
        """Put the cards into as many columns as fit, three at most."""
        fit = max(1, (self.viewport().width() - 48 + GAP) // (ChoiceCard.WIDTH + GAP))
        cards = [self.local, *self.servers.values(), self.key]
        columns = int(min(2 if len(cards) == 4 else 3, fit, len(cards)))  # four stand two by two
        if columns == self._columns:
            return
        self._columns = columns
        for card in cards:
            self._cards.removeWidget(card)
        for place, card in enumerate(cards):
            self._cards.addWidget(card, place // columns, place % columns)

    # -- what the cards say

    def _fill_local(self, local: "LocalChoice") -> None:
        card, note = self.local, local.note
        caption = self.tr("{title}\non this computer").format(title=local.title)
        offline = self.tr("Works offline. Nothing you write leaves this computer.")
        match local.state:
            case "ready":
                card.show_state(self.tr("Ready"), "ok", caption, note or offline)
                card.show_button(self.tr("Start chatting"), primary=True)
            case "fetching":
                share = self.tr("{percent} %").format(percent=round(local.percent))
                card.show_state(share, "plain", caption, local.detail or note, percent=local.percent)
                card.show_button(self.tr("Cancel"))
            case "error":
                card.show_state(self.tr("Failed"), "danger", caption, local.detail)
                card.show_button(self.tr("Try again"), primary=True)
            case "unavailable":
                words = self.tr("This build fetches no models. Take in a GGUF file with this command:")
                card.show_state("", "plain", self.tr("Not on this computer yet"), words)
                card.show_command(PULL_COMMAND)
                card.show_button(self.tr("Copy command"))
            case _:
                lines = "\n".join(part for part in (local.title, local.detail) if part)
                card.show_state("", "plain", lines, note or offline)
                card.show_button(self.tr("Get it"), primary=True)
        here = self.tr("Sessions stay on this computer.")
        self._privacy.setText(" ".join(part for part in (here, self._setup.keychain_text()) if part))
        self._fit_privacy()

    def _local_pressed(self) -> None:
        match self._setup.local().state:
            case "ready":
                self._setup.use_local()
                self.started.emit()
            case "fetching":
                self._setup.cancel_fetch()
            case "unavailable":
                QGuiApplication.clipboard().setText(PULL_COMMAND)
                self.local.show_button(self.tr("Copied"))
            case _:
                self._setup.fetch_local()

    def _new_server_card(self, server: Server) -> ChoiceCard:
        card = ChoiceCard("hard-drives", server.title)
        kind, address = server.kind, server.address
        card.pressed.connect(lambda: self._use_server(kind, address))
        return card

    def _use_server(self, kind: str, address: str) -> None:
        self._setup.use_server(kind, address)
        self.started.emit()

    def _fill_server(self, card: ChoiceCard, server: Server) -> None:
        count = len(server.models)
        pill = self.tr("1 model") if count == 1 else self.tr("{count} models").format(count=count)
        listed = ", ".join(server.models[:3]) + (self.tr(" and more") if count > 3 else "")
        body = listed or self.tr("It has no model yet: load one there, then choose it here.")
        caption = self.tr("Found at {address}").format(address=server.address.removeprefix("http://"))
        card.show_state(pill, "ok" if count else "warn", caption, body)
        card.show_button(self.tr("Use {name}").format(name=server.title))
        card.button.setEnabled(count > 0)

    def _fill_key(self) -> None:
        self.key.show_state(
            "",
            "plain",
            self.tr("OpenAI, DeepSeek, Mistral, Groq…"),
            self.tr("Bring your own key, or any server that speaks the OpenAI protocol."),
        )
        self.key.show_button(self.tr("Add a key"))
