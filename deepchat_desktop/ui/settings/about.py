"""About: the version, the licence, and what the program is built on with its licences."""

import platform

from PySide6.QtCore import qVersion
from PySide6.QtWidgets import QWidget

from deepchat_desktop import __version__
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.controls_shown import Label, Tone
from deepchat_desktop.ui.settings.form import Page


class AboutPage(Page):
    """The page."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.set_title(self.tr("About"))
        self.column.addSpacing(22)
        self._say("DeepChat Desktop", fonts.SEMIBOLD)
        self._say(
            self.tr("Version {version}, with Qt {qt} and Python {python}.").format(
                version=__version__, qt=qVersion(), python=platform.python_version()
            )
        )
        self._say(self.tr("Made by the DeepChat Desktop developers. Licensed under the Apache License 2.0."), gap=24)
        self._say(self.tr("Qt"), fonts.MEDIUM)
        self._say(
            self.tr(
                "The program uses Qt and PySide6 under the GNU Lesser General Public License, version 3. They are "
                "separate, exchangeable libraries: you may replace them with your own build and study how they work."
            ),
            gap=24,
        )
        self._say(self.tr("Also shipped"), fonts.MEDIUM)
        for words in (
            self.tr("Icons: Phosphor Icons, MIT License."),
            self.tr("Token tables: tiktoken, MIT License."),
            self.tr("Local model: llama.cpp, MIT License; SmolLM2-135M-Instruct, Apache License 2.0."),
        ):
            self._say(words)
        self.column.addStretch(1)

    def _say(self, words: str, weight: int = fonts.REGULAR, gap: int = 6) -> None:
        tone: Tone = "text" if weight > fonts.REGULAR else "muted"
        self.column.addWidget(Label(words, weight=weight, tone=tone, wrap=True))
        self.column.addSpacing(gap)
