"""Fetching a model to an Ollama server: its name, progress, a way to stop."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.controls import Button
from deepchat_desktop.ui.controls_shown import Field, Label, Progress
from deepchat_desktop.ui.settings.form import group

if TYPE_CHECKING:
    from deepchat_desktop.presenters.ollama import OllamaPresenter


class OllamaPull(QWidget):
    """The part of the page that only Ollama has."""

    def __init__(self, ollama: "OllamaPresenter", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ollama = ollama
        self._id = ""
        self.name = Field(self.tr("Name of the model to fetch"), self.tr("Such as qwen3:8b"))
        self.start = Button(self.tr("Fetch"), icon="download-simple")
        self.stop = Button(self.tr("Stop"))
        self.progress = Progress(self.tr("Fetching a model"))
        self.words = Label("", fonts.META, tone="muted", wrap=True)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self.name, 1)
        line.addWidget(self.start)
        line.addWidget(self.stop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(group(self.tr("Fetch a model")))
        column.addLayout(line)
        column.addWidget(self.progress)
        column.addWidget(self.words)
        self.start.clicked.connect(self._start)
        self.name.returnPressed.connect(self._start)
        self.name.textChanged.connect(lambda _text: self._refresh())
        self.stop.clicked.connect(lambda: self._ollama.stop(self._id))
        ollama.changed.connect(self._moved)

    def show_provider(self, provider_id: str, api: str) -> None:
        """Show a provider's fetch; nothing for other API styles."""
        self.setVisible(api == "ollama")
        if provider_id != self._id:
            self._id = provider_id
            self.name.clear()
        self._refresh()

    def _start(self) -> None:
        self._ollama.pull(self._id, self.name.text())
        self.name.setText("")

    def _moved(self, provider_id: str) -> None:
        if provider_id == self._id:
            self._refresh()

    def _refresh(self) -> None:
        pull = self._ollama.pull_of(self._id)
        running = pull is not None and pull.running
        left = [part for part in ((self.start, self.name) if running else (self.stop,)) if part.hasFocus()]
        self.stop.setVisible(running)
        self.name.setEnabled(not running)
        if left:  # what goes away gives the focus to what takes its place
            (self.stop if running else self.name).setFocus(Qt.FocusReason.TabFocusReason)
        self.start.setEnabled(not running and bool(self.name.text().strip()))
        self.start.setVisible(not running)
        self.progress.setVisible(running)
        self.words.setVisible(pull is not None)
        if pull is not None:
            self.progress.set_percent(pull.percent)
            self.words.setText(pull.words)
            self.words.set_tone("danger" if pull.failed else "muted")
