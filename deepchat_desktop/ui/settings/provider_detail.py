"""One provider: its address, its key (set or replaced, never shown), the check, its models, and removing it."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from deepchat_desktop.domain.settings import LOCAL_PROVIDER, ModelSettings
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.controls import Button
from deepchat_desktop.ui.controls_shown import Box, Field, Label
from deepchat_desktop.ui.dialogs.confirm import ConfirmSheet
from deepchat_desktop.ui.paint import Align, hline, painting, text
from deepchat_desktop.ui.settings.form import Page, ResultBar
from deepchat_desktop.ui.theme import theme

if TYPE_CHECKING:
    from deepchat_desktop.domain.settings import ProviderSettings
    from deepchat_desktop.presenters.settings import SettingsPresenter

ROW = 40
HEAD = 34


class ModelTable(Box):
    """The provider's models, painted: name, id, context window."""

    def __init__(self) -> None:
        super().__init__("surface", "line", 10)
        self._models: tuple[ModelSettings, ...] = ()

    def show_models(self, models: tuple[ModelSettings, ...]) -> None:
        """Show these models, one row each."""
        self._models = models
        self.setAccessibleName(self.tr("Models: {names}").format(names=", ".join(model.id for model in models)))
        self.setFixedHeight(HEAD + ROW * len(models))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(400, HEAD + ROW * len(self._models))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        with painting(self) as p:
            wide = self.width() - 28
            head = QRectF(14, 0, wide, HEAD)
            text(p, head, self.tr("Model"), fonts.META, fonts.MEDIUM, theme.subtle)
            text(p, head, self.tr("Context"), fonts.META, fonts.MEDIUM, theme.subtle, align=Align.AlignRight)
            for place, model in enumerate(self._models):
                top = HEAD + place * ROW
                if event.rect().top() > top + ROW or event.rect().bottom() < top:
                    continue
                hline(p, 1, top, self.width() - 2)
                name = QRectF(14, top, wide - 80, ROW)
                used = text(p, name, model.name or model.id, fonts.CONTROL, fonts.MEDIUM)
                if model.name and model.name != model.id:
                    rest = QRectF(14 + used + 12, top, wide - 92 - used, ROW)
                    text(p, rest, model.id, fonts.META, colour=theme.muted, mono=True)
                window = model.capabilities.context
                words = f"{window:,}" if window else "—"
                area = QRectF(14, top, wide, ROW)
                text(p, area, words, colour=theme.muted, align=Align.AlignRight, tabular=True)


class ProviderDetail(Page):
    """The detail; it shows one provider at a time."""

    def __init__(self, settings: "SettingsPresenter", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._id = ""
        self._name = ""
        self.address = Label("", fonts.META, tone="muted", mono=True, wrap=True)
        self.key = Field(self.tr("API key"))
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.save = Button(self.tr("Save key"))
        self.check = Button(self.tr("Check"))
        self.remove = Button(self.tr("Remove provider…"))
        self.result = ResultBar()
        self.models = ModelTable()
        self._key_note = Label("", fonts.META, tone="subtle", wrap=True)
        self._count = Label("", fonts.META, tone="muted")
        self._key_part = QWidget()
        self._lay_out()
        self.key.textChanged.connect(lambda words: self.save.setEnabled(bool(words.strip())))
        self.key.returnPressed.connect(self._save_key)
        self.save.clicked.connect(self._save_key)
        self.check.clicked.connect(self._check)
        self.remove.clicked.connect(self.ask_remove)

    def show_provider(self, provider: "ProviderSettings", check: tuple[bool, str] | None) -> None:
        """Show a provider and how its last check ended."""
        if provider.id != self._id:
            self.key.clear()
        self._id, self._name = provider.id, provider.name
        self.set_title(provider.name)
        self.address.setText(provider.base_url)
        self._key_part.setVisible(provider.id != LOCAL_PROVIDER)
        kept = provider.key_backend
        self.key.setPlaceholderText(self.tr("Enter a new key to replace it") if kept else self.tr("Enter the key"))
        self._key_note.setText(
            self.tr("Stored in your keychain. It is never written to a file, a log or an export.")
            if kept
            else self.tr("No key is stored in the keychain for this provider.")
        )
        self.save.setEnabled(bool(self.key.text().strip()))
        self.show_check(*(check or (True, "")))
        self._count.setText(str(len(provider.models)))
        self.models.show_models(provider.models)
        self.models.setVisible(bool(provider.models))

    def show_check(self, ok: bool, words: str) -> None:
        """Show how a check ended."""
        self.check.set_label(self.tr("Check"))
        self.check.setEnabled(True)
        self.result.show_result(ok, words)

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

    def _save_key(self) -> None:
        key = self.key.text().strip()
        if key:
            self.key.clear()
            self._settings.set_key(self._id, key)

    def _check(self) -> None:
        self.check.set_label(self.tr("Checking…"))
        self.check.setEnabled(False)
        self.result.show_result(True, "")
        self._settings.check(self._id)

    def _lay_out(self) -> None:
        self.column.addSpacing(3)
        self.column.addWidget(self.address)
        self.column.addSpacing(24)
        keys = QVBoxLayout(self._key_part)
        keys.setContentsMargins(0, 0, 0, 12)
        keys.setSpacing(6)
        label = Label(self.tr("API key"), weight=fonts.MEDIUM)
        label.setBuddy(self.key)
        keys.addWidget(label)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self.key, 1)
        line.addWidget(self.save)
        keys.addLayout(line)
        keys.addWidget(self._key_note)
        self.column.addWidget(self._key_part)
        actions = QHBoxLayout()
        actions.setSpacing(8)
        actions.addWidget(self.check)
        actions.addWidget(self.remove)
        actions.addStretch(1)
        self.column.addLayout(actions)
        self.column.addSpacing(12)
        self.column.addWidget(self.result)
        self.column.addSpacing(24)
        title = QHBoxLayout()
        title.setSpacing(8)
        title.addWidget(Label(self.tr("Models"), weight=fonts.SEMIBOLD))
        title.addWidget(self._count, 1, Qt.AlignmentFlag.AlignLeft)
        self.column.addLayout(title)
        self.column.addSpacing(8)
        self.column.addWidget(self.models)
        self.column.addStretch(1)
