"""The one road out: what may be opened, in which spelling, and when the user is asked."""

from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

import deepchat_desktop
from deepchat_desktop.ui.open_external import RefusedLink, clean_url, open_external

ROOT = Path(deepchat_desktop.__file__).parent


class Browser(QObject):
    """Takes what the system's browser would get."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    @Slot(QUrl)
    def take(self, url: QUrl) -> None:
        self.opened.append(url.toString(QUrl.ComponentFormattingOption.FullyEncoded))


@pytest.fixture
def browser(qapp: object) -> object:
    made = Browser()
    for scheme in ("http", "https", "mailto"):
        QDesktopServices.setUrlHandler(scheme, made, "take")
    yield made
    for scheme in ("http", "https", "mailto"):
        QDesktopServices.unsetUrlHandler(scheme)


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        ("https://example.org/a?b=c#d", "https://example.org/a?b=c#d"),
        (" HTTPS://EXAMPLE.org:8443/ä ", "https://example.org:8443/%C3%A4"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://аpple.com/", "https://xn--pple-43d.com/"),
        ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        ("https://example.org/%20x", "https://example.org/%20x"),
        ('https://example.org/"<x>', "https://example.org/%22%3Cx%3E"),
        ("mailto:a@example.org?subject=Hi%20there&attach=/etc/passwd", "mailto:a@example.org?subject=Hi%20there"),
    ],
)
def test_what_is_opened_is_written_anew(url: str, clean: str) -> None:
    assert clean_url(url) == clean


@pytest.mark.parametrize(
    "url",
    [
        "", "example.org", "/etc/passwd", "file:///etc/passwd", "javascript:alert(1)", "data:text/html,x",
        "deepchat://start", "smb://host/share", "\\\\host\\share", "https://", "https:///x", "https://user:pw@example.org",
        "https://example.org@evil.example", "https://exa mple.org", "https://example.org/\nx", "https://example.org/\x00",
        "http://[::1", "https://example.org:99999", "mailto:nobody", "ms-settings:", "vscode://file/x",
    ],
)  # fmt: skip
def test_everything_else_is_refused(url: str) -> None:
    with pytest.raises(RefusedLink):
        clean_url(url)


def test_a_link_that_shows_its_target_opens_at_once(qtbot: QtBot, browser: Browser) -> None:
    host = QWidget()
    qtbot.addWidget(host)
    for shown in ("https://example.org/", "example.org"):
        assert open_external("https://example.org/", shown=shown, parent=host) is None
    assert browser.opened == ["https://example.org/"] * 2


def test_other_words_ask_first_and_show_the_target(qtbot: QtBot, browser: Browser) -> None:
    host = QWidget()
    qtbot.addWidget(host)
    host.show()
    sheet = open_external("https://bücher.example/x", shown="https://bank.example", parent=host)
    assert sheet is not None
    assert sheet.words.text() == "https://xn--bcher-kva.example/x"
    assert browser.opened == []
    sheet.reject()
    assert browser.opened == []
    again = open_external("https://bücher.example/x", shown="click", parent=host)
    assert again is not None
    again.accept()
    assert browser.opened == ["https://xn--bcher-kva.example/x"]


def test_the_browser_is_reached_from_one_module_only() -> None:
    users = [path.name for path in ROOT.rglob("*.py") if "QDesktopServices" in path.read_text("utf-8")]
    assert users == ["open_external.py"]
