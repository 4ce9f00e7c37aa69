"""Headers of the user's own: one line each, and a line to add one. What a secret one says is never shown again."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.controls import Button, IconButton
from deepchat_desktop.ui.controls_shown import Field, Glyph, Label, ShortLabel
from deepchat_desktop.ui.settings.form import empty

if TYPE_CHECKING:
    from deepchat_desktop.domain.settings import ProviderSettings
    from deepchat_desktop.presenters.settings import SettingsPresenter


class HeadersEditor(QWidget):
    """The headers of one provider."""

    def __init__(self, settings: "SettingsPresenter", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._id = ""
        self._shown: tuple[object, ...] = ()
        self.removers: list[IconButton] = []
        self._lines = QVBoxLayout()
        self._lines.setSpacing(2)
        self.name = Field(self.tr("Header's name"), self.tr("Name"))
        self.value = Field(self.tr("Header's value"), self.tr("Value"))
        self.add = Button(self.tr("Add header"))
        self.add.setAutoDefault(False)
        self.wrong = Label("", fonts.META, tone="danger", wrap=True)
        self.wrong.hide()
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self.name, 2)
        line.addWidget(self.value, 3)
        line.addWidget(self.add)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(self._lines)
        column.addLayout(line)
        column.addWidget(self.wrong)
        note = self.tr("One that carries a key goes to the keychain, not into the settings file.")
        column.addWidget(Label(note, fonts.META, tone="subtle", wrap=True))
        self.add.clicked.connect(self._add)
        self.value.returnPressed.connect(self._add)
        for field in (self.name, self.value):
            field.textEdited.connect(lambda _text: self.wrong.hide())

    def show_provider(self, provider: "ProviderSettings") -> None:
        """Show a provider's headers."""
        if provider.id != self._id:
            self.name.clear()
            self.value.clear()
            self.wrong.hide()
        self._id = provider.id
        shown = (provider.id, tuple(provider.headers.items()), provider.secret_headers)
        if shown == self._shown:
            return
        self._shown = shown
        empty(self._lines)
        self.removers = []
        for name, value in provider.headers.items():
            self._lines.addWidget(self._line(name, value, secret=False))
        for name in provider.secret_headers:
            lost = self._settings.header_is_in_memory(provider.id, name)
            shown_value = self.tr("••••••••  kept until you quit: there is no usable keychain") if lost else "••••••••"
            self._lines.addWidget(self._line(name, shown_value, secret=True))

    def _line(self, name: str, value: str, *, secret: bool) -> QWidget:
        made = QWidget()
        row = QHBoxLayout(made)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(Label(name, mono=True))
        if secret:
            row.addWidget(Glyph("lock-simple", "subtle", 14))
        row.addWidget(ShortLabel(value, tone="muted", mono=True), 1)
        remove = IconButton("x", self.tr("Remove header {name}").format(name=name), 26, 14)
        remove.clicked.connect(lambda: self._settings.remove_header(self._id, name))
        row.addWidget(remove)
        self.removers.append(remove)
        return made

    def _add(self) -> None:
        problem = self._settings.set_header(self._id, self.name.text(), self.value.text())
        self.wrong.setText(problem)
        self.wrong.setVisible(bool(problem))
        if not problem:
            self.name.clear()
            self.value.clear()
            self.name.setFocus()
