"""Whether a server on the network can be reached, and by which way: one request without a key."""

import asyncio
from dataclasses import dataclass

from deepchat_desktop.domain.errors import DeepChatError
from deepchat_desktop.services.http import new_client
from deepchat_desktop.services.providers.base_url import shown_host
from deepchat_desktop.services.providers.transport import explained
from deepchat_desktop.services.proxy import Way

LIMIT_S = 15.0


@dataclass(frozen=True)
class Reached:
    """``proxy`` is what may be shown of the proxy that was used, "" for none; ``words`` say what went wrong."""

    ok: bool
    host: str
    proxy: str = ""
    words: str = ""


async def reach(url: str, way: Way, limit_s: float = LIMIT_S) -> Reached:
    """Ask a server for its front page; any answer of its own means that it is reached. Never raises for the network."""
    import httpx

    target = url.strip().removesuffix("#")
    host = shown_host(target)
    proxy = ""
    try:
        route = await way(target)
        proxy = route.shown
        async with (
            asyncio.timeout(limit_s),
            new_client(target, keepalive=False, proxy=route.proxy) as client,
            client.stream("HEAD", target) as response,
        ):
            if response.status_code == 407:
                raise httpx.ProxyError("407")
    except DeepChatError as error:
        return Reached(False, host, proxy, error.user_message)
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
        return Reached(False, host, proxy, explained(error, host, proxy).message)
    return Reached(True, host, proxy)
