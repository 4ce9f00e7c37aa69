"""Providers & models over real servers: checks told apart, refreshes that lose nothing, order, headers, secrets."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from deepchat_desktop.domain.catalogue import offered
from deepchat_desktop.domain.settings import ModelChoice
from tests.fakes.chat_answers import chat
from tests.fakes.wire_server import Answer, WireServer, json_answer, model_list
from tests.ui.settings.conftest import Desk

pytestmark = pytest.mark.anyio
KEY = "SENTINEL-KEY-NOT-A-REAL-ONE-0001"
LEFT = Qt.MouseButton.LeftButton


def refusal(status: int, message: str, code: str = "") -> Answer:
    return json_answer({"error": {"message": message, "code": code}}, status)


async def test_a_good_key_is_saved_checked_and_said(desk: Desk, server: WireServer) -> None:
    server.routes["/models"] = model_list(["a", "b"])
    server.add(chat("OK"))
    desk.set_up(server.base_url)
    detail = desk.providers.detail
    QTest.keyClicks(detail.key, KEY)
    QTest.mouseClick(detail.save, LEFT)
    assert detail.key.text() == ""
    await desk.until(detail.result.title.text)
    assert detail.result.title.text() == "The key works"
    assert "2 models" in detail.result.words.text()
    assert desk.providers._buttons["p"].accessibleName() == "P, 2 models, this computer"
    assert [row.id for row in detail.models.model.shown()] == ["a", "b"]
    assert server.requests[-1].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in await desk.on_disk()


@pytest.mark.parametrize(
    ("answer", "title", "short", "step"),
    [
        (refusal(401, "Incorrect key", "invalid_api_key"), "A key is needed", "Key missing", "Enter key"),
        (refusal(429, "Over quota", "insufficient_quota"), "The account has no credit left", "No credit left",
         "Try again"),
        (refusal(404, "The model does not exist", "model_not_found"), "The server does not know the model",
         "Model not found", "Show models"),
        (refusal(400, "Nonsense"), "The server did not accept the request", "Request refused", "Change address"),
        (refusal(429, "Rate limit reached"), "The provider has no time for this now", "Busy", "Try again"),
    ],
)  # fmt: skip
async def test_what_is_wrong_is_told_apart(
    desk: Desk, server: WireServer, answer: Answer, title: str, short: str, step: str
) -> None:
    server.routes["/models"] = model_list(["a"])
    server.add(answer)
    desk.set_up(server.base_url)
    detail = desk.providers.detail
    QTest.mouseClick(detail.check, LEFT)
    assert detail.result.busy
    await desk.settled()
    assert not detail.result.busy
    assert (detail.result.title.text(), detail.result.step.text()) == (title, step)
    assert desk.providers._buttons["p"].accessibleName() == f"P, {short}"


async def test_a_server_that_is_gone_and_comes_back(desk: Desk) -> None:
    with WireServer() as gone:
        pass
    desk.set_up(gone.base_url, "a")
    detail = desk.providers.detail
    desk.shell.settings.check("p")
    await desk.settled()
    assert detail.result.title.text() == "The server cannot be reached"
    assert detail.result.step.text() == "Try again"
    QTest.mouseClick(detail.result.step, LEFT)
    assert desk.shell.settings.is_busy("p")
    await desk.settled()


async def test_a_refresh_keeps_the_users_word_and_a_failed_one_the_list(desk: Desk, server: WireServer) -> None:
    server.routes["/models"] = model_list(["a", "b"])
    desk.set_up(server.base_url)
    models, settings = desk.providers.detail.models, desk.shell.settings
    QTest.mouseClick(models.refresh, LEFT)
    await desk.settled()
    models.table.setCurrentIndex(models.model.index(0, 2))
    QTest.keyClick(models.table, Qt.Key.Key_Space)
    models.table.setCurrentIndex(models.model.index(1, 5))
    QTest.keyClick(models.table, Qt.Key.Key_Space)
    QTest.keyClicks(models.new, "mine")
    QTest.keyClick(models.new, Qt.Key.Key_Return)
    said = {"a": ModelChoice(vision=True), "b": ModelChoice(on=False), "mine": ModelChoice(added=True, on=True)}
    assert desk.provider().choices == said
    server.routes["/models"] = model_list(["c", "a"])
    settings.refresh("p")
    await desk.settled()
    assert desk.provider().choices == said
    assert [row.id for row in models.model.shown()] == ["c", "a", "mine"]
    assert models.model.shown()[1].sources["vision"] == "user"
    server.routes["/models"] = refusal(500, "The server is on fire")
    settings.refresh("p")
    await desk.settled()
    assert [row.id for row in models.model.shown()] == ["c", "a", "mine"]
    words = desk.providers.detail.result.words.text()
    assert "The server is on fire" in words
    assert "The 2 models of" in words
    assert "stay as they are" in words


async def test_a_second_mark_takes_the_word_back_and_reset_forgets_it(desk: Desk) -> None:
    desk.set_up("http://127.0.0.1:9/v1", "a")
    models = desk.providers.detail.models
    index = models.model.index(0, 3)
    models.table.act(index)
    models.table.act(index)
    assert desk.provider().choices == {"a": ModelChoice(tools=False)}
    assert "your own word" in str(index.data(Qt.ItemDataRole.AccessibleTextRole))
    desk.shell.settings.reset_model("p", "a")
    assert desk.provider().choices == {}


async def test_the_sheet_takes_numbers_prices_and_refuses_nonsense(desk: Desk) -> None:
    desk.set_up("http://127.0.0.1:9/v1", "a")
    sheet = desk.providers.detail.models.edit("a")
    assert sheet is not None
    sheet.fields["context"].setText("many")
    QTest.mouseClick(sheet.save, LEFT)
    assert sheet.wrong.isVisible()
    assert sheet.isVisible()
    sheet.fields["context"].setText("-5")
    QTest.mouseClick(sheet.save, LEFT)
    assert sheet.wrong.text() == "The numbers must be above zero."
    for name, words in (("context", "32768"), ("input", "0,5"), ("output", "2")):
        sheet.fields[name].setText(words)
    QTest.mouseClick(sheet.save, LEFT)
    choice = desk.provider().choices["a"]
    assert choice.context == 32768
    assert choice.price is not None
    assert (choice.price.input, choice.price.output, choice.price.cached) == (0.5, 2.0, None)


async def test_the_sheet_gives_a_model_its_tools_as_text(desk: Desk) -> None:
    desk.set_up("http://127.0.0.1:9/v1", "a")
    for chosen, word in (("text", ModelChoice(tools=False, tools_as_text=True)), ("no", ModelChoice(tools=False))):
        sheet = desk.providers.detail.models.edit("a")
        assert sheet is not None
        sheet.selects["tools"].set_value(chosen)
        QTest.mouseClick(sheet.save, LEFT)
        assert desk.provider().choices == {"a": word}
    sheet = desk.providers.detail.models.edit("a")
    assert sheet is not None
    assert sheet.selects["tools"].value() == "no"
    sheet.reject()


async def test_a_thousand_models_are_filtered_and_switched_at_once(desk: Desk) -> None:
    desk.set_up("http://127.0.0.1:9/v1", *(f"vendor-{n % 7}/model-{n:04d}" for n in range(1000)))
    models = desk.providers.detail.models
    resets: list[int] = []
    models.model.modelReset.connect(lambda: resets.append(1))
    QTest.keyClicks(models.filter, "vendor-3 99")
    shown = [row.id for row in models.model.shown()]
    assert shown
    assert all("vendor-3/" in each and "99" in each for each in shown)
    assert len(resets) <= len("vendor-3 99")
    models.all_menu().actions()[1].trigger()
    assert len(offered(desk.provider())) == 1000 - len(shown)
    resets.clear()
    desk.shell.settings.switch_models("p", (shown[0],), on=True)
    assert resets == []
    models.filter.clear()
    desk.shell.settings.switch_all_models("p", on=False)
    assert offered(desk.provider()) == ()
    assert desk.provider().choices == {}


async def test_the_order_is_the_users(desk: Desk) -> None:
    for key in ("one", "two", "three"):
        desk.set_up("http://127.0.0.1:9/v1", "m", key=key)
    page = desk.providers
    page._buttons["three"].setFocus()
    QTest.keyClick(page._buttons["three"], Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert [each.id for each in desk.shell.settings.providers()] == ["one", "three", "two"]
    assert list(page._buttons) == ["one", "three", "two"]
    QTest.mouseClick(page.up, LEFT)
    assert list(page._buttons) == ["three", "one", "two"]
    assert not page.up.isEnabled()
    assert [label for _p, _m, label in desk.shell.agent.models()] == ["m · THREE", "m · ONE", "m · TWO"]


async def test_a_provider_that_is_off_offers_no_models(desk: Desk) -> None:
    desk.set_up("http://127.0.0.1:9/v1", "m")
    QTest.mouseClick(desk.providers.detail.enabled, LEFT)
    assert desk.shell.agent.models() == []
    assert desk.providers._buttons["p"].accessibleName() == "P, Off"


async def test_headers_that_carry_a_key_never_reach_the_file(desk: Desk, server: WireServer) -> None:
    server.routes["/models"] = model_list(["a"])
    desk.set_up(server.base_url)
    editor = desk.providers.detail.headers
    for name, value in (("X-Org", "blue"), ("Cf-Access-Token", KEY), ("X-Plain", "sk-proj-" + "a1B2" * 8)):
        editor.name.setText(name)
        editor.value.setText(value)
        QTest.mouseClick(editor.add, LEFT)
    await desk.until(lambda: len(desk.provider().secret_headers) == 2)
    assert desk.provider().headers == {"X-Org": "blue"}
    desk.shell.settings.refresh("p")
    await desk.settled()
    sent = server.requests[-1].headers
    assert (sent["x-org"], sent["cf-access-token"]) == ("blue", KEY)
    written = await desk.on_disk()
    assert KEY not in written
    assert "sk-proj-" not in written
    desk.shell.settings.remove_header("p", "Cf-Access-Token")
    await desk.until(lambda: len(desk.provider().secret_headers) == 1)
    desk.shell.settings.refresh("p")
    await desk.settled()
    assert "cf-access-token" not in server.requests[-1].headers


@pytest.mark.parametrize(("name", "value"), [("two words", "x"), ("X-A", "line\nbreak"), ("", "x"), ("X-A", "")])
async def test_a_header_that_cannot_be_sent_is_refused_in_place(desk: Desk, name: str, value: str) -> None:
    desk.set_up("http://127.0.0.1:9/v1")
    assert desk.shell.settings.set_header("p", name, value)
    assert desk.provider().headers == {}


async def test_another_server_does_not_inherit_the_key(desk: Desk, server: WireServer) -> None:
    desk.set_up(server.base_url)
    await desk.core.secrets.set("p", KEY)
    detail = desk.providers.detail
    assert desk.shell.settings.set_base_url("p", "not an address")
    detail.address.setText(f"{server.base_url}/other")
    detail.address.editingFinished.emit()
    await desk.until(lambda: desk.provider().base_url.endswith("/other"))
    assert await desk.core.secrets.get("p") == KEY
    detail.address.setText("https://else.test/v1")
    detail.address.editingFinished.emit()
    await desk.until(lambda: desk.provider().base_url == "https://else.test/v1")
    assert await desk.core.secrets.get("p") is None


async def test_a_wrong_address_is_told_where_it_stands(desk: Desk) -> None:
    desk.set_up("http://127.0.0.1:9/v1")
    detail = desk.providers.detail
    detail.address.setText("localhost:11434")
    detail.address.editingFinished.emit()
    assert detail.wrong.isVisible()
    assert desk.provider().base_url == "http://127.0.0.1:9/v1"
    detail.limit.setText("0")
    detail.limit.editingFinished.emit()
    assert "requests a minute" in detail.wrong.text()
    detail.limit.setText("30")
    detail.limit.editingFinished.emit()
    assert desk.provider().requests_per_minute == 30
    assert not detail.wrong.isVisible()


async def test_azure_takes_its_options_and_deployments(desk: Desk) -> None:
    desk.set_up("https://contoso.openai.azure.com", api="azure", others_on=False)
    detail = desk.providers.detail
    detail.options.fields["api_version"].setText("2024-10-21")
    detail.options.fields["api_version"].editingFinished.emit()
    detail.options.selects["wire"]._choose("responses")
    QTest.keyClicks(detail.models.new, "prod")
    QTest.mouseClick(detail.models.add, LEFT)
    assert desk.provider().options == {"api_version": "2024-10-21", "wire": "responses"}
    assert [model.id for model in offered(desk.provider())] == ["prod"]
    detail.options.selects["wire"]._choose("")
    assert desk.provider().options == {"api_version": "2024-10-21"}


async def test_one_vendor_can_be_set_up_twice(desk: Desk, server: WireServer) -> None:
    server.routes["/models"] = model_list(["a"])
    said: list[bool] = []
    desk.shell.setup.provider_added.connect(lambda ok, _words: said.append(ok))
    for count in (1, 2):
        desk.shell.setup.add_provider("OpenAI", server.base_url, f"{KEY}-{count}")
        await desk.until(lambda count=count: len(said) == count)
    assert [(each.id, each.name) for each in desk.shell.settings.providers()] == [
        ("openai", "OpenAI"),
        ("openai-2", "OpenAI 2"),
    ]
    assert await desk.core.secrets.get("openai-2") == f"{KEY}-2"
    assert desk.providers.detail.title.text() == "OpenAI 2"


async def test_diagnostics_are_copied_without_keys(desk: Desk, server: WireServer) -> None:
    server.routes["/models"] = refusal(401, f"Wrong key {KEY}")
    desk.set_up(server.base_url)
    detail = desk.providers.detail
    QGuiApplication.clipboard().setText("before")
    QTest.mouseClick(detail.diagnostics, LEFT)
    assert QGuiApplication.clipboard().text() == "before"
    await desk.core.secrets.set("p", KEY)
    desk.shell.settings.refresh("p")
    await desk.settled()
    QTest.mouseClick(detail.diagnostics, LEFT)
    copied = QGuiApplication.clipboard().text()
    assert "status 401" in copied
    assert "Wrong key •••" in copied
    assert KEY not in copied
    assert KEY not in "".join(path.read_text("utf-8", "replace") for path in desk.core.data_dir.rglob("*.json"))


async def test_a_name_can_be_changed_and_a_narrow_window_keeps_it_readable(desk: Desk) -> None:
    desk.set_up("http://127.0.0.1:9/v1", "a")
    detail = desk.providers.detail
    detail.name.setText("At work")
    detail.name.editingFinished.emit()
    assert desk.provider().name == "At work"
    assert detail.title.text() == "At work"
    table = detail.models.table
    assert not any(table.isColumnHidden(column) for column in range(6))
    desk.page.resize(760, 520)
    await desk.until(lambda: table.isColumnHidden(4) and detail.viewport().width() > 400)
    assert not table.isColumnHidden(0)
    assert not table.isColumnHidden(5)
    assert table.width() <= detail.viewport().width()
