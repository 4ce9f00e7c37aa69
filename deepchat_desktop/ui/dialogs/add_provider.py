"""The sheet for a provider's key: which provider, its address, the key, and where the key will be kept.

The key is typed into a hidden field, handed to the presenter once and cleared. What is wrong stands in the
sheet, which stays open with all that was typed.
"""

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.controls import Button
from deepchat_desktop.ui.controls_choice import Select
from deepchat_desktop.ui.controls_shown import Field, Glyph, Label
from deepchat_desktop.ui.dialogs.sheet import Sheet

if TYPE_CHECKING:
    from deepchat_desktop.presenters.setup import SetupPresenter

CUSTOM = "custom"
PRESETS: tuple[tuple[str, str], ...] = (
    ("OpenAI", "https://api.openai.com/v1"),
    ("DeepSeek", "https://api.deepseek.com/v1"),
    ("OpenRouter", "https://openrouter.ai/api/v1"),
    ("Mistral", "https://api.mistral.ai/v1"),
    ("Groq", "https://api.groq.com/openai/v1"),
    ("xAI", "https://api.x.ai/v1"),
)
"""(name, base URL) of providers that speak the OpenAI protocol, as their documentation gives them."""


class AddProviderSheet(Sheet):
    """``accepted`` comes when the provider was added."""

    def __init__(self, parent: QWidget, setup: "SetupPresenter") -> None:
        super().__init__(parent, self.tr("Add a provider"), 460)
        self._setup = setup
        self._waiting = False
        choices = [(name, name) for name, _url in PRESETS]
        self.preset = Select(self.tr("Provider"), [*choices, (CUSTOM, self.tr("Another server"))])
        self.name = Field(self.tr("Name"), self.tr("A name for it"))
        self.url = Field(self.tr("Base URL"), "https://example.org/v1")
        self.key = Field(self.tr("API key"))
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.key.setInputMethodHints(
            Qt.InputMethodHint.ImhHiddenText
            | Qt.InputMethodHint.ImhSensitiveData
            | Qt.InputMethodHint.ImhNoPredictiveText
        )
        self.wrong = Label("", tone="danger", wrap=True)
        self._name_row = _row(self.tr("Name"), self.name)
        self._lay_out()
        self.preset.chosen.connect(self._take_preset)
        for field in (self.name, self.url, self.key):
            field.textEdited.connect(lambda _text: self._show_wrong(""))
        setup.provider_added.connect(self._answered)
        self._take_preset(self.preset.value())

    def _lay_out(self) -> None:
        for row in (_row(self.tr("Provider"), self.preset), self._name_row, _row(self.tr("Base URL"), self.url)):
            self.body.addWidget(row)
        self.body.addWidget(_row(self.tr("API key"), self.key, last=True))
        kept = QHBoxLayout()
        kept.setContentsMargins(0, 6, 0, 0)
        kept.setSpacing(6)
        kept.addWidget(Glyph("lock-simple", "subtle", 14), 0, Qt.AlignmentFlag.AlignTop)
        kept.addWidget(Label(self._setup.keychain_text(), fonts.META, tone="subtle", wrap=True), 1)
        self.body.addLayout(kept)
        failed = QHBoxLayout()
        failed.setContentsMargins(0, 10, 0, 0)
        failed.setSpacing(6)
        self._wrong_icon = Glyph("warning-circle", "danger", 16)
        failed.addWidget(self._wrong_icon, 0, Qt.AlignmentFlag.AlignTop)
        failed.addWidget(self.wrong, 1)
        self.body.addLayout(failed)
        self._show_wrong("")
        cancel = self.add_button(Button(self.tr("Cancel")))
        cancel.setAutoDefault(False)
        cancel.clicked.connect(self.reject)
        self.add = self.add_button(Button(self.tr("Add"), "primary"))
        self.add.setDefault(True)
        self.add.clicked.connect(self._send)

    def _take_preset(self, value: str) -> None:
        custom = value == CUSTOM
        self._name_row.setVisible(custom)
        self.url.setText("" if custom else dict(PRESETS)[value])
        (self.name if custom else self.key).setFocus()
        self._show_wrong("")

    def _send(self) -> None:
        preset = self.preset.value()
        name = self.name.text().strip() if preset == CUSTOM else preset
        url = self.url.text().strip()
        problem = self._problem(name, url)
        if problem:
            self._show_wrong(problem)
            return
        self._wait(True)
        self._setup.add_provider(name, url, self.key.text().strip())

    def _problem(self, name: str, url: str) -> str:
        if not name:
            self.name.set_wrong(True)
            return self.tr("Give the provider a name.")
        try:
            parts = urlsplit(url)
            good = parts.scheme in ("http", "https") and bool(parts.hostname)
        except ValueError:
            good = False
        if not good:
            self.url.set_wrong(True)
            return self.tr("The base URL must begin with https:// or http:// and name a server.")
        return ""

    def _answered(self, ok: bool, text: str) -> None:
        if not self._waiting:
            return
        self._wait(False)
        if ok:
            self.key.clear()
            self.accept()
        else:
            self._show_wrong(text)
            self.key.setFocus()

    def _wait(self, waiting: bool) -> None:
        self._waiting = waiting
        self.add.set_label(self.tr("Checking…") if waiting else self.tr("Add"))
        for part in (self.add, self.preset, self.name, self.url, self.key):
            part.setEnabled(not waiting)

    def _show_wrong(self, words: str) -> None:
        self.wrong.setText(words)
        self.wrong.setVisible(bool(words))
        self._wrong_icon.setVisible(bool(words))
        if not words:
            for field in (self.name, self.url, self.key):
                field.set_wrong(False)

    def done(self, result: int) -> None:
        """Close; the key does not outlive the sheet."""
        self.key.clear()
        super().done(result)


def _row(words: str, field: QWidget, *, last: bool = False) -> QWidget:
    """Return a caption over a field."""
    made = QWidget()
    column = QVBoxLayout(made)
    column.setContentsMargins(0, 8, 0, 0 if last else 6)
    column.setSpacing(6)
    label = Label(words, weight=fonts.MEDIUM)
    label.setBuddy(field)
    field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    column.addWidget(label)
    column.addWidget(field)
    return made
