"""What each kind of provider has of its own on its page, and what is said where a key or a list does not come."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from deepchat_desktop.presenters.check_words import KeyFacts, shown
from deepchat_desktop.services.providers.key_check import Checked
from deepchat_desktop.ui.settings.model_table import menu_spot
from tests.fakes.wire_server import WireServer, body_answer, model_list
from tests.ui.settings.conftest import Desk

pytestmark = pytest.mark.anyio
KEY = "SENTINEL-KEY-NOT-A-REAL-ONE-0001"
LEFT = Qt.MouseButton.LeftButton


async def test_a_provider_is_added_without_its_network(desk: Desk) -> None:
    with WireServer() as gone:
        pass
    said: list[bool] = []
    desk.shell.setup.provider_added.connect(lambda ok, _words: said.append(ok))
    desk.shell.setup.add_provider("Mine", gone.base_url, KEY)
    await desk.until(lambda: said == [False])
    assert desk.shell.settings.providers() == []
    desk.shell.setup.add_provider("Mine", gone.base_url, KEY, unasked=True)
    await desk.until(lambda: said == [False, True])
    assert desk.provider("mine").models == ()
    assert await desk.core.secrets.get("mine") == KEY


async def test_a_vertex_token_is_called_so_and_says_how_long_it_lasts(desk: Desk, server: WireServer) -> None:
    desk.set_up("https://europe-west4-aiplatform.googleapis.com", api="gemini")
    detail = desk.providers.detail
    assert detail.key.accessibleName() == "Access token"
    assert "lasts about an hour" in detail._key_note.text()
    assert "gcloud auth print-access-token" in detail._key_note.text()
    assert list(detail.options.fields) == ["project", "location"]
    assert detail.options.fields["location"].placeholderText() == "europe-west4"
    desk.set_up("https://generativelanguage.googleapis.com/v1beta", key="g", api="gemini")
    assert detail.key.accessibleName() == "API key"
    assert detail.options.fields == {}


@pytest.mark.parametrize(
    ("key", "title", "advice", "step"),
    [
        (KeyFacts(there=True), "The key was refused", "Enter a valid key", "key"),
        (KeyFacts(there=True, page=True), "The key was refused", "Enter a valid key", "key_page"),
        (KeyFacts(there=True, short_lived=True), "The token was refused", "gcloud auth print-access-token", "key"),
        (KeyFacts(there=False), "A key is needed", "Enter a valid key", "key"),
    ],
)
async def test_a_refused_key_leads_to_the_next_step(key: KeyFacts, title: str, advice: str, step: str) -> None:
    told = shown(Checked("auth", words="no", code="auth"), 1, key, at="12:00")
    assert (told.ok, told.title, told.step) == (False, title, step)
    assert advice in told.detail


async def test_bedrock_shows_its_region_and_refuses_what_is_none(desk: Desk) -> None:
    desk.set_up("https://bedrock-runtime.eu-central-1.amazonaws.com", api="bedrock")
    options = desk.providers.detail.options
    assert options.fields["region"].placeholderText() == "eu-central-1"
    for words, kept in (("evil.example/x", None), ("us-west-2", "us-west-2"), ("", None)):
        options.fields["region"].setText(words)
        options.fields["region"].editingFinished.emit()
        assert desk.provider().options.get("region") == kept
        assert bool(options.wrong["region"].text()) is (kept is None and bool(words))


async def test_a_list_without_a_model_is_not_up_to_date(desk: Desk, server: WireServer) -> None:
    server.routes["/models"] = model_list([])
    desk.set_up(server.base_url, "a", "b")
    desk.shell.settings.refresh("p")
    await desk.settled()
    result = desk.providers.detail.result
    assert result.title.text() == "The server lists no model"
    assert "The 2 models of" in result.words.text()
    server.routes["/models"] = body_answer(b"<!doctype html><title>Login</title>")
    desk.shell.settings.refresh("p")
    await desk.settled()
    assert "web page (“Login”)" in result.words.text()
    assert [model.id for model in desk.provider().models] == ["a", "b"]


async def test_a_key_in_another_keychain_is_said_and_does_not_hold_its_provider(desk: Desk, server: WireServer) -> None:
    desk.set_up(server.base_url, "a", key_backend="keyring.backends.elsewhere.Keyring")
    detail = desk.providers.detail
    desk.shell.settings.check("p")
    await desk.settled()
    assert (detail.result.title.text(), detail.result.step.text()) == ("The key cannot be read", "Enter key")
    assert "does not give it" in detail._key_note.text()
    desk.shell.settings.remove_provider("p")
    await desk.until(lambda: desk.shell.settings.providers() == [])
    assert desk.page.notice.isVisible()
    assert "still in the other keychain" in desk.page.notice.words.text()


async def test_the_dots_of_a_row_open_its_menu(desk: Desk) -> None:
    desk.set_up("http://127.0.0.1:9/v1", "a", "b")
    table = desk.providers.detail.models.table
    await desk.until(table.isVisible)
    asked: list[str] = []
    table.menu_asked.disconnect()
    table.menu_asked.connect(lambda key, _where: asked.append(key))
    cell = table.visualRect(desk.providers.detail.models.model.index(1, 0))
    QTest.mouseClick(table.viewport(), LEFT, pos=cell.center())
    assert asked == []
    QTest.mouseClick(table.viewport(), LEFT, pos=menu_spot(cell).center())
    assert asked == ["b"]
