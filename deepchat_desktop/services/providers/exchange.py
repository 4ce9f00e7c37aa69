"""The last request to a provider and its answer, for a report that the user asks for.

Invariants: it lives in memory only and is bounded; what streams by costs one append for each read, never one for
each token; nothing leaves it but through ``report``, which blanks every key; a key that a cut goes through is cut
away whole.
"""

import re
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from deepchat_desktop.domain.visible_text import visible_exact
from deepchat_desktop.services.secrets_mask import MASK

SHOWN = 16 * 1024
"""Bytes of the beginning, and of the end, of a body that are shown."""
LONGEST_KEY = 512
"""A cut may go through a key: that much of a cut end is not shown."""
KEPT = SHOWN + LONGEST_KEY
SAFE_HEADERS = re.compile(
    r"(?:content-(?:type|length|encoding)|accept(?:-encoding)?|date|server|via|retry-after(?:-ms)?|(?:x-)?request-id"
    r"|x-ratelimit-[\w-]+|anthropic-(?:version|beta|ratelimit-[\w-]+)|openai-[\w-]+|cf-ray|transfer-encoding"
    r"|connection|user-agent|host)",
    re.IGNORECASE,
)
"""The headers whose values are shown. Any other may carry a secret, whatever its name."""


class Kept:
    """The beginning and the end of a body of any length. Reads are kept as they are; nothing is joined before asked."""

    def __init__(self) -> None:
        self.size = 0
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0

    def add(self, data: bytes) -> None:
        """Take the next bytes."""
        self.size += len(data)
        if room := KEPT - len(self._head):
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail.append(data[-KEPT:])
            self._tail_size += len(self._tail[-1])
            while self._tail_size - len(self._tail[0]) >= KEPT:
                self._tail_size -= len(self._tail.popleft())

    def text(self, mask: Callable[[str], str]) -> str:
        """Return what is kept, masked, with the number of bytes that are not."""
        joined = b"".join(self._tail)
        if len(self._head) + len(joined) == self.size:
            return mask(_readable(bytes(self._head) + joined))
        head = mask(_readable(bytes(self._head)))[:-LONGEST_KEY]
        tail = mask(_readable(joined[-KEPT:]))[LONGEST_KEY:]
        left_out = self.size - len(head.encode()) - len(tail.encode())
        return f"{head}\n[… {left_out:,} bytes are left out …]\n{tail}"


@dataclass
class Exchange:
    """One request and what came back so far. Times are seconds since 1970."""

    method: str
    url: str
    headers: dict[str, str]
    sent: Kept
    at: float
    proxy: str = ""
    status: int | None = None
    answer_headers: dict[str, str] = field(default_factory=dict)
    received: Kept = field(default_factory=Kept)
    failure: str = ""
    took_s: float | None = None


class ExchangeLog:
    """Keeps the last exchange of one provider."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self.last: Exchange | None = None

    def begin(self, method: str, url: str, headers: dict[str, str], content: bytes | None, proxy: str) -> Exchange:
        """Note a request that is about to be sent."""
        sent = Kept()
        sent.add(content or b"")
        self.last = Exchange(method, url, dict(headers), sent, self._clock(), proxy)
        return self.last

    def end(self, exchange: Exchange) -> None:
        """Note that an exchange is over, however."""
        exchange.took_s = self._clock() - exchange.at


def report(exchange: Exchange, mask: Callable[[str], str]) -> str:
    """Return an exchange as text, without secrets: what may be pasted into a public question."""
    at = datetime.fromtimestamp(exchange.at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    lines = [f"{at}, {_duration(exchange.took_s)}", f"{exchange.method} {mask(_without_query_secrets(exchange.url))}"]
    if exchange.proxy:
        lines.append(f"through the proxy {exchange.proxy}")
    lines += _headers(exchange.headers, mask)
    lines += ["", exchange.sent.text(mask) or "(no body)", "", "--- answer ---"]
    if exchange.status is not None:
        lines.append(f"status {exchange.status}")
        lines += _headers(exchange.answer_headers, mask)
        lines += ["", exchange.received.text(mask) or "(no body)"]
    if exchange.failure:
        lines.append(f"failed: {mask(exchange.failure)}")
    if exchange.status is None and not exchange.failure:
        lines.append("(nothing came back)")
    return "\n".join(lines)


def _duration(seconds: float | None) -> str:
    return "not ended" if seconds is None else f"{seconds:.2f} s"


def _headers(headers: dict[str, str], mask: Callable[[str], str]) -> list[str]:
    return [f"{name}: {mask(value) if SAFE_HEADERS.fullmatch(name) else MASK}" for name, value in headers.items()]


def _without_query_secrets(url: str) -> str:
    head, question, query = url.partition("?")
    shown = [
        f"{name}={value if name in ('api-version', 'alt', 'limit', 'pageSize') else MASK}"
        for name, _, value in (part.partition("=") for part in query.split("&"))
    ]
    return f"{head}?{'&'.join(shown)}" if question else head


def _readable(data: bytes) -> str:
    return visible_exact(data.decode("utf-8", "replace"), multiline=True)
