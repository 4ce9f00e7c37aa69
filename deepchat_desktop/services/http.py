"""The one place that builds HTTP clients.

Invariants: no environment variable changes where a request goes or whom it trusts; certificates are checked
against the system's store; redirects are never followed, so a key stays with the host it was meant for; a
loopback address is never reached through a proxy. httpx is imported inside the functions: it costs 0.2 s that
the first paint does not have.
"""

import ipaddress
import logging
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import httpx

WIRE_LOGGERS = ("httpx", "httpcore", "httpcore.connection", "httpcore.http11", "httpcore.proxy", "hpack", "h11")


def is_loopback(url: str) -> bool:
    """Tell whether a URL's host is this computer: ``localhost``, 127.0.0.0/8 or ::1."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def new_client(
    url: str, *, keepalive: bool = True, connect_s: float = 15.0, proxy: str | None = None
) -> "httpx.AsyncClient":
    """Return a client for one server, ``url`` being any address on it.

    Only the connect limit is the client's own; whoever reads a stream limits the reading. ``keepalive=False``
    opens a connection for each request (llama.cpp closes idle ones without a word).
    """
    import ssl

    import httpx
    import truststore

    quiet_http_logs()
    return httpx.AsyncClient(
        verify=truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
        trust_env=False,
        follow_redirects=False,
        proxy=None if is_loopback(url) else proxy,
        timeout=httpx.Timeout(None, connect=connect_s),
        limits=httpx.Limits(max_keepalive_connections=8 if keepalive else 0, keepalive_expiry=60.0),
        # Exactly what httpx decodes piece by piece without further packages.
        headers={"Accept-Encoding": "gzip, deflate"},
    )


def quiet_http_logs() -> None:
    """Raise the HTTP libraries' loggers to WARNING: at DEBUG they print every header, at INFO every URL."""
    for name in WIRE_LOGGERS:
        logger = logging.getLogger(name)
        if logger.level < logging.WARNING:
            logger.setLevel(logging.WARNING)
