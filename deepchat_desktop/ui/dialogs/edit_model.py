"""What the user says of one model: its limits, what it can do, its price. Empty means: as the provider tells."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QGridLayout, QWidget

from deepchat_desktop.presenters.model_table import tokens
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.controls import Button
from deepchat_desktop.ui.controls_choice import Select
from deepchat_desktop.ui.controls_shown import Field, Label
from deepchat_desktop.ui.dialogs.sheet import Sheet

if TYPE_CHECKING:
    from deepchat_desktop.domain.catalogue import CatalogueModel
    from deepchat_desktop.domain.settings import ModelChoice
    from deepchat_desktop.presenters.settings import SettingsPresenter

_WORDS = {True: "yes", False: "no", None: ""}
_VALUES = {"yes": True, "no": False, "": None, "text": False}
_PRICES = ("input", "output", "cached")


class EditModelSheet(Sheet):
    """``accepted`` comes when the user's word was taken."""

    def __init__(
        self,
        parent: QWidget,
        settings: "SettingsPresenter",
        provider_id: str,
        model: "CatalogueModel",
        choice: "ModelChoice",
    ) -> None:
        super().__init__(parent, model.name, 480)
        self._settings, self._provider, self._model = settings, provider_id, model
        self.fields: dict[str, Field] = {}
        self.selects: dict[str, Select] = {}
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnStretch(1, 1)
        self.body.addWidget(Label(model.id, fonts.META, tone="subtle", mono=True, wrap=True))
        self.body.addSpacing(14)
        self.body.addLayout(self._grid)
        self._limits(choice)
        self._facts(choice)
        self._price(choice)
        self.wrong = Label("", tone="danger", wrap=True)
        self.wrong.setContentsMargins(0, 10, 0, 0)
        self.wrong.hide()
        self.body.addWidget(self.wrong)
        self._buttons()

    def _limits(self, choice: "ModelChoice") -> None:
        known = self._model.capabilities
        for name, words, value in (
            ("context", self.tr("Context, tokens"), choice.context),
            ("max_output", self.tr("Longest answer, tokens"), choice.max_output),
        ):
            told = tokens(None if self._model.sources.get(name) == "user" else getattr(known, name))  # type: ignore[call-overload]
            field = Field(words, told or self.tr("unknown"))
            field.setText("" if value is None else str(value))
            self._row(name, words, field)

    def _facts(self, choice: "ModelChoice") -> None:
        as_told = self.tr("As the provider tells")
        yes_no = [("", as_told), ("yes", self.tr("Yes")), ("no", self.tr("No"))]
        for name, words in (
            ("vision", self.tr("Sees pictures")),
            ("tools", self.tr("Calls tools")),
            ("reasoning", self.tr("Reasons")),
        ):
            values = [*yes_no, ("text", self.tr("In its text"))] if name == "tools" else yes_no
            chosen = "text" if name == "tools" and choice.tools_as_text else _WORDS[getattr(choice, name)]
            self._select(name, words, values, chosen)

    def _price(self, choice: "ModelChoice") -> None:
        listed = None if self._model.price_by_user else self._model.price
        for name, words in zip(
            _PRICES,
            (
                self.tr("Input, $ a million tokens"),
                self.tr("Output, $ a million tokens"),
                self.tr("Cached input, $ a million"),
            ),
            strict=True,
        ):
            told = getattr(listed, name, None)
            shown = self.tr("unknown") if told is None else f"{told:g}"
            if told is not None and listed is not None and listed.as_of:
                shown = self.tr("{price}, told on {day}").format(price=shown, day=listed.as_of)
            field = Field(words, shown)
            value = getattr(choice.price, name, None)
            field.setText("" if value is None else f"{value:g}")
            self._row(name, words, field)

    def _buttons(self) -> None:
        if self._model.changed:
            self.reset = self.add_button(Button(self.tr("Reset"), "ghost"))
            self.reset.setAutoDefault(False)
            self.reset.clicked.connect(self._reset)
        cancel = self.add_button(Button(self.tr("Cancel")))
        cancel.setAutoDefault(False)
        cancel.clicked.connect(self.reject)
        self.save = self.add_button(Button(self.tr("Save"), "primary"))
        self.save.setDefault(True)
        self.save.clicked.connect(self._save)

    def _row(self, name: str, words: str, field: Field) -> None:
        self.fields[name] = field
        field.textEdited.connect(lambda _text: self.wrong.hide())
        self._add(words, field)

    def _select(self, name: str, words: str, choices: list[tuple[str, str]], value: str) -> None:
        made = Select(words, choices)
        made.set_value(value)
        self.selects[name] = made
        self._add(words, made)

    def _add(self, words: str, control: QWidget) -> None:
        line = self._grid.rowCount()
        label = Label(words, weight=fonts.MEDIUM)
        label.setBuddy(control)
        self._grid.addWidget(label, line, 0)
        self._grid.addWidget(control, line, 1)

    def _reset(self) -> None:
        self._settings.reset_model(self._provider, self._model.id)
        self.accept()

    def _save(self) -> None:
        try:
            changes = self._changes()
        except ValueError:
            self._say(self.tr("Limits are whole numbers above zero, prices are numbers."))
            return
        problem = self._settings.choose(self._provider, self._model.id, changes)
        if problem:
            self._say(problem)
        else:
            self.accept()

    def _changes(self) -> dict[str, object]:
        """Return what was entered. Raises ValueError for what is no number."""
        texts = {name: field.text().strip().replace(",", ".") for name, field in self.fields.items()}
        changes: dict[str, object] = {
            name: int(texts[name]) if texts[name] else None for name in ("context", "max_output")
        }
        changes |= {name: _VALUES[self.selects[name].value()] for name in ("vision", "tools", "reasoning")}
        changes["tools_as_text"] = self.selects["tools"].value() == "text" or None
        prices = {name: float(texts[name]) for name in _PRICES if texts[name]}
        changes["price"] = prices or None
        return changes

    def _say(self, words: str) -> None:
        self.wrong.setText(words)
        self.wrong.show()
