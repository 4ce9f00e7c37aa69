"""The proxies that the operating system is set to.

Sources, in this order: the environment's ``http_proxy`` and kin (on Windows and macOS the system's own settings,
as Python's ``urllib`` reads them), then the settings of a GNOME-like desktop, which a program started by a double
click would not find in its environment. A script (PAC) is not run; it counts as no proxy and says so in the log.
"""

import ast
import asyncio
import logging
import shutil
import sys
import time
from dataclasses import dataclass, field
from urllib.request import getproxies

from deepchat_desktop.workers import spawn

DESKTOP_LIMIT_S = 2.0
DESKTOP_KEPT_S = 10.0
_SCHEMA = "org.gnome.system.proxy"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class SystemProxies:
    """``by_scheme`` maps "http", "https" and "all" to a proxy's address; ``except_hosts`` are reached directly."""

    by_scheme: dict[str, str] = field(default_factory=dict)
    except_hosts: tuple[str, ...] = ()

    def proxy_for(self, scheme: str) -> str | None:
        """Return the proxy for a scheme ("https"), or None."""
        return self.by_scheme.get(scheme) or self.by_scheme.get("all")


async def system_proxies() -> SystemProxies:
    """Return the system's proxies as they are now; on a Linux desktop it may take up to 2 s."""
    found = dict(getproxies())
    if found:
        hosts = found.pop("no", "").split(",")
        return SystemProxies(found, tuple(host.strip() for host in hosts if host.strip()))
    return await _desktop.read() if sys.platform.startswith("linux") else SystemProxies()


class _Desktop:
    """The desktop's settings, asked at most every ten seconds."""

    def __init__(self) -> None:
        self._found = SystemProxies()
        self._until = 0.0

    async def read(self) -> SystemProxies:
        if time.monotonic() >= self._until:
            self._until = time.monotonic() + DESKTOP_KEPT_S
            program = shutil.which("gsettings")
            self._found = from_gsettings(await _ask(program)) if program else SystemProxies()
        return self._found


_desktop = _Desktop()


async def _ask(program: str) -> str:
    try:
        process = await spawn.start([program, "list-recursively", _SCHEMA], spawn.child_environment())
    except OSError as error:
        _log.info("The desktop's proxy settings could not be read: %s", error)
        return ""
    try:
        async with asyncio.timeout(DESKTOP_LIMIT_S):
            told, _ = await process.communicate()
    except TimeoutError:
        _log.info("The desktop's proxy settings were not told in time.")
        return ""
    finally:
        await spawn.stop(process)
    return told.decode("utf-8", "replace")


def from_gsettings(listing: str) -> SystemProxies:
    """Read lines of ``schema key value`` with GVariant values; anything else in them is passed over."""
    values: dict[str, object] = {}
    for line in listing.splitlines():
        schema, _, rest = line.partition(" ")
        key, _, text = rest.partition(" ")
        try:
            values[f"{schema.removeprefix(_SCHEMA).lstrip('.')} {key}".strip()] = ast.literal_eval(
                text.removeprefix("@as ")
            )
        except (ValueError, SyntaxError):
            continue  # booleans are written "true": none of them matters here
    if values.get("mode") == "auto":
        _log.info("The desktop's proxy is set by a script, which is not run: connections go out directly.")
    if values.get("mode") != "manual":
        return SystemProxies()
    hosts = values.get("ignore-hosts")
    return SystemProxies(
        {name: address for name in ("http", "https", "all") if (address := _address(values, name))},
        tuple(host for host in hosts if isinstance(host, str)) if isinstance(hosts, list) else (),
    )


def _address(values: dict[str, object], name: str) -> str | None:
    kind, scheme = ("socks", "socks5") if name == "all" else (name, "http")
    host, port = values.get(f"{kind} host"), values.get(f"{kind} port")
    return f"{scheme}://{host}:{port}" if host and isinstance(port, int) and port > 0 else None
