"""How the network is reached: as the system does, directly, or by a proxy of the user's own; with a test.

Every field takes effect when it is left. The password goes to the keychain and is never shown.
"""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from deepchat_desktop.domain.settings import ProxySettings
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.controls import Button
from deepchat_desktop.ui.controls_choice import Segmented
from deepchat_desktop.ui.controls_shown import Field, Label
from deepchat_desktop.ui.settings.form import ResultBar, captioned, row

if TYPE_CHECKING:
    from deepchat_desktop.presenters.settings import SettingsPresenter


class NetworkForm(QWidget):
    """The proxy's settings."""

    def __init__(self, settings: "SettingsPresenter", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.mode = Segmented(
            self.tr("Proxy"),
            (("system", self.tr("As the system")), ("none", self.tr("None")), ("custom", self.tr("Custom"))),
        )
        self.address = Field(self.tr("Proxy's address"), "http://proxy.example:3128")
        self.user = Field(self.tr("Proxy's user"), self.tr("none"))
        self.password = Field(self.tr("Proxy's password"), self.tr("Enter it to set or replace it"))
        self.password.setEchoMode(QLineEdit.EchoMode.Password)
        self.exceptions = Field(self.tr("Without the proxy"), "intranet.example, 10.0.0.0/8")
        self.wrong = Label("", fonts.META, tone="danger", wrap=True)
        self.wrong.hide()
        self.test = Button(self.tr("Test the connection"))
        self.result = ResultBar()
        self._custom = QWidget()
        self._lay_out()
        self.mode.chosen.connect(self._choose_mode)
        for field in (self.address, self.user, self.exceptions):
            field.editingFinished.connect(self._save)
            field.textEdited.connect(lambda _text: self._say_wrong(""))
        self.password.editingFinished.connect(self._save_password)
        self.test.clicked.connect(self._test)
        settings.connection_tested.connect(self._tested)
        settings.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show what is set; a field that is being edited, or holds what cannot be used, stays."""
        proxy = self._settings.proxy()
        wrong = bool(self.wrong.text())
        if not wrong:
            self.mode.set_value(proxy.mode)
            self._custom.setVisible(proxy.mode == "custom")
        hosts = ", ".join(proxy.except_hosts)
        for field, words in ((self.address, proxy.address), (self.user, proxy.user), (self.exceptions, hosts)):
            if not field.hasFocus() and not wrong:
                field.setText(words)

    def _choose_mode(self, mode: str) -> None:
        self._custom.setVisible(mode == "custom")
        self._say_wrong("")
        if mode == "custom" and not self.address.text().strip():
            self.address.setFocus()  # without an address there is nothing to save yet
            return
        self._save()

    def _save(self) -> None:
        mode = self.mode.value()
        if mode == "custom" and not self.address.text().strip():
            return
        hosts = (part.strip() for part in self.exceptions.text().replace(";", ",").split(","))
        proxy = ProxySettings(
            mode=mode,
            address=self.address.text().strip(),
            user=self.user.text().strip(),
            except_hosts=tuple(part for part in hosts if part),
        )
        self._say_wrong(self._settings.set_proxy(proxy))

    def _save_password(self) -> None:
        if self.password.text():
            self._settings.set_proxy_password(self.password.text())
            self.password.clear()
            self.password.setPlaceholderText(self.tr("Kept. Enter another to replace it"))

    def _test(self) -> None:
        self._save()
        if self.wrong.text() or self.result.busy:
            return
        self.result.show_busy(self.tr("Asking the server…"))
        self._settings.test_connection()

    def _tested(self, ok: bool, words: str) -> None:
        self.result.show_result(ok, words)

    def _say_wrong(self, words: str) -> None:
        self.wrong.setText(words)
        self.wrong.setVisible(bool(words))
        self.address.set_wrong(bool(words))

    def _lay_out(self) -> None:
        fields = QVBoxLayout(self._custom)
        fields.setContentsMargins(0, 0, 0, 18)
        fields.setSpacing(14)
        fields.addLayout(
            captioned(self.tr("Address"), self.address, self.tr("http, https, socks5 or socks5h, with the port."))
        )
        fields.addWidget(self.wrong)
        who = QHBoxLayout()
        who.setSpacing(16)
        who.addLayout(captioned(self.tr("User"), self.user))
        who.addLayout(captioned(self.tr("Password"), self.password))
        fields.addLayout(who)
        caption = self.tr("Hosts, domains and networks, with commas between them. This computer is always among them.")
        fields.addLayout(captioned(self.tr("Without the proxy"), self.exceptions, caption))
        line = QHBoxLayout()
        line.addWidget(self.test)
        line.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(row(self.tr("Proxy"), self.mode, self.tr("For providers, downloads and everything else.")))
        column.addWidget(self._custom)
        column.addLayout(line)
        column.addSpacing(10)
        column.addWidget(self.result)
