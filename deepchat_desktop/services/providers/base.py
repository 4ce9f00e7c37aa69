"""What every model server looks like to the rest of the program.

A provider turns a ``ModelRequest`` into ``ProviderEvent``s; a decoder does the same for bytes that are already
here. Both end with exactly one ``Stop`` or ``StreamError``, and neither raises for what a server sent.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from deepchat_desktop.domain.prompt import ModelRequest
from deepchat_desktop.domain.settings import ModelSettings
from deepchat_desktop.domain.stream import ProviderEvent
from deepchat_desktop.services.providers.exchange import ExchangeLog
from deepchat_desktop.services.proxy import Way, direct


async def no_key() -> str | None:
    """Be the key of a server that needs none."""
    return None


async def no_headers() -> dict[str, str]:
    """Be the further headers of a server that wants none."""
    return {}


def unmasked(text: str) -> str:
    """Be the mask of an endpoint that has no key."""
    return text


@dataclass(frozen=True)
class Timeouts:
    """Limits in seconds. There is no limit on the whole: a long answer is a good answer."""

    connect: float = 15.0
    first_byte: float = 300.0
    """From sending to the first byte of the body; a server that only sent its headers is still silent."""
    idle: float = 180.0
    """Between two bytes of the body. Comments and pings count as life."""


@dataclass(frozen=True)
class Endpoint:
    """Where a model server is and how to speak to it.

    ``family`` names who made an opaque part, so that it goes back to nobody else. ``key`` is asked for each
    request; ``options`` are the style's own settings (an API version, a region); ``mask`` blanks every known key
    out of a text; ``route`` is asked for the proxy of each request.
    """

    base_url: str
    family: str = "generic"
    headers: dict[str, str] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    key: Callable[[], Awaitable[str | None]] = no_key
    timeouts: Timeouts = Timeouts()
    keepalive: bool = True
    mask: Callable[[str], str] = unmasked
    route: Way = direct
    requests_per_minute: float | None = None
    secret_headers: Callable[[], Awaitable[dict[str, str]]] = no_headers
    """Further headers, from the keychain, asked for each request."""
    log: ExchangeLog = field(default_factory=ExchangeLog)


class Provider(Protocol):
    """A model server."""

    def stream(self, request: ModelRequest) -> AsyncIterator[ProviderEvent]:
        """Send one round and yield what comes back.

        Never raises but ``CancelledError``; the last event is the only ``Stop`` or ``StreamError``. Closing
        the iterator closes the connection.
        """
        ...

    async def list_models(self) -> tuple[ModelSettings, ...]:
        """Return the server's models with what it tells of them. Raises ``ProviderError``."""
        ...

    async def aclose(self) -> None:
        """Close all connections."""
        ...


class Decoder(Protocol):
    """Bytes of a body in, events out; the cuts between the bytes do not matter."""

    def feed(self, data: bytes) -> list[ProviderEvent]:
        """Take the next bytes. After the last event everything is ignored."""
        ...

    def finish(self) -> list[ProviderEvent]:
        """Take the end of the body."""
        ...
