"""What only some API styles want: Azure's version and wire, a region, a project, Ollama's context length.

A style with options of its own is one entry in ``options_of``.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QVBoxLayout, QWidget

from deepchat_desktop.domain.provider_presets import bedrock_region, vertex_region
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


def options_of(provider: "ProviderSettings") -> tuple[Option, ...]:
    """Return the options of a provider's API style."""
    match provider.api:
        case "azure":
            return _azure()
        case "bedrock":
            return _bedrock(bedrock_region(provider.base_url))
        case "gemini":
            region = vertex_region(provider.base_url)
            return _vertex(region) if region else ()
        case "ollama":
            caption = _tr(
                "Tokens, sent with every request. Without it Ollama keeps its own small window and cuts off the "
                "beginning of a long session without a word. A model's own number in the table below wins."
            )
            return (Option("num_ctx", _tr("Context length"), caption, "8192"),)
        case _:
            return ()


def _bedrock(region: str) -> tuple[Option, ...]:
    caption = _tr("Where the models run, such as eu-central-1. Empty for the region in the base URL.")
    if not region:
        caption = _tr("Only for an address of Amazon's: this one is asked as it is.")
    return (Option("region", _tr("Region"), caption, region or _tr("none")),)


def _vertex(region: str) -> tuple[Option, ...]:
    project = _tr("The id of the Google Cloud project that pays. Vertex AI answers nobody without one.")
    location = _tr("Where the models run. Empty for the one in the base URL.")
    return (
        Option("project", _tr("Project"), project, _tr("such as my-project-4711")),
        Option("location", _tr("Location"), location, region),
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
        self._shown: tuple[str, tuple[Option, ...]] = ("", ())
        self.fields: dict[str, Field] = {}
        self.selects: dict[str, Select] = {}
        self.wrong: dict[str, Label] = {}
        self.controls: list[QWidget] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)

    def show_provider(self, provider: "ProviderSettings") -> None:
        """Show a provider's options."""
        shown = (provider.id, options_of(provider))
        if shown != self._shown:
            self._id, self._shown = provider.id, shown
            self._build(shown[1])
        for name, field in self.fields.items():
            if not field.hasFocus() and not self.wrong[name].text():
                field.setText(provider.options.get(name, ""))
        for name, select in self.selects.items():
            select.set_value(provider.options.get(name, ""))

    def _build(self, options: tuple[Option, ...]) -> None:
        empty(self._column)
        self.fields, self.selects, self.wrong, self.controls = {}, {}, {}, []
        self.setVisible(bool(options))
        for option in options:
            box = QWidget()
            self.controls.append(self._control(option))
            column = captioned(option.words, self.controls[-1], option.caption)
            column.setContentsMargins(0, 0, 0, 18)
            if option.name in self.wrong:
                column.insertWidget(2, self.wrong[option.name])  # right under the field
            box.setLayout(column)
            self._column.addWidget(box)

    def _save(self, name: str, field: Field) -> None:
        self._say_wrong(name, self._settings.set_option(self._id, name, field.text().strip()))

    def _say_wrong(self, name: str, words: str) -> None:
        self.fields[name].set_wrong(bool(words))
        self.wrong[name].setText(words)
        self.wrong[name].setVisible(bool(words))

    def _control(self, option: Option) -> QWidget:
        if option.choices:
            select = Select(option.words, option.choices)
            select.chosen.connect(lambda value: self._settings.set_option(self._id, option.name, value))
            self.selects[option.name] = select
            return select
        field = Field(option.words, option.hint)
        field.editingFinished.connect(lambda: self._save(option.name, field))
        field.textEdited.connect(lambda _text: self._say_wrong(option.name, ""))
        self.fields[option.name] = field
        self.wrong[option.name] = Label("", fonts.META, tone="danger", wrap=True)
        self.wrong[option.name].hide()
        return field
