"""Asks before something that cannot be undone. Cancel is the default and has the focus; Escape cancels."""

from PySide6.QtWidgets import QWidget

from deepchat_desktop.ui.controls import Button
from deepchat_desktop.ui.controls_shown import Label
from deepchat_desktop.ui.dialogs.sheet import Sheet


class ConfirmSheet(Sheet):
    """``accepted`` comes when the user agreed to ``action``."""

    def __init__(self, parent: QWidget, title: str, words: str, action: str) -> None:
        super().__init__(parent, title, 420)
        self.words = Label(words, tone="muted", wrap=True)
        self.body.addWidget(self.words)
        self.cancel = self.add_button(Button(self.tr("Cancel")))
        self.cancel.setDefault(True)
        self.cancel.clicked.connect(self.reject)
        self.agree = self.add_button(Button(action))
        self.agree.clicked.connect(self.accept)
        self.cancel.setFocus()
