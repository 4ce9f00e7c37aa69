"""Sends one request and reads its body as it comes: limits, pacing, and the one silent retry.

Invariants: no total limit; headers are not the first byte; every byte restarts the idle limit; leaving the
context closes the connection at once; a request is repeated only if a kept connection died before any byte of
the answer came. A key leaves this computer over TLS only, and nothing here puts an address or a header into a
message.
"""

import asyncio
import re
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from deepchat_desktop.domain.stream import StreamError
from deepchat_desktop.services.http import is_loopback, new_client
from deepchat_desktop.services.providers.base import Endpoint
from deepchat_desktop.services.providers.base_url import shown_host
from deepchat_desktop.services.providers.error_text import QUERY_SECRET
from deepchat_desktop.services.providers.exchange import Exchange
from deepchat_desktop.services.providers.wire_errors import error_event
from deepchat_desktop.services.proxy import Route

if TYPE_CHECKING:
    import httpx

PACE_AFTER_S = 0.004
PACE_S = 0.012
MAX_ERROR_BODY = 256 * 1024
_DRAIN_S = 0.2
_ERROR_IDLE_S = 10.0
_DECODED = frozenset({"", "identity", "gzip", "deflate"})
_SECRET_HEADER = re.compile(r"auth|key|token|secret|cookie", re.IGNORECASE)


class WireFailure(Exception):
    """The transport failed; ``event`` is what the stream ends with."""

    def __init__(self, event: StreamError) -> None:
        super().__init__(event.message)
        self.event = event


class _KeptConnectionDied(Exception):
    """The server had closed a kept connection before it could read the request."""


class Pace:
    """Lets the socket collect while a fast server streams.

    A network read under the Qt event loop costs 150 to 200 microseconds; a server that sends each token alone
    would eat half a core at 1,000 tokens a second. So after 4 ms of reading the next read waits 12 ms.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since = clock()

    async def rest(self) -> bool:
        """Pause if reading has gone on for more than 4 ms since the last pause; tell whether it did."""
        if self._clock() - self._since <= PACE_AFTER_S:
            return False
        await asyncio.sleep(PACE_S)
        self._since = self._clock()
        return True


class WireResponse:
    """An answer whose headers are here. ``chunks`` yields the decoded body as it comes, once.

    ``idle_s`` is the longest silence between two bytes; a reader that has all it needs may lower it.
    """

    def __init__(
        self, response: "httpx.Response", host: str, deadline: float, idle_s: float, exchange: Exchange
    ) -> None:
        self.status = response.status_code
        self.headers = dict(response.headers)
        self.idle_s = idle_s
        exchange.status, exchange.answer_headers = self.status, self.headers
        self._exchange = exchange
        self.chunks = self._read(response, host, deadline)

    async def _read(self, response: "httpx.Response", host: str, deadline: float) -> AsyncGenerator[bytes, None]:
        import httpx

        pace = Pace()
        body = response.aiter_bytes()
        try:
            while True:
                async with asyncio.timeout_at(deadline):
                    chunk = await anext(body, None)
                if chunk is None:
                    return
                if chunk:
                    self._exchange.received.add(chunk)
                    yield chunk
                    await pace.rest()
                deadline = asyncio.get_running_loop().time() + self.idle_s
        except (httpx.HTTPError, OSError, ValueError) as error:
            failure = WireFailure(explained(error, host))
            self._exchange.failure = failure.event.message
            raise failure from None

    async def read_error(self) -> bytes:
        """Return the beginning of an error body, at most 256 kB, or what came of it before the connection broke."""
        self.idle_s = min(self.idle_s, _ERROR_IDLE_S)
        body = bytearray()
        try:
            async for chunk in self.chunks:
                body += chunk
                if len(body) >= MAX_ERROR_BODY:
                    break
        except WireFailure:
            return bytes(body)
        return bytes(body[:MAX_ERROR_BODY])

    async def drain(self) -> None:
        """Read the last bytes of a finished answer, for at most 0.2 s, so that its connection can be used again."""
        try:
            async with asyncio.timeout(_DRAIN_S):
                async for _ in self.chunks:
                    pass
        except (TimeoutError, WireFailure):
            # The answer is complete already; the connection is closed instead of kept.
            return


class Transport:
    """The connections to one model server."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._clients: dict[tuple[bool, str | None], httpx.AsyncClient] = {}

    async def aclose(self) -> None:
        """Close all connections."""
        for client in self._clients.values():
            await client.aclose()
        self._clients.clear()

    @asynccontextmanager
    async def request(
        self,
        method: str,
        url: str,
        headers: dict[str, str],
        content: bytes | None = None,
        *,
        first_byte_s: float | None = None,
    ) -> AsyncGenerator[WireResponse, None]:
        """Send a request and give its answer. Raises ``WireFailure``, also from within ``chunks``."""
        import httpx

        limits = self._endpoint.timeouts
        deadline = asyncio.get_running_loop().time() + min(limits.first_byte, first_byte_s or limits.first_byte)
        route = await self._endpoint.route(url)
        exchange = self._endpoint.log.begin(method, url, headers, content, route.shown)
        try:
            response = await self._send(method, url, headers, content, deadline, route)
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
            failure = WireFailure(explained(error, shown_host(url), route.shown))
            exchange.failure = failure.event.message
            raise failure from None
        answer = WireResponse(response, shown_host(url), deadline, limits.idle, exchange)
        try:
            if response.headers.get("content-encoding", "").strip().lower() not in _DECODED:
                raise WireFailure(error_event("server", "The server answered in an encoding that was not asked for."))
            yield answer
        finally:
            self._endpoint.log.end(exchange)
            await answer.chunks.aclose()
            await response.aclose()

    async def _send(
        self, method: str, url: str, headers: dict[str, str], content: bytes | None, deadline: float, route: Route
    ) -> "httpx.Response":
        """Send a request; once more on a new connection if a kept one turns out to be dead."""
        if self._endpoint.keepalive:
            with suppress(_KeptConnectionDied):
                return await self._send_once(method, url, headers, content, deadline, route, fresh=False)
        return await self._send_once(method, url, headers, content, deadline, route, fresh=True)

    async def _send_once(
        self,
        method: str,
        url: str,
        headers: dict[str, str],
        content: bytes | None,
        deadline: float,
        route: Route,
        *,
        fresh: bool,
    ) -> "httpx.Response":
        import httpx

        opened: list[str] = []

        async def trace(name: str, _info: dict[str, Any]) -> None:
            if name.startswith("connection.connect_"):
                opened.append(name)

        client = self._client(url, route.proxy, fresh=fresh)
        request = client.build_request(method, url, headers=headers, content=content, extensions={"trace": trace})
        try:
            async with asyncio.timeout_at(deadline):
                return await client.send(request, stream=True)
        except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
            # No byte of an answer was received, so sending again is safe. A new connection that fails is real.
            if fresh or opened:
                raise
            raise _KeptConnectionDied from None

    def _client(self, url: str, proxy: str | None, *, fresh: bool) -> "httpx.AsyncClient":
        if (fresh, proxy) not in self._clients:
            connect_s = self._endpoint.timeouts.connect
            self._clients[fresh, proxy] = new_client(url, keepalive=not fresh, connect_s=connect_s, proxy=proxy)
        return self._clients[fresh, proxy]


def explained(error: Exception, host: str, proxy: str = "") -> StreamError:
    """Say what a failed connection means. The error's own text may hold the address: it is not shown."""
    import httpx

    if proxy and isinstance(error, httpx.ProxyError | httpx.ConnectError | httpx.ConnectTimeout):
        asked = isinstance(error, httpx.ProxyError) and "407" in str(error)
        advice = "It wants a name and a password" if asked else "It cannot be reached or refuses the connection"
        return error_event("network", f"{host} is reached through the proxy {proxy}. {advice}: check it in Settings.")
    match error:
        case httpx.ConnectTimeout() | httpx.ConnectError():
            refused = f"{host} cannot be reached. Check the address, the network, and that the server runs."
            secure = isinstance(error, httpx.ConnectError) and "CERTIFICATE" in str(error).upper()
            return error_event("network", f"The certificate of {host} is not trusted." if secure else refused)
        case TimeoutError() | httpx.TimeoutException():
            return error_event("timeout", f"{host} has sent nothing for too long.")
        case httpx.DecodingError():
            return error_event("network", f"The compressed answer of {host} is damaged.")
        case httpx.InvalidURL() | httpx.UnsupportedProtocol() | httpx.LocalProtocolError() | ValueError():
            return error_event("bad_request", "The address, a header or the key cannot be sent as it is.")
        case _:
            return error_event("network", f"The connection to {host} broke.")


def refuse_plain_key(url: str, headers: dict[str, str]) -> StreamError | None:
    """Return the refusal of a request that would send a key unencrypted to another computer, else None."""
    in_url = "@" in url.split("/")[2] or QUERY_SECRET.search(url) is not None
    secret = in_url or any(_SECRET_HEADER.search(name) for name in headers)
    if not secret or url.lower().startswith("https://") or is_loopback(url):
        return None
    return error_event(
        "bad_request",
        f"The key for {shown_host(url)} would travel unencrypted, so nothing was sent. Use https:// in the base URL; "
        "plain http:// is for servers on this computer, or without a key.",
    )
