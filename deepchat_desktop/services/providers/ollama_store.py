"""The models that an Ollama server keeps: fetching one with its progress, and deleting one.

Source: Ollama's API documentation, "Pull a Model" and "Delete a Model". Leaving the iterator ends the fetch; the
server keeps the parts that came and goes on from there next time. Raises ``ProviderError`` and ``ConfigError`` only.
"""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from deepchat_desktop.domain.errors import ProviderError
from deepchat_desktop.domain.stream import StreamError
from deepchat_desktop.services.providers.base import Endpoint
from deepchat_desktop.services.providers.base_url import checked_url
from deepchat_desktop.services.providers.transport import Transport, WireFailure, refuse_plain_key
from deepchat_desktop.services.providers.wire_errors import classify
from deepchat_desktop.services.providers.wire_json import as_count, as_dict, as_text

LONGEST_LINE = 1 << 20


@dataclass(frozen=True)
class PullStep:
    """How far a fetch is. ``status`` is the server's word; bytes of all parts known so far, 0 while none is."""

    status: str
    done: int = 0
    total: int = 0


class OllamaStore:
    """The store of one server."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    async def pull(self, model: str) -> AsyncGenerator[PullStep, None]:
        """Have the server fetch a model; yields its progress and ends when the model is there."""
        parts: dict[str, tuple[int, int]] = {}
        status, failure = "", None
        async with aclosing(self._lines("POST", "/api/pull", model)) as lines:
            async for line in lines:
                if "error" in line:
                    failure = classify(None, {}, line, mask=self._endpoint.mask)
                    continue
                status = as_text(line.get("status")) or status
                if digest := as_text(line.get("digest")):
                    parts[digest] = (as_count(line.get("completed")) or 0, as_count(line.get("total")) or 0)
                done, total = (sum(each[place] for each in parts.values()) for place in (0, 1))
                yield PullStep(status, done, total)
        if failure is not None:
            raise _told(failure)
        if status != "success":
            raise ProviderError("The server stopped before the model was there. Try again.", code="truncated_stream")

    async def delete(self, model: str) -> None:
        """Delete a model from the server's disk."""
        async with aclosing(self._lines("DELETE", "/api/delete", model)) as lines:
            async for _line in lines:
                pass

    async def _lines(self, method: str, path: str, model: str) -> AsyncGenerator[dict[str, Any], None]:
        """Send a request about a model and yield the objects of its answer, one a line."""
        endpoint, url = self._endpoint, store_url(self._endpoint.base_url, path)
        headers = {"Content-Type": "application/json", **endpoint.headers, **await endpoint.secret_headers()}
        if key := await endpoint.key():
            headers.setdefault("Authorization", f"Bearer {key}")
        transport = Transport(endpoint)
        if (refusal := refuse_plain_key(url, headers)) is not None:
            raise _told(refusal)
        refused = None
        try:
            content = json.dumps({"model": model}).encode()
            async with transport.request(method, url, headers, content) as response:
                if response.status >= 300:
                    body = await response.read_error()
                    refused = classify(response.status, response.headers, body, mask=endpoint.mask)
                rest = b""
                async for chunk in response.chunks:
                    *whole, rest = (rest + chunk).split(b"\n")
                    for line in whole:
                        if found := _object(line):
                            yield found
                    rest = rest[:LONGEST_LINE]
                if found := _object(rest):
                    yield found
        except WireFailure as failure:
            raise _told(failure.event) from None
        finally:
            await transport.aclose()
        if refused is not None:
            raise _told(refused)


def _told(event: StreamError) -> ProviderError:
    return ProviderError(event.message, code=event.error, retryable=event.retryable)


def store_url(base_url: str, path: str) -> str:
    """Return the address of a native endpoint, also for a base URL of the compatible API. Raises ``ConfigError``."""
    scheme, netloc, given, _, _ = urlsplit(checked_url(base_url.strip().removesuffix("#")))
    root = given.rstrip("/").removesuffix("/chat").removesuffix("/api").removesuffix("/v1")
    return urlunsplit((scheme, netloc, root + path, "", ""))


def _object(line: bytes) -> dict[str, Any]:
    """Return a line's object, an empty one for what is none."""
    try:
        return as_dict(json.loads(line)) if line.strip() else {}
    except (ValueError, RecursionError):
        return {}
