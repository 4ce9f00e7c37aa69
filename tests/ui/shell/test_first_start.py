"""The first page and the sheet for a key: each state says what is the case and offers the next step."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from deepchat_desktop.domain.provider_presets import PRESETS
from deepchat_desktop.ui.dialogs.add_provider import CUSTOM
from deepchat_desktop.ui.first_start import PULL_COMMAND, FirstStart
from deepchat_desktop.ui.main_window import MainWindow
from tests.fakes.presenters import FakeLocal, FakePresenters, FakeServer


@pytest.fixture
def page(window: MainWindow) -> FirstStart:
    assert window.first_start is not None
    return window.first_start


def press(page: FirstStart) -> None:
    QTest.mouseClick(page.local.button, Qt.MouseButton.LeftButton)


@pytest.mark.parametrize(
    ("choice", "button", "pill", "call"),
    [
        (FakeLocal(state="missing"), "Get it", "", ("fetch_local",)),
        (FakeLocal(state="fetching", percent=34), "Cancel", "34 %", ("cancel_fetch",)),
        (FakeLocal(state="error", detail="The network is down."), "Try again", "Failed", ("fetch_local",)),
        (FakeLocal(state="ready"), "Start chatting", "Ready", ("use_local",)),
    ],
)
def test_the_local_model_in_each_state(
    page: FirstStart, presenters: FakePresenters, choice: FakeLocal, button: str, pill: str, call: tuple[str]
) -> None:
    presenters.setup.set_local(choice)
    assert page.local.button.text() == button
    assert page.local.pill.accessibleName() == pill
    assert page.local.progress.isVisible() == (choice.state == "fetching")
    press(page)
    assert presenters.setup.calls == [call]


def test_it_says_that_the_model_is_tiny(page: FirstStart, presenters: FakePresenters) -> None:
    for state in ("missing", "ready"):
        presenters.setup.set_local(FakeLocal(state=state))
        assert "tiny" in page.local.words.text()


def test_an_error_is_shown_in_full(qtbot: QtBot, page: FirstStart, presenters: FakePresenters) -> None:
    words = "The download stopped after 12 MB. " * 6
    presenters.setup.set_local(FakeLocal(state="error", detail=words))
    assert page.local.words.text() == words
    label = page.local.words
    qtbot.waitUntil(lambda: label.height() >= label.heightForWidth(label.width()))


def test_a_build_that_fetches_nothing_explains_itself(page: FirstStart, presenters: FakePresenters) -> None:
    presenters.setup.set_local(FakeLocal(state="unavailable"))
    assert page.local.command.text() == PULL_COMMAND
    press(page)
    assert QGuiApplication.clipboard().text() == PULL_COMMAND
    assert presenters.setup.calls == []
    presenters.setup.set_local(FakeLocal(state="ready"))
    assert not page.local.command.isVisible()


def test_found_servers_come_and_go(page: FirstStart, presenters: FakePresenters) -> None:
    ollama = FakeServer("ollama", "Ollama", "http://127.0.0.1:11434", ("qwen3:8b", "llama3.2:3b"))
    empty = FakeServer("lmstudio", "LM Studio", "http://127.0.0.1:1234")
    presenters.setup.set_servers([ollama, empty])
    full, bare = page.servers.values()
    assert full.pill.accessibleName() == "2 models"
    assert "127.0.0.1:11434" in full.caption.text()
    assert not bare.button.isEnabled()
    QTest.mouseClick(full.button, Qt.MouseButton.LeftButton)
    assert presenters.setup.calls == [("use_server", "ollama", "http://127.0.0.1:11434")]
    presenters.setup.set_servers([])
    assert page.servers == {}


def test_choosing_leads_to_the_composer(window: MainWindow, page: FirstStart, presenters: FakePresenters) -> None:
    presenters.setup.set_local(FakeLocal(state="ready"))
    presenters.agent.model_label = "SmolLM2"
    press(page)
    assert window.surface.focus_regions()[-1].hasFocus()
    assert not page.isVisible()


def test_cards_take_fewer_columns_in_a_narrow_window(window: MainWindow, page: FirstStart) -> None:
    assert page._columns == 2
    page.resize(400, 500)
    assert page._columns == 1


def test_a_key_is_hidden_and_handed_over_once(page: FirstStart, presenters: FakePresenters) -> None:
    sheet = page.add_key()
    assert sheet.key.echoMode() == QLineEdit.EchoMode.Password
    assert sheet.url.text() == PRESETS[0].base_url
    sheet.key.setText("not-a-real-key")
    QTest.mouseClick(sheet.add, Qt.MouseButton.LeftButton)
    assert presenters.setup.calls == [("add_provider", "OpenAI", PRESETS[0].base_url, "not-a-real-key", "openai_chat")]
    assert not sheet.add.isEnabled()
    presenters.setup.provider_added.emit(False, "The provider refused the key.")
    assert sheet.wrong.text() == "The provider refused the key."
    assert sheet.add.isEnabled()
    assert sheet.key.text() == "not-a-real-key"
    QTest.mouseClick(sheet.add, Qt.MouseButton.LeftButton)
    presenters.setup.provider_added.emit(True, "Ready.")
    assert sheet.key.text() == ""
    assert not sheet.isVisible()


def test_a_refused_provider_can_be_added_all_the_same(page: FirstStart, presenters: FakePresenters) -> None:
    sheet = page.add_key()
    sheet.key.setText("not-a-real-key")
    assert not sheet.anyway.isVisible()
    QTest.mouseClick(sheet.add, Qt.MouseButton.LeftButton)
    presenters.setup.provider_added.emit(False, "There is no network.")
    assert sheet.anyway.isVisible()
    QTest.mouseClick(sheet.anyway, Qt.MouseButton.LeftButton)
    assert [call[0] for call in presenters.setup.calls] == ["add_provider", "add_unasked"]
    presenters.setup.provider_added.emit(True, "Ready.")
    assert not sheet.isVisible()


def test_the_sheet_says_where_the_key_goes(page: FirstStart, presenters: FakePresenters) -> None:
    from PySide6.QtWidgets import QLabel

    presenters.setup.keychain = "No keychain: keys are kept only until you quit."
    sheet = page.add_key()
    assert presenters.setup.keychain in [label.text() for label in sheet.findChildren(QLabel)]
    sheet.reject()


@pytest.mark.parametrize(
    ("name", "url", "part"),
    [
        ("", "https://example.org/v1", "name"),
        ("Mine", "example.org", "https://"),
        ("Mine", "ftp://example.org", "https://"),
        ("Mine", "https://", "https://"),
        ("Mine", "http://[::1", "https://"),
    ],
)
def test_bad_entries_are_told_where_they_are(
    page: FirstStart, presenters: FakePresenters, name: str, url: str, part: str
) -> None:
    sheet = page.add_key()
    sheet.preset.set_value(CUSTOM)
    sheet._take_preset(CUSTOM)
    sheet.name.setText(name)
    sheet.url.setText(url)
    QTest.mouseClick(sheet.add, Qt.MouseButton.LeftButton)
    assert presenters.setup.calls == []
    assert part in sheet.wrong.text()
    assert sheet.wrong.isVisible()
    sheet.reject()


def test_the_buttons_are_in_sight_in_the_smallest_window(
    qtbot: QtBot, window: MainWindow, page: FirstStart
) -> None:
    window.resize(760, 520)
    page.resize(760, 360)

    def shown() -> bool:
        bottom = page.local.button.mapTo(page.viewport(), page.local.button.rect().bottomLeft()).y()
        return bottom <= page.viewport().height()

    qtbot.waitUntil(shown)


def test_the_sheet_grows_with_what_went_wrong(window: MainWindow, presenters: FakePresenters, qtbot: QtBot) -> None:
    assert window.first_start is not None
    sheet = window.first_start.add_key()
    qtbot.waitExposed(sheet)
    qtbot.waitUntil(lambda: sheet.height() == sheet._column.totalHeightForWidth(sheet.width()))
    before, field = sheet.height(), sheet.url.height()
    sheet._show_wrong("127.0.0.1:1 cannot be reached. Check the address, the network, and that the server runs. " * 2)
    qtbot.waitUntil(lambda: sheet.height() > before + 40)
    assert sheet.url.height() == sheet.key.height() == field
    sheet._show_wrong("")
    qtbot.waitUntil(lambda: sheet.height() == before)
    sheet.reject()
