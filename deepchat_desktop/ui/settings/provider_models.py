"""The models of a provider: the filter, the table, and what is done with them.

Marks that the user changes by hand stay when the list is refreshed.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from deepchat_desktop.domain.catalogue import CatalogueModel, catalogue
from deepchat_desktop.domain.settings import ModelChoice
from deepchat_desktop.presenters.model_table import ModelTableModel
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.controls import Button, IconButton, Menu
from deepchat_desktop.ui.controls_shown import Box, Field, Label
from deepchat_desktop.ui.dialogs.confirm import ConfirmSheet
from deepchat_desktop.ui.dialogs.edit_model import EditModelSheet
from deepchat_desktop.ui.settings.model_table import ModelTable

if TYPE_CHECKING:
    from deepchat_desktop.domain.settings import ProviderSettings
    from deepchat_desktop.presenters.settings import SettingsPresenter


class ProviderModels(QWidget):
    """The part of the page below the connection."""

    def __init__(self, settings: "SettingsPresenter", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._provider: ProviderSettings | None = None
        self.model = ModelTableModel(self)
        self.table = ModelTable(self.model)
        self.count = Label("", fonts.META, tone="muted")
        self.filter = Field(self.tr("Filter models"), self.tr("Filter models"))
        self.filter.setMaximumWidth(180)
        self.refresh = Button(self.tr("Refresh"), icon="arrow-clockwise")
        self.more = IconButton("dots-three", self.tr("All models"), 30)
        self.new = Field(self.tr("Model's id"), "")
        self.add = Button(self.tr("Add"))
        self.wrong = Label("", fonts.META, tone="danger", wrap=True)
        self.wrong.hide()
        self._nothing = Label("", tone="muted", wrap=True)
        self._note = Label("", fonts.META, tone="subtle", wrap=True)
        self._frame = Box("surface", "line", 10)
        self._lay_out()
        self._connect()

    def _connect(self) -> None:
        self.filter.textChanged.connect(self._filter)
        self.refresh.clicked.connect(lambda: self._settings.refresh(self._id))
        self.more.clicked.connect(lambda: self.all_menu().popup_under(self.more, right=True))
        self.add.clicked.connect(self._add)
        self.new.returnPressed.connect(self._add)
        self.new.textEdited.connect(lambda _text: self.wrong.hide())
        self.table.switched.connect(lambda key, on: self._settings.switch_models(self._id, (key,), on=on))
        self.table.marked.connect(lambda key, fact, word: self._settings.choose(self._id, key, {fact: word}))
        self.table.edit_asked.connect(self.edit)
        self.table.menu_asked.connect(self._row_menu)

    @property
    def _id(self) -> str:
        return self._provider.id if self._provider is not None else ""

    def show_provider(self, provider: "ProviderSettings", *, busy: bool) -> None:
        """Show a provider's models."""
        if provider.id != self._id:
            self.filter.clear()
            self.new.clear()
            self.wrong.hide()
        self._provider = provider
        default, model = self._settings.default_model()
        models = catalogue(provider)
        self.model.set_models(models, model if default == provider.id else "")
        on = sum(each.on for each in models)
        told = self.tr("{on} of {count} on").format(on=on, count=len(models)) if models else ""
        self.count.setText(self.tr("asking the server…") if busy else told)
        azure = provider.api == "azure"
        self.new.setPlaceholderText(self.tr("Deployment's name") if azure else self.tr("Model's id, by hand"))
        self._note.setText(self._note_text(azure=azure))
        self._show_nothing()

    def edit(self, model_id: str) -> EditModelSheet | None:
        """Open the sheet for one model."""
        provider = self._provider
        model = next((each for each in self.model.shown() if each.id == model_id), None)
        if provider is None or model is None:
            return None
        choice = provider.choices.get(model_id, ModelChoice())
        sheet = EditModelSheet(self.window(), self._settings, provider.id, model, choice)
        sheet.open()
        return sheet

    def _note_text(self, *, azure: bool) -> str:
        if azure:
            return self.tr("Azure lists the models of the region, not your deployments: add each by its name.")
        return self.tr(
            "“?” is not known. What you change by hand stays when the list is refreshed. A double click edits a model."
        )

    def _filter(self, words: str) -> None:
        self.model.set_filter(words)
        self._show_nothing()

    def _show_nothing(self) -> None:
        rows = self.model.rowCount()
        filtered = bool(self.filter.text().strip())
        nothing = self.tr("No model has these words in it.") if filtered else self.tr("No models are known yet.")
        self._nothing.setText(nothing)
        self._nothing.setVisible(rows == 0)
        self._frame.setVisible(rows > 0)
        many = rows > 0 or filtered
        for part in (self.filter, self.more):
            part.setVisible(many)

    def all_menu(self) -> Menu:
        """Return the menu for all models that are shown."""
        menu = Menu(self)
        shown = tuple(each.id for each in self.model.shown())
        if self.filter.text().strip():
            many = len(shown)
            on, off = self.tr("Turn on these {count}"), self.tr("Turn off these {count}")
            menu.addAction(on.format(count=many), lambda: self._settings.switch_models(self._id, shown, on=True))
            menu.addAction(off.format(count=many), lambda: self._settings.switch_models(self._id, shown, on=False))
        else:
            menu.addAction(self.tr("Turn on all"), lambda: self._settings.switch_all_models(self._id, on=True))
            menu.addAction(
                self.tr("Turn off all, new ones too"), lambda: self._settings.switch_all_models(self._id, on=False)
            )
        return menu

    def _row_menu(self, model_id: str, where: QPoint) -> None:
        for model in self.model.shown():
            if model.id == model_id:
                self.menu_of(model).popup(where)

    def menu_of(self, model: CatalogueModel) -> Menu:
        """Return the menu of one row."""
        menu, key, settings = Menu(self), self._id, self._settings
        menu.addAction(self.tr("Edit…"), lambda: self.edit(model.id))
        answers = menu.addAction(self.tr("Use for new sessions"), lambda: settings.set_default_model(key, model.id))
        answers.setEnabled(model.on and not self.model.is_default(model.id))
        reset = menu.addAction(self.tr("Take as the provider tells"), lambda: settings.reset_model(key, model.id))
        reset.setEnabled(model.changed)
        if model.added:
            menu.addSeparator()
            menu.addAction(self.tr("Remove"), lambda: settings.remove_model(key, model.id))
        if self._provider is not None and self._provider.api == "ollama" and model.listed:
            menu.addSeparator()
            menu.addAction(self.tr("Delete from the server…"), lambda: self.ask_delete(model.id))
        return menu

    def ask_delete(self, model_id: str) -> ConfirmSheet:
        """Ask whether to delete a model from an Ollama server's disk."""
        provider_id = self._id
        title = self.tr("Delete {model}?").format(model=model_id)
        words = self.tr("It is deleted from the server's disk. To use it again it must be fetched again.")
        sheet = ConfirmSheet(self.window(), title, words, self.tr("Delete model"))
        sheet.accepted.connect(lambda: self._settings.ollama.delete(provider_id, model_id))
        sheet.open()
        return sheet

    def _add(self) -> None:
        problem = self._settings.add_model(self._id, self.new.text())
        self.wrong.setText(problem)
        self.wrong.setVisible(bool(problem))
        if not problem:
            self.new.clear()
            self.new.setFocus()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(Label(self.tr("Models"), weight=fonts.SEMIBOLD))
        head.addWidget(self.count, 0)
        head.addStretch(1)
        head.addWidget(self.filter, 100)
        head.addWidget(self.refresh)
        head.addWidget(self.more)
        inside = QVBoxLayout(self._frame)
        inside.setContentsMargins(1, 1, 1, 1)
        inside.addWidget(self.table)
        by_hand = QHBoxLayout()
        by_hand.setSpacing(8)
        by_hand.addWidget(self.new, 1)
        by_hand.addWidget(self.add)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(head)
        for part in (self._nothing, self._frame, self._note):
            column.addWidget(part)
        column.addLayout(by_hand)
        column.addWidget(self.wrong)
