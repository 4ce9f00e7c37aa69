"""Which way a request takes to the network: the one resolver of proxies, for all traffic.

Invariants: a loopback address is never reached through a proxy; the settings are read for each request, so a
change counts at once; a proxy's password lies in the keychain and is in no message; what cannot be used is said
in words before anything is sent, never passed by.
"""

import ipaddress
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from deepchat_desktop.domain.errors import ConfigError
from deepchat_desktop.domain.settings import ProxySettings
from deepchat_desktop.services.http import is_loopback
from deepchat_desktop.services.proxy_system import SystemProxies, system_proxies

PROXY_KEY = "proxy"
"""The name of the proxy's password in the keychain."""
Way = Callable[[str], Awaitable["Route"]]
"""Gives the route to a URL."""
_SCHEMES = ("http", "https", "socks5", "socks5h")


@dataclass(frozen=True)
class Route:
    """``proxy`` is the address to go through, with its password, or None; ``shown`` is what may be shown of it."""

    proxy: str | None = None
    shown: str = ""


DIRECT = Route()


async def direct(_url: str) -> Route:
    """Be the way to whatever is reached without a proxy."""
    return DIRECT


async def no_password() -> str | None:
    """Be the password of a proxy that asks for none."""
    return None


class ProxyResolver:
    """Knows the user's choice and the system's."""

    def __init__(
        self,
        settings: Callable[[], ProxySettings],
        password: Callable[[], Awaitable[str | None]] = no_password,
        system: Callable[[], Awaitable[SystemProxies]] = system_proxies,
    ) -> None:
        self._settings = settings
        self._password = password
        self._system = system

    async def route(self, url: str) -> Route:
        """Return the way to ``url``. Raises ``ConfigError`` (code ``bad_proxy``) for an unusable setting."""
        settings = self._settings()
        if settings.mode == "none" or is_loopback(url):
            return DIRECT
        if settings.mode == "custom":
            if _excepted(urlsplit(url).hostname or "", settings.except_hosts):
                return DIRECT
            return _route(checked_proxy(settings.address), settings.user, await self._password())
        found = await self._system()
        if _excepted(urlsplit(url).hostname or "", found.except_hosts):
            return DIRECT
        address = found.proxy_for(urlsplit(url).scheme)
        return _route(_with_scheme(address), "", None) if address else DIRECT


def checked_proxy(address: str) -> str:
    """Return a proxy's address as a URL. Raises ``ConfigError`` (code ``bad_proxy``) saying what is wrong."""
    text = _with_scheme(address.strip())
    try:
        parts = urlsplit(text)
        usable = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable or any(char.isspace() or not char.isprintable() for char in text):
        raise _bad("The proxy's address is not usable. It looks like http://host:3128 or socks5://host:1080.")
    if parts.scheme not in _SCHEMES:
        raise _bad(f"Proxies of the kind {parts.scheme!r} cannot be used. These can: {', '.join(_SCHEMES)}.")
    if parts.username is not None or parts.password is not None:
        raise _bad("Name and password of the proxy do not belong into its address. Enter them in their own fields.")
    return text


def _with_scheme(address: str) -> str:
    return address if "://" in address else f"http://{address}"


def _bad(text: str) -> ConfigError:
    return ConfigError(text, code="bad_proxy")


def _route(url: str, user: str, password: str | None) -> Route:
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
    shown = f"{host}:{parts.port}" if parts.port else host
    if user:
        own = quote(user, safe="") + (f":{quote(password, safe='')}" if password else "")
        return Route(f"{parts.scheme}://{own}@{shown}", shown)
    return Route(url, shown)


def _excepted(host: str, exceptions: tuple[str, ...]) -> bool:
    """Tell whether a host is reached directly: ``*``, whole labels ("example.org", ".example.org"), or a network."""
    name = host.lower().rstrip(".")
    for entry in exceptions:
        rule = entry.strip().lower()
        if rule == "*" or _in_network(name, rule):
            return True
        domain = rule.removeprefix("*").strip(".")
        if domain and (name == domain or name.endswith(f".{domain}")):
            return True
    return False


def _in_network(host: str, rule: str) -> bool:
    if "/" not in rule:
        return False
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(rule, strict=False)
    except ValueError:
        return False
