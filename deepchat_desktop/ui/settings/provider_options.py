"""What only some API styles want: Azure's version and wire, a region, a project, Ollama's context length.

A style with options of its own is one entry in ``options_of``.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QVBoxLayout, QWidget

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.controls_choice import Select
from deepchat_desktop.ui.controls_shown import Field, Label
from deepchat_desktop.ui.settings.form import captioned, empty

if TYPE_CHECKING:
    from deepchat_desktop.domain.settings import ProviderSettings
    from deepchat_desktop.presenters.settings import SettingsPresenter


@dataclass(frozen=True)
class Option:
    """One setting; with ``choices`` (value, words) it is a choice, else a field. ``hint`` stands in an empty field."""

    name: str
    words: str
    caption: str
    hint: str = ""
    choices: tuple[tuple[str, str], ...] = ()


def _tr(words: str) -> str:
    return QCoreApplication.translate("ProviderOptions", words)


def options_of(api: str) -> tuple[Option, ...]:
    """Return the options of an API style."""
    match api:
        case "azure":
            return _azure()
        case "bedrock":
            return (Option("region", _tr("Region"), _tr("Where the models run, such as eu-central-1."), "us-east-1"),)
        case "gemini":
            return _vertex()
        case "ollama":
            caption = _tr(
                "Tokens, sent with every request. Without it Ollama keeps its own small window and cuts off the "
                "beginning of a long session without a word. A model's own number in the table below wins."
            )
            return (Option("num_ctx", _tr("Context length"), caption, "8192"),)
        case _:
            return ()


def _vertex() -> tuple[Option, ...]:
    project = _tr(
        "Only for Vertex AI, whose base URL is https://REGION-aiplatform.googleapis.com. Its key is an access token, "
        "which is refused after about an hour: enter a new one then (gcloud auth print-access-token prints it)."
    )
    return (
        Option("project", _tr("Project"), project, _tr("none")),
        Option("location", _tr("Location"), _tr("Only for Vertex AI, such as europe-west4."), _tr("none")),
    )


def _azure() -> tuple[Option, ...]:
    version = _tr("Empty for the address without a version; otherwise as the portal shows it, such as 2024-10-21.")
    return (
        Option("api_version", _tr("API version"), version, _tr("none")),
        Option(
            "wire",
            _tr("Requests"),
            _tr("What the deployments answer. Add each deployment by its name in the table below."),
            choices=(("", _tr("Chat completions")), ("responses", _tr("Responses"))),
        ),
        Option(
            "auth",
            _tr("The key is"),
            _tr("A resource's key, or an access token of Microsoft Entra."),
            choices=(("", _tr("An API key")), ("bearer", _tr("An Entra token"))),
        ),
    )


class ProviderOptions(QWidget):
    """The options of the provider that is shown; nothing for a style without any."""

    def __init__(self, settings: "SettingsPresenter", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._id = ""
        self.fields: dict[str, Field] = {}
        self.selects: dict[str, Select] = {}
        self._column = QVBoxLayout()
        self.wrong = Label("", fonts.META, tone="danger", wrap=True)
        self.wrong.hide()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addLayout(self._column)
        outer.addWidget(self.wrong)

    def show_provider(self, provider: "ProviderSettings") -> None:
        """Show a provider's options."""
        if provider.id != self._id:
            self._id = provider.id
            self._build(provider.api)
        for name, field in self.fields.items():
            if not field.hasFocus() and not self.wrong.text():
                field.setText(provider.options.get(name, ""))
        for name, select in self.selects.items():
            select.set_value(provider.options.get(name, ""))

    def _build(self, api: str) -> None:
        empty(self._column)
        self.fields, self.selects = {}, {}
        self.wrong.clear()
        self.wrong.hide()
        options = options_of(api)
        self.setVisible(bool(options))
        for option in options:
            box = QWidget()
            column = captioned(option.words, self._control(option), option.caption)
            column.setContentsMargins(0, 0, 0, 18)
            box.setLayout(column)
            self._column.addWidget(box)

    def _save(self, name: str, field: Field) -> None:
        problem = self._settings.set_option(self._id, name, field.text().strip())
        field.set_wrong(bool(problem))
        self.wrong.setText(problem)
        self.wrong.setVisible(bool(problem))

    def _control(self, option: Option) -> QWidget:
        if option.choices:
            select = Select(option.words, option.choices)
            select.chosen.connect(lambda value: self._settings.set_option(self._id, option.name, value))
            self.selects[option.name] = select
            return select
        field = Field(option.words, option.hint)
        field.editingFinished.connect(lambda: self._save(option.name, field))
        self.fields[option.name] = field
        return field
