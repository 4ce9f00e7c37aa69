"""The settings: appearance at once, providers with key and check, and keys that never come out."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit

from deepchat_desktop import __version__
from deepchat_desktop.domain.settings import ProviderSettings
from deepchat_desktop.presenters.check_words import CheckShown
from deepchat_desktop.ui.main_window import MainWindow
from deepchat_desktop.ui.settings.about import AboutPage
from deepchat_desktop.ui.settings.general import GeneralPage
from deepchat_desktop.ui.settings.page import SettingsPage
from deepchat_desktop.ui.settings.providers import ProvidersPage
from tests.fakes.presenters import FakePresenters


@pytest.fixture
def page(window: MainWindow, presenters: FakePresenters) -> SettingsPage:
    presenters.settings.add("OpenAI", "https://api.openai.com/v1", ("gpt-a", "gpt-b"), key_backend="SecretService")
    presenters.settings.add("深度求索", "https://api.deepseek.com/v1")
    window.open_settings(1)
    assert window.settings_page is not None
    return window.settings_page


@pytest.fixture
def providers(page: SettingsPage) -> ProvidersPage:
    found = page.pages.widget(1)
    assert isinstance(found, ProvidersPage)
    return found


def test_general_changes_theme_and_size(page: SettingsPage, presenters: FakePresenters) -> None:
    general = page.pages.widget(0)
    assert isinstance(general, GeneralPage)
    page.show_page(0)
    for control, value in ((general.theme, "dark"), (general.text_size, "16")):
        QTest.mouseClick(control._buttons[value], Qt.MouseButton.LeftButton)
    assert presenters.settings.calls == [("set_theme", "dark"), ("set_text_size", 16)]
    assert (general.theme.value(), general.text_size.value()) == ("dark", "16")


def test_providers_are_listed_and_chosen(providers: ProvidersPage) -> None:
    assert [button.accessibleName() for button in providers._buttons.values()] == [
        "OpenAI, 2 models",
        "深度求索, No models yet",
    ]
    QTest.mouseClick(providers._buttons["深度求索"], Qt.MouseButton.LeftButton)
    assert providers.detail.title.text() == "深度求索"
    assert providers.detail.address.text() == "https://api.deepseek.com/v1"


def test_a_key_goes_in_and_never_out(providers: ProvidersPage, presenters: FakePresenters) -> None:
    detail = providers.detail
    assert detail.key.echoMode() == QLineEdit.EchoMode.Password
    assert detail.key.text() == ""
    assert not detail.save.isEnabled()
    QTest.keyClicks(detail.key, "not-a-real-key")
    QTest.mouseClick(detail.save, Qt.MouseButton.LeftButton)
    assert presenters.settings.calls == [("set_key", "openai", "not-a-real-key")]
    assert detail.key.text() == ""


def test_a_typed_key_does_not_follow_to_another_provider(providers: ProvidersPage) -> None:
    QTest.keyClicks(providers.detail.key, "half a key")
    providers.choose("深度求索")
    assert providers.detail.key.text() == ""


def test_a_check_tells_where_it_was_asked(providers: ProvidersPage, presenters: FakePresenters) -> None:
    detail = providers.detail
    QTest.mouseClick(detail.check, Qt.MouseButton.LeftButton)
    assert presenters.settings.calls == [("check", "openai")]
    assert detail.result.busy
    refused = CheckShown(False, "The key was refused", "The key was refused (401).", "Key refused", "key")
    presenters.settings.tell("openai", refused)
    assert not detail.result.busy
    assert detail.result.isVisible()
    assert detail.result.words.text() == "The key was refused (401)."
    assert "Key refused" in providers._buttons["openai"].accessibleName()
    providers.choose("深度求索")
    assert not detail.result.isVisible()
    providers.choose("openai")
    assert detail.result.words.text() == "The key was refused (401)."


def test_removing_asks_first(providers: ProvidersPage, presenters: FakePresenters) -> None:
    sheet = providers.detail.ask_remove()
    QTest.keyClick(sheet, Qt.Key.Key_Escape)
    assert presenters.settings.calls == []
    QTest.mouseClick(providers.detail.ask_remove().agree, Qt.MouseButton.LeftButton)
    assert presenters.settings.calls == [("remove_provider", "openai")]
    assert list(providers._buttons) == ["深度求索"]
    presenters.settings.remove_provider("深度求索")
    assert not providers.detail.isVisible()


def test_about_has_version_and_licences(page: SettingsPage) -> None:
    about = page.pages.widget(2)
    assert isinstance(about, AboutPage)
    words = "\n".join(label.text() for label in about.findChildren(QLabel))
    for part in (__version__, "Apache License 2.0", "Lesser General Public License", "Phosphor", "SmolLM2"):
        assert part in words


def test_a_provider_that_was_just_added_is_shown(
    providers: ProvidersPage, presenters: FakePresenters, window: MainWindow
) -> None:
    made = ProviderSettings(id="new", name="New", api="openai_chat", base_url="https://new.example/v1")
    presenters.settings.listed.append(made)
    presenters.setup.provider_added.emit(True, "Ready.")
    assert providers.detail.title.text() == "New"
    window.close_settings()
    presenters.settings.listed.pop()
    window.open_settings(1)
    assert list(providers._buttons) == ["openai", "深度求索"]
