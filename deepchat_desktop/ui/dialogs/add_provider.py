"""The sheet for a provider's key: which provider, its address, the key, and where the key will be kept.

The key is typed into a hidden field, handed to the presenter once and cleared. What is wrong stands in the
sheet, which stays open with all that was typed.
"""

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from deepchat_desktop.domain.provider_presets import PRESETS, Preset
from deepchat_desktop.presenters.words import api_words
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.controls import Button
from deepchat_desktop.ui.controls_choice import Select
from deepchat_desktop.ui.controls_shown import Field, Glyph, Label
from deepchat_desktop.ui.dialogs.sheet import Sheet
from deepchat_desktop.ui.open_external import open_external

if TYPE_CHECKING:
    from deepchat_desktop.presenters.setup import SetupPresenter

CUSTOM = "custom"
STYLES = ("openai_chat", "openai_responses", "anthropic", "gemini", "ollama", "azure", "bedrock")


class AddProviderSheet(Sheet):
    """``accepted`` comes when the provider was added."""

    def __init__(self, parent: QWidget, setup: "SetupPresenter") -> None:
        super().__init__(parent, self.tr("Add a provider"), 460)
        self._setup = setup
        self._waiting = False
        choices = [(preset.id, preset.name) for preset in PRESETS]
        self.preset = Select(self.tr("Provider"), [*choices, (CUSTOM, self.tr("Another server"))])
        self.style_ = Select(self.tr("API style"), [(api, api_words(api)) for api in STYLES])
        self.name = Field(self.tr("Name"), self.tr("A name for it"))
        self.place = Field(self.tr("Resource or region"))
        self.url = Field(self.tr("Base URL"), "https://example.org/v1")
        self.key = Field(self.tr("API key"))
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.key.setInputMethodHints(
            Qt.InputMethodHint.ImhHiddenText
            | Qt.InputMethodHint.ImhSensitiveData
            | Qt.InputMethodHint.ImhNoPredictiveText
        )
        self.wrong = Label("", tone="danger", wrap=True)
        self.anyway = Button(self.tr("Add anyway"))
        self.key_page = Button(self.tr("Open key page…"), "ghost")
        self.key_page.setAutoDefault(False)
        self._name_row = _row(self.tr("Name"), self.name)
        self._style_row = _row(self.tr("API style"), self.style_)
        self._place_words = Label("", weight=fonts.MEDIUM)
        self._place_row = _row(self._place_words, self.place)
        self._lay_out()
        self.preset.chosen.connect(self._take_preset)
        self.place.textEdited.connect(self._fill_place)
        self.key_page.clicked.connect(self._open_key_page)
        for field in (self.name, self.place, self.url, self.key):
            field.textEdited.connect(lambda _text: self._show_wrong(""))
        setup.provider_added.connect(self._answered)
        self._take_preset(self.preset.value())

    def _lay_out(self) -> None:
        provider = _row(self.tr("Provider"), self.preset)
        address = _row(self.tr("Base URL"), self.url)
        for row in (provider, self._name_row, self._style_row, self._place_row, address):
            self.body.addWidget(row)
        self.body.addWidget(_row(self.tr("API key"), self.key, last=True))
        kept = QHBoxLayout()
        kept.setContentsMargins(0, 6, 0, 0)
        kept.setSpacing(6)
        kept.addWidget(Glyph("lock-simple", "subtle", 14), 0, Qt.AlignmentFlag.AlignTop)
        kept.addWidget(Label(self._setup.keychain_text(), fonts.META, tone="subtle", wrap=True), 1)
        kept.addWidget(self.key_page, 0, Qt.AlignmentFlag.AlignTop)
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
        self.add_button(self.anyway)
        self.anyway.setAutoDefault(False)
        self.anyway.clicked.connect(lambda: self._send(unasked=True))
        self.add = self.add_button(Button(self.tr("Add"), "primary"))
        self.add.setDefault(True)
        self.add.clicked.connect(lambda _on: self._send())

    def _chosen(self) -> Preset | None:
        return next((preset for preset in PRESETS if preset.id == self.preset.value()), None)

    def _take_preset(self, _value: str) -> None:
        preset = self._chosen()
        self._name_row.setVisible(preset is None)
        self._style_row.setVisible(preset is None)
        self._place_row.setVisible(preset is not None and bool(preset.asks))
        self.key_page.setVisible(preset is not None and bool(preset.key_page))
        self.place.clear()
        self.url.setText("" if preset is None or preset.asks else preset.base_url)
        if preset is None:
            self.name.setFocus()
        elif preset.asks:
            asked = {
                "region": (self.tr("Region"), self.tr("Such as us-east-1 or europe-west4")),
                "resource": (self.tr("Resource"), self.tr("Its name, as the portal shows it")),
            }
            words, hint = asked[preset.asks]
            self._place_words.setText(words)
            self.place.setAccessibleName(words)
            self.place.setPlaceholderText(hint)
            self.place.setFocus()
        else:
            self.key.setFocus()
        optional = preset is None or not preset.needs_key
        self.key.setPlaceholderText(self.tr("None, unless the server wants one") if optional else "")
        self._show_wrong("")

    def _fill_place(self, text: str) -> None:
        preset = self._chosen()
        if preset is not None:
            self.url.setText(preset.base_url.format(text.strip()) if text.strip() else "")

    def _open_key_page(self) -> None:
        preset = self._chosen()
        if preset is not None:
            open_external(preset.key_page, shown=preset.key_page, parent=self)

    def _send(self, *, unasked: bool = False) -> None:
        self._show_wrong("")
        preset = self._chosen()
        name = self.name.text().strip() if preset is None else preset.name
        api = self.style_.value() if preset is None else preset.api
        url = self.url.text().strip()
        problem = self._problem(name, url)
        if problem:
            self._show_wrong(problem)
            return
        self._wait(True)
        self._setup.add_provider(name, url, self.key.text().strip(), api, unasked=unasked)

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
            self.anyway.show()
            self.key.setFocus()

    def _wait(self, waiting: bool) -> None:
        self._waiting = waiting
        self.add.set_label(self.tr("Checking…") if waiting else self.tr("Add"))
        for part in (self.add, self.preset, self.style_, self.name, self.place, self.url, self.key):
            part.setEnabled(not waiting)

    def _show_wrong(self, words: str) -> None:
        self.wrong.setText(words)
        self.wrong.setVisible(bool(words))
        self._wrong_icon.setVisible(bool(words))
        self.anyway.hide()
        if not words:
            for field in (self.name, self.place, self.url, self.key):
                field.set_wrong(False)

    def done(self, result: int) -> None:
        """Close; the key does not outlive the sheet."""
        self.key.clear()
        super().done(result)


def _row(words: str | Label, field: QWidget, *, last: bool = False) -> QWidget:
    """Return a caption over a field."""
    made = QWidget()
    column = QVBoxLayout(made)
    column.setContentsMargins(0, 8, 0, 0 if last else 6)
    column.setSpacing(6)
    label = Label(words, weight=fonts.MEDIUM) if isinstance(words, str) else words
    label.setBuddy(field)
    field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    column.addWidget(label)
    column.addWidget(field)
    return made
