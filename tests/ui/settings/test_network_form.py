"""The proxy: what is entered counts at once, what cannot be used is told in place, a test names the way."""

import base64

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from deepchat_desktop.domain.settings import ProxySettings
from deepchat_desktop.ui.settings.general import GeneralPage
from deepchat_desktop.ui.settings.network import NetworkForm
from tests.fakes.wire_server import Answer, WireServer
from tests.ui.settings.conftest import Desk

pytestmark = pytest.mark.anyio
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def form(desk: Desk) -> NetworkForm:
    desk.page.show_page(0)
    general = desk.page.pages.widget(0)
    assert isinstance(general, GeneralPage)
    return general.network


def enter(form: NetworkForm, address: str, **more: str) -> None:
    QTest.mouseClick(form.mode._buttons["custom"], LEFT)
    for field, words in ((form.address, address), *((getattr(form, name), words) for name, words in more.items())):
        field.setText(words)
        field.editingFinished.emit()


async def test_a_proxy_of_ones_own_is_kept_without_its_password(desk: Desk, form: NetworkForm) -> None:
    enter(form, "proxy.test:3128", user="me", exceptions="intra.test, 10.0.0.0/8 ;", password="SENTINEL-PASSWORD-1")
    assert desk.core.settings.proxy == ProxySettings(
        mode="custom", address="http://proxy.test:3128", user="me", except_hosts=("intra.test", "10.0.0.0/8")
    )
    assert form.password.text() == ""
    await desk.until(lambda: desk.core.secrets.only_in_memory("proxy"))
    assert "SENTINEL-PASSWORD-1" not in await desk.on_disk()


@pytest.mark.parametrize("address", ["ftp://proxy.test:21", "http://me:secret@proxy.test:3128", "http://"])
async def test_an_address_that_cannot_be_used_is_told_and_not_kept(
    desk: Desk, form: NetworkForm, address: str
) -> None:
    enter(form, address)
    assert form.wrong.isVisible()
    assert desk.core.settings.proxy == ProxySettings()
    assert form.address.text() == address


async def test_none_and_system_are_taken_at_once(desk: Desk, form: NetworkForm) -> None:
    QTest.mouseClick(form.mode._buttons["none"], LEFT)
    assert desk.core.settings.proxy.mode == "none"
    QTest.mouseClick(form.mode._buttons["system"], LEFT)
    assert desk.core.settings.proxy.mode == "system"


async def test_a_test_names_the_proxy_that_was_used(desk: Desk, form: NetworkForm) -> None:
    with WireServer([Answer(status=404, framing="length", headers={})]) as proxy:
        desk.set_up("http://models.test/v1")
        enter(form, proxy.base_url.removesuffix("/v1"), user="me", password="SENTINEL-PASSWORD-1")
        await desk.until(lambda: desk.core.secrets.only_in_memory("proxy"))
        QTest.mouseClick(form.test, LEFT)
        await desk.until(lambda: form.result.isVisible() and not form.result.busy)
        asked = proxy.requests[0]
    words = form.result.words.text()
    assert words.startswith("models.test answers, through the proxy 127.0.0.1:")
    assert "SENTINEL" not in words
    assert asked.path == "http://models.test/v1"
    login = base64.b64encode(b"me:SENTINEL-PASSWORD-1").decode()
    assert asked.headers["proxy-authorization"] == f"Basic {login}"


async def test_a_proxy_that_is_gone_is_named(desk: Desk, form: NetworkForm) -> None:
    with WireServer() as gone:
        pass
    desk.set_up("http://models.test/v1")
    enter(form, gone.base_url.removesuffix("/v1"))
    QTest.mouseClick(form.test, LEFT)
    await desk.until(lambda: form.result.isVisible() and not form.result.busy)
    assert f"through the proxy 127.0.0.1:{gone.port}" in form.result.words.text()


async def test_without_a_provider_on_the_network_there_is_nothing_to_test(desk: Desk, form: NetworkForm) -> None:
    desk.set_up("http://127.0.0.1:9/v1")
    QTest.mouseClick(form.test, LEFT)
    await desk.until(lambda: form.result.isVisible() and not form.result.busy)
    assert "Add a provider" in form.result.words.text()
