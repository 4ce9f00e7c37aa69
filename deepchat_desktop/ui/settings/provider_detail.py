"""One provider: whether it is on, its key (set or replaced, never shown), the check, the address, its models.

What is wrong stands where it was entered or asked for, with the next step beside it.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from deepchat_desktop.domain.provider_presets import key_page_of, on_this_computer, vertex_region
from deepchat_desktop.domain.settings import LOCAL_PROVIDER
from deepchat_desktop.presenters.check_words import new_token
from deepchat_desktop.presenters.words import api_words
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.controls import Button
from deepchat_desktop.ui.controls_shown import Field, Glyph, Label
from deepchat_desktop.ui.dialogs.confirm import ConfirmSheet
from deepchat_desktop.ui.open_external import open_external
from deepchat_desktop.ui.settings.form import Page, ResultBar, captioned, group, tab_along
from deepchat_desktop.ui.settings.ollama_pull import OllamaPull
from deepchat_desktop.ui.settings.provider_headers import HeadersEditor
from deepchat_desktop.ui.settings.provider_models import ProviderModels
from deepchat_desktop.ui.settings.provider_options import ProviderOptions
from deepchat_desktop.ui.switch import Switch

if TYPE_CHECKING:
    from deepchat_desktop.domain.settings import ProviderSettings
    from deepchat_desktop.presenters.check_words import CheckShown
    from deepchat_desktop.presenters.settings import SettingsPresenter

COPIED_MS = 2_000


class ProviderDetail(Page):
    """The detail; it shows one provider at a time."""

    def __init__(self, settings: "SettingsPresenter", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._id = self._name = self._step = ""
        self._shown_url = self._shown_limit = ""
        self._wrong_field: Field | None = None
        self.caption = Label("", fonts.META, tone="muted", wrap=True)
        self.on_words = Label("", tone="muted")
        self.enabled = Switch(self.tr("Provider is on"))
        self.key = Field(self.tr("API key"))
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.key.setInputMethodHints(
            Qt.InputMethodHint.ImhHiddenText
            | Qt.InputMethodHint.ImhSensitiveData
            | Qt.InputMethodHint.ImhNoPredictiveText
        )
        self.save = Button(self.tr("Save key"))
        self.check = Button(self.tr("Check"))
        self.result = ResultBar()
        self.name = Field(self.tr("Name"))
        self.address = Field(self.tr("Base URL"))
        self.limit = Field(self.tr("Requests a minute"), self.tr("no limit"))
        self.limit.setFixedWidth(150)
        self.wrong = Label("", fonts.META, tone="danger", wrap=True)
        self.wrong.hide()
        self.options = ProviderOptions(settings)
        self.headers = HeadersEditor(settings)
        self.models = ProviderModels(settings)
        self.pull = OllamaPull(settings.ollama)
        self.diagnostics = Button(self.tr("Copy diagnostics"), icon="copy")
        self.remove = Button(self.tr("Remove provider…"))
        self._key_words = Label("", weight=fonts.MEDIUM)
        self._key_note = Label("", fonts.META, tone="subtle", wrap=True)
        self._lock = Glyph("lock-simple", "subtle", 14)
        self._key_part = QWidget()
        self._lay_out()
        self._connect()

    def _connect(self) -> None:
        self.enabled.clicked.connect(lambda on: self._settings.change(self._id, enabled=on))
        self.key.textChanged.connect(lambda words: self.save.setEnabled(bool(words.strip())))
        self.key.returnPressed.connect(self._save_key)
        self.save.clicked.connect(self._save_key)
        self.check.clicked.connect(self._check)
        self.result.stepped.connect(self._take_step)
        self.name.editingFinished.connect(self._save_name)
        self.address.editingFinished.connect(self._save_address)
        self.limit.editingFinished.connect(self._save_limit)
        for field in (self.address, self.limit):
            field.textEdited.connect(lambda _text: self._say_wrong(""))
        self.diagnostics.clicked.connect(self._copy_diagnostics)
        self.remove.clicked.connect(self.ask_remove)

    def show_provider(self, provider: "ProviderSettings", check: "CheckShown | None") -> None:
        """Show a provider and how its last check ended."""
        fresh = provider.id != self._id
        if fresh:
            self.key.clear()
            self._say_wrong("")
        self._id, self._name = provider.id, provider.name
        self.set_title(provider.name)
        self.caption.setText(api_words(provider.api))
        self.enabled.setChecked(provider.enabled)
        self.on_words.setText(self.tr("On") if provider.enabled else self.tr("Off"))
        self._shown_url = provider.base_url
        limit = provider.requests_per_minute
        self._shown_limit = "" if limit is None else f"{limit:g}"
        shown = ((self.name, provider.name), (self.address, self._shown_url), (self.limit, self._shown_limit))
        for field, words in shown:
            if fresh or not (field.hasFocus() or field is self._wrong_field):
                field.setText(words)
                field.setCursorPosition(0)  # a long one shows its beginning
        self._show_key(provider)
        self.options.show_provider(provider)
        self.headers.show_provider(provider)
        tab_along(self.limit, self.options.controls)
        tab_along(self.pull.stop, self.headers.removers)
        self.pull.show_provider(provider.id, provider.api)
        busy = self._settings.is_busy(provider.id)
        self.models.show_provider(provider, busy=busy)
        self.show_check(check, busy=busy)

    def _show_key(self, provider: "ProviderSettings") -> None:
        self._key_part.setVisible(provider.id != LOCAL_PROVIDER)
        kept = self._settings.key_place(provider.id)
        token = vertex_region(provider.base_url) is not None
        name = self.tr("Access token") if token else self.tr("API key")
        self._key_words.setText(name)
        self.key.setAccessibleName(name)
        self.save.set_label(self.tr("Save token") if token else self.tr("Save key"))
        if kept:
            self.key.setPlaceholderText("••••••••••••   " + self.tr("Enter a new one to replace it"))
        elif provider.api == "ollama" or on_this_computer(provider.base_url):
            self.key.setPlaceholderText(self.tr("None, unless the server wants one"))
        else:
            self.key.setPlaceholderText(self.tr("Enter it here"))
        places = {
            "keychain": self.tr("Stored in your keychain. It is never written to a file, a log or an export."),
            "memory": self.tr("Kept until you quit: there is no usable keychain. It is never written to a file."),
            "unreadable": self.tr("Kept in a keychain that does not give it now."),
            "": self.tr("Nothing is stored in the keychain for this provider."),
        }
        lasts = self.tr("A Vertex AI token lasts about an hour; after that every request is refused.")
        self._key_note.setText(" ".join((places[kept], lasts, new_token())) if token else places[kept])
        self._lock.setVisible(bool(kept))
        self.save.setEnabled(bool(self.key.text().strip()))

    def show_check(self, check: "CheckShown | None", *, busy: bool = False) -> None:
        """Show how a check ended, or that one is under way. No button is turned off: the focus would leave it."""
        if check is None or busy:
            if self.result.step.hasFocus():
                self.check.setFocus()
            self._step = ""
            if busy:
                self.result.show_busy(self.tr("Asking the server…"))
            else:
                self.result.show_result(True, "")
            return
        self._step = check.step
        steps = {
            "retry": self.tr("Try again"),
            "key_page": self.tr("Open key page…"),
            "key": self.tr("Enter key"),
            "address": self.tr("Change address"),
            "models": self.tr("Show models"),
        }
        self.result.show_result(check.ok, check.detail, check.title, steps.get(check.step, ""))

    def ask_remove(self) -> ConfirmSheet:
        """Ask whether to remove the provider."""
        provider_id = self._id
        sheet = ConfirmSheet(
            self.window(),
            self.tr("Remove {name}?").format(name=self._name),
            self.tr("Its key is deleted from the keychain. Sessions that used it are kept."),
            self.tr("Remove provider"),
        )
        sheet.accepted.connect(lambda: self._settings.remove_provider(provider_id))
        sheet.open()
        return sheet

    def _take_step(self) -> None:
        match self._step:
            case "retry":
                self._check()
            case "key_page":
                page = key_page_of(self._shown_url)
                open_external(page, shown=self.tr("key page"), parent=self.window())
            case "key":
                self.key.setFocus()
            case "address":
                self.address.setFocus()
                self.address.selectAll()
            case "models":
                self.ensureWidgetVisible(self.models.new)
                self.models.new.setFocus()

    def _save_key(self) -> None:
        key = self.key.text().strip()
        if key:
            self.key.setFocus()  # the button is off without a key, and the focus would leave it for another field
            self.key.clear()
            self._settings.set_key(self._id, key)

    def _check(self) -> None:
        self.show_check(None, busy=True)
        self._settings.check(self._id)

    def _save_name(self) -> None:
        name = self.name.text().strip()
        if name and name != self._name:
            self._settings.change(self._id, name=name)

    def _save_address(self) -> None:
        if self.address.text().strip() != self._shown_url:
            self._say_wrong(self._settings.set_base_url(self._id, self.address.text()), self.address)

    def _save_limit(self) -> None:
        if self.limit.text().strip() != self._shown_limit:
            self._say_wrong(self._settings.set_limit(self._id, self.limit.text()), self.limit)

    def _say_wrong(self, words: str, field: Field | None = None) -> None:
        self._wrong_field = field if words else None
        self.wrong.setText(words)
        self.wrong.setVisible(bool(words))
        for each in (self.address, self.limit):
            each.set_wrong(each is self._wrong_field)

    def _copy_diagnostics(self) -> None:
        report = self._settings.diagnostics(self._id)
        if report:
            QGuiApplication.clipboard().setText(report)
        self.diagnostics.set_label(
            self.tr("Copied, without keys") if report else self.tr("Nothing was sent since the start")
        )
        QTimer.singleShot(COPIED_MS, self.diagnostics, lambda: self.diagnostics.set_label(self.tr("Copy diagnostics")))

    def _lay_out(self) -> None:
        self.column.removeWidget(self.title)
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(self.title, 1)
        head.addWidget(self.on_words)
        head.addWidget(self.enabled)
        self.column.addLayout(head)
        self.column.addSpacing(3)
        self.column.addWidget(self.caption)
        self.column.addSpacing(22)
        self._lay_out_key()
        self.column.addWidget(self._key_part)
        self.column.addWidget(self.result)
        self.column.addSpacing(22)
        self.column.addLayout(captioned(self.tr("Base URL"), self.address))
        self.column.addSpacing(16)
        place = QHBoxLayout()
        place.setSpacing(16)
        place.addLayout(captioned(self.tr("Name"), self.name), 1)
        place.addLayout(captioned(self.tr("Requests a minute"), self.limit))
        self.column.addLayout(place)
        self.wrong.setContentsMargins(0, 6, 0, 0)
        self.column.addWidget(self.wrong)
        self.column.addSpacing(18)
        self.column.addWidget(self.options)
        self.column.addSpacing(4)
        self.column.addWidget(self.models)
        self.column.addWidget(self.pull)
        self.column.addWidget(group(self.tr("Further headers")))
        self.column.addWidget(self.headers)
        self._lay_out_foot()
        self.column.addStretch(1)

    def _lay_out_foot(self) -> None:
        self.column.addWidget(group(self.tr("When something is wrong")))
        note = self.tr(
            "The last request and its answer, with keys blanked out, for a question to others. It holds text of your "
            "session."
        )
        self.column.addWidget(Label(note, fonts.META, tone="subtle", wrap=True))
        self.column.addSpacing(8)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.diagnostics)
        foot.addStretch(1)
        foot.addWidget(self.remove)
        self.column.addLayout(foot)

    def _lay_out_key(self) -> None:
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self.key, 1)
        line.addWidget(self.save)
        line.addWidget(self.check)
        note = QHBoxLayout()
        note.setSpacing(6)
        note.addWidget(self._lock, 0, Qt.AlignmentFlag.AlignTop)
        note.addWidget(self._key_note, 1)
        keys = QVBoxLayout(self._key_part)
        keys.setContentsMargins(0, 0, 0, 10)
        keys.setSpacing(6)
        self._key_words.setBuddy(self.key)
        keys.addWidget(self._key_words)
        keys.addLayout(line)
        keys.addLayout(note)
