"""The keyboard on the providers page: the focus never lands in another field by itself, and every control is named."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from tests.fakes.chat_answers import chat
from tests.fakes.wire_server import Answer, Gate, WireServer, json_answer, model_list
from tests.ui.settings.conftest import Desk

pytestmark = pytest.mark.anyio
KEY = "SENTINEL-KEY-NOT-A-REAL-ONE-0001"


def press(widget: QWidget, key: Qt.Key = Qt.Key.Key_Space) -> None:
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(widget, key)


async def test_a_check_keeps_the_focus_and_is_asked_once(desk: Desk, server: WireServer) -> None:
    held = Answer(steps=(Gate("list"), b'{"data": [{"id": "a"}]}'), headers={"content-type": "application/json"})
    server.routes["/models"] = held
    server.add(chat("OK"))
    desk.set_up(server.base_url, "a")
    detail = desk.providers.detail
    for button in (detail.check, detail.models.refresh):
        press(button)
        press(button)
        assert desk.shell.settings.is_busy("p")
        assert button.hasFocus()
        assert detail.result.words.text() == "Asking the server…"
    server.release("list")
    await desk.settled()
    assert detail.models.refresh.hasFocus()
    assert [request.method for request in server.requests] == ["GET", "POST"]


async def test_what_goes_away_gives_the_focus_to_what_it_was_about(desk: Desk, server: WireServer) -> None:
    server.routes["/models"] = json_answer({"error": {"message": "on fire"}}, 500)
    desk.set_up(server.base_url)
    detail = desk.providers.detail
    desk.shell.settings.check("p")
    await desk.settled()
    press(detail.result.step)
    assert detail.check.hasFocus()
    await desk.settled()
    QTest.keyClicks(detail.key, KEY)
    press(detail.save)
    assert detail.key.hasFocus()
    assert desk.provider().name == "P"
    await desk.until(lambda: desk.shell.settings.key_place("p"))
    await desk.settled()


async def test_a_fetch_leads_the_focus_to_its_stop_and_back(desk: Desk, server: WireServer) -> None:
    server.routes["/api/pull"] = Answer(steps=(b'{"status":"pulling manifest"}\n', Gate("end")))
    desk.set_up(server.origin, api="ollama")
    pull = desk.providers.detail.pull
    QTest.keyClicks(pull.name, "a:1b")
    press(pull.start)
    assert pull.stop.hasFocus()
    press(pull.stop)
    await desk.until(pull.start.isVisible)
    assert pull.name.hasFocus()


async def test_the_end_of_the_order_leads_the_focus_to_the_other_way(desk: Desk) -> None:
    for key in ("one", "two"):
        desk.set_up("http://127.0.0.1:9/v1", "m", key=key)
    press(desk.providers.up)
    assert desk.providers.down.hasFocus()
    assert not desk.providers.up.isEnabled()


async def test_what_is_wrong_stays_with_what_was_entered(desk: Desk, server: WireServer) -> None:
    server.routes["/models"] = model_list(["a"])
    desk.set_up(server.base_url)
    detail = desk.providers.detail
    detail.limit.setText("many")
    detail.limit.editingFinished.emit()
    desk.shell.settings.refresh("p")
    await desk.settled()
    assert (detail.limit.text(), detail.wrong.isVisible()) == ("many", True)
    QTest.keyClicks(detail.limit, "x")
    assert not detail.wrong.isVisible()


async def test_a_new_provider_comes_into_sight(desk: Desk) -> None:
    for number in range(30):
        desk.set_up("http://127.0.0.1:9/v1", key=f"p{number}")
    row = desk.providers._buttons["p29"]
    await desk.until(lambda: not row.visibleRegion().isEmpty())


async def test_every_control_is_reached_and_named(desk: Desk, server: WireServer) -> None:
    server.routes["/models"] = json_answer({"error": {"message": "no"}}, 401)
    desk.set_up(server.origin, "a", api="ollama", headers={"X-Org": "blue"})
    desk.shell.settings.check("p")
    await desk.settled()
    page = desk.page
    wanted = {
        each
        for each in page.findChildren(QWidget)
        if each.isVisible() and each.isEnabled() and each.focusPolicy() & Qt.FocusPolicy.TabFocus
    }
    assert [each for each in wanted if not each.accessibleName()] == []
    page.back.setFocus(Qt.FocusReason.TabFocusReason)
    reached: list[QWidget] = []
    while (focus := QApplication.focusWidget()) is not None and focus not in reached:
        reached.append(focus)
        QTest.keyClick(focus, Qt.Key.Key_Tab)
    assert wanted - set(reached) == set()
    detail = desk.providers.detail
    order = [page._group.button(1), desk.providers.add_button, desk.providers._buttons["p"], detail.enabled,
             detail.key, detail.check, detail.result.step, detail.address, detail.name, detail.limit,
             detail.options.fields["num_ctx"], detail.models.filter, detail.models.refresh, detail.models.table,
             detail.models.new, detail.pull.name, *detail.headers.removers, detail.headers.name, detail.diagnostics,
             detail.remove]  # fmt: skip
    places = [reached.index(each) for each in order]
    assert places == sorted(places)


async def test_the_arrows_go_through_the_pages_and_the_providers(desk: Desk) -> None:
    for key in ("one", "two"):
        desk.set_up("http://127.0.0.1:9/v1", "m", key=key)
    desk.providers.choose("one")
    await desk.until(desk.providers._buttons["one"].isVisible)
    press(desk.providers._buttons["one"], Qt.Key.Key_Down)
    assert desk.providers.detail.title.text() == "TWO"
    assert desk.providers._buttons["two"].hasFocus()
    press(desk.page._group.button(1), Qt.Key.Key_Up)
    assert desk.page.pages.currentIndex() == 0


async def test_escape_leaves_the_page_from_any_control(desk: Desk) -> None:
    desk.set_up("http://127.0.0.1:9/v1", "a")
    left: list[int] = []
    desk.page.left.connect(lambda: left.append(1))
    detail = desk.providers.detail
    for count, part in enumerate((detail.key, detail.check, detail.models.table, desk.providers._buttons["p"]), 1):
        press(part, Qt.Key.Key_Escape)
        assert len(left) == count
