"""General: the theme, the size of text, and the way to the network. All take effect at once."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from deepchat_desktop.ui.controls_choice import Segmented
from deepchat_desktop.ui.fonts import TEXT_SIZES
from deepchat_desktop.ui.settings.form import Page, row
from deepchat_desktop.ui.settings.network import NetworkForm

if TYPE_CHECKING:
    from deepchat_desktop.presenters.settings import SettingsPresenter


class GeneralPage(Page):
    """The page."""

    def __init__(self, settings: "SettingsPresenter", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.theme = Segmented(
            self.tr("Theme"),
            (("system", self.tr("As the system")), ("light", self.tr("Light")), ("dark", self.tr("Dark"))),
        )
        self.text_size = Segmented(self.tr("Text size"), [(str(px), str(px)) for px in TEXT_SIZES])
        self.set_title(self.tr("General"))
        self.column.addSpacing(22)
        self.column.addWidget(row(self.tr("Theme"), self.theme))
        self.column.addWidget(
            row(
                self.tr("Text size"),
                self.text_size,
                self.tr("Of messages, in pixels; everything else keeps its proportion."),
            )
        )
        self.network = NetworkForm(settings)
        self.column.addWidget(self.network)
        self.column.addStretch(1)
        self.theme.chosen.connect(settings.set_theme)
        self.text_size.chosen.connect(lambda px: settings.set_text_size(int(px)))
        settings.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show what is set."""
        self.theme.set_value(self._settings.theme())
        self.text_size.set_value(str(self._settings.text_size()))
