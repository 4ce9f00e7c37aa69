"""Which way a request takes: every choice, every exception, and what cannot be used."""

import pytest

from deepchat_desktop.domain.errors import ConfigError
from deepchat_desktop.domain.settings import ProxySettings
from deepchat_desktop.services.proxy import DIRECT, ProxyResolver, Route, checked_proxy
from deepchat_desktop.services.proxy_system import SystemProxies, from_gsettings, system_proxies

OUT = "https://api.example.org/v1"


async def secret() -> str:
    return "p@ss/word"


async def system() -> SystemProxies:
    return SystemProxies({"https": "corp.example:3128", "all": "socks5://corp.example:1080"}, ("intra.example",))


def resolver(settings: ProxySettings) -> ProxyResolver:
    return ProxyResolver(lambda: settings, secret, system)


@pytest.mark.anyio
@pytest.mark.parametrize("url", ["http://127.0.0.1:1/v1", "http://localhost/v1", "http://[::1]:8/v1"])
@pytest.mark.parametrize("mode", ["system", "none", "custom"])
async def test_this_computer_is_reached_directly(url: str, mode: str) -> None:
    settings = ProxySettings.model_validate({"mode": mode, "address": "proxy.example:1"})
    assert await resolver(settings).route(url) == DIRECT


@pytest.mark.anyio
async def test_the_choices() -> None:
    custom = ProxySettings(mode="custom", address="proxy.example:3128", user="me@corp")
    assert await resolver(ProxySettings(mode="none")).route(OUT) == DIRECT
    assert await resolver(ProxySettings()).route(OUT) == Route("http://corp.example:3128", "corp.example:3128")
    assert (await resolver(ProxySettings()).route("http://api.example.org")).proxy == "socks5://corp.example:1080"
    assert await resolver(ProxySettings()).route("https://a.intra.example") == DIRECT
    assert await resolver(custom).route(OUT) == Route(
        "http://me%40corp:p%40ss%2Fword@proxy.example:3128", "proxy.example:3128"
    )


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("rule", "url", "direct"),
    [
        ("*", OUT, True),
        ("example.org", OUT, True),
        (".example.org", OUT, True),
        ("*.example.org", OUT, True),
        ("xample.org", OUT, False),
        ("api.example.org.evil.test", OUT, False),
        ("10.0.0.0/8", "http://10.9.8.7", True),
        ("10.0.0.0/8", "http://11.9.8.7", False),
        ("10.0.0.0/8", "http://10.example.org", False),
        ("", OUT, False),
        (".", OUT, False),
    ],
)
async def test_exceptions(rule: str, url: str, direct: bool) -> None:
    settings = ProxySettings(mode="custom", address="proxy.example", except_hosts=(rule,))
    assert (await resolver(settings).route(url) == DIRECT) is direct


@pytest.mark.parametrize(
    "address", ["", "http://", "socks4://h:1", "http://me:pw@h:1", "ftp://h", "http://h:0", "http://h h", "http://[::1"]
)
def test_an_unusable_address_is_said_so(address: str) -> None:
    with pytest.raises(ConfigError) as caught:
        checked_proxy(address)
    assert caught.value.code == "bad_proxy"
    assert "pw" not in caught.value.user_message


@pytest.mark.anyio
async def test_the_environment_is_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://env.example:1")
    monkeypatch.setenv("no_proxy", "a.example, b.example")
    found = await system_proxies()
    assert found.proxy_for("https") == "http://env.example:1"
    assert found.except_hosts == ("a.example", "b.example")


LISTING = """org.gnome.system.proxy use-same-proxy true
org.gnome.system.proxy mode 'manual'
org.gnome.system.proxy autoconfig-url ''
org.gnome.system.proxy ignore-hosts ['localhost', '10.0.0.0/8']
org.gnome.system.proxy.http host 'desk.example'
org.gnome.system.proxy.http port 8080
org.gnome.system.proxy.https host 'desk.example'
org.gnome.system.proxy.https port 8443
org.gnome.system.proxy.socks host ''
org.gnome.system.proxy.socks port 0
"""


def test_a_desktop_s_settings() -> None:
    assert from_gsettings(LISTING) == SystemProxies(
        {"http": "http://desk.example:8080", "https": "http://desk.example:8443"}, ("localhost", "10.0.0.0/8")
    )
    for mode in ("none", "auto"):
        assert from_gsettings(LISTING.replace("manual", mode)) == SystemProxies()
    assert from_gsettings("nonsense\n\n") == SystemProxies()
    socks = LISTING.replace("socks host ''", "socks host 's.example'").replace("socks port 0", "socks port 1080")
    assert from_gsettings(socks).by_scheme["all"] == "socks5://s.example:1080"
