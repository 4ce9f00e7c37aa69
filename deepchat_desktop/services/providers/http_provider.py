"""What all model servers behind HTTP share: one round is sent, its answer decoded, failures told in one way.

A style says where to send, what, under which headers and how to read it. Invariants: nothing is sent again once
an answer began; a field that a server refuses by name is left out and remembered for the model; a key goes only
where ``refuse_plain_key`` lets it; no message holds a key.
"""

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import Any, ClassVar

from deepchat_desktop.domain.errors import DeepChatError, ProviderError, SecretsError
from deepchat_desktop.domain.prompt import ModelRequest
from deepchat_desktop.domain.settings import ModelSettings
from deepchat_desktop.domain.stream import ProviderEvent, RateLimited, Stop, StreamError
from deepchat_desktop.services.providers.base import Endpoint
from deepchat_desktop.services.providers.error_body import read_error
from deepchat_desktop.services.providers.own_parts import marked, without_foreign_parts
from deepchat_desktop.services.providers.rate_limit import RateLimit
from deepchat_desktop.services.providers.stream_decoder import StreamDecoder
from deepchat_desktop.services.providers.tool_names import real_names, restored
from deepchat_desktop.services.providers.transport import (
    Transport,
    WireFailure,
    WireResponse,
    refuse_plain_key,
)
from deepchat_desktop.services.providers.wire_errors import classify, error_event, page_instead_of_answer
from deepchat_desktop.services.providers.wire_json import parse

MAX_REFUSED_FIELDS = 4
TOOL_FIELDS = frozenset({"tools", "toolConfig"})
"""Which a model that knows no function calling refuses."""
END_IDLE_S = 5.0
"""How long to wait for what follows the reason of the end: some servers never close."""
LIST_LIMIT_S = 30.0
MAX_LIST_BYTES = 16 * 1024 * 1024


class HttpProvider(ABC):
    """One server. ``refused`` remembers, for each model, the optional fields that it does not take."""

    given_up_once: ClassVar[frozenset[str]] = frozenset()
    """What is left out of one round only, since the refusal was about its value (a reasoning nobody can read)."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._transport = Transport(endpoint)
        self._limit = RateLimit(endpoint.requests_per_minute)
        self._refused: dict[str, frozenset[str]] = {}

    @abstractmethod
    def _url(self, request: ModelRequest) -> str:
        """Return where a round goes. Raises ``ConfigError`` for an unusable base URL."""

    @abstractmethod
    def _list_url(self) -> str:
        """Return where the list of models is. Raises ``ConfigError``."""

    @abstractmethod
    def _body(self, request: ModelRequest, url: str, refused: frozenset[str]) -> dict[str, Any]:
        """Return the body as a JSON value, without the fields that this model's server refused before."""

    @abstractmethod
    def _decoder(self) -> StreamDecoder:
        """Return a reader for one answer."""

    @abstractmethod
    def _models(self, body: object) -> tuple[ModelSettings, ...]:
        """Return the models of a list's JSON body."""

    def _refused_field(self, error_body: bytes, sent: dict[str, Any]) -> str | None:
        """Return what of ``sent`` a 400 or 422 says it does not take and a new try can do without, else None."""
        return None

    def _auth_headers(self, key: str, url: str) -> dict[str, str]:
        """Return the headers that carry the key, where the user's own headers do not replace them."""
        return {"Authorization": f"Bearer {key}"}

    def _wire_headers(self) -> dict[str, str]:
        """Return the headers that the style wants beside the common ones."""
        return {}

    async def aclose(self) -> None:
        """Close all connections."""
        await self._transport.aclose()

    async def stream(self, request: ModelRequest) -> AsyncIterator[ProviderEvent]:
        """Send one round; see ``Provider.stream``."""
        if request.tools and TOOL_FIELDS & self._refused.get(request.model, frozenset()):
            async with aclosing(self._with_text_tools(request)) as told:
                async for event in told:
                    yield event
            return
        back = real_names(tool.name for tool in request.tools)
        request = without_foreign_parts(request)
        try:
            url = self._url(request)
            headers = await self._headers(url)
            if wait_s := self._limit.delay_s():
                yield RateLimited(wait_s=wait_s)
            await self._limit.turn()
            async with aclosing(self._rounds(url, headers, request)) as events:
                async for event in events:
                    yield self._masked(marked(restored(event, back), request.model))
        except WireFailure as failure:
            yield self._masked(failure.event)
        except DeepChatError as error:
            yield self._masked(_own_failure(error))

    def _with_text_tools(self, request: ModelRequest) -> AsyncGenerator[ProviderEvent, None]:
        """Send a round to a model that knows no function calling: it is told of the tools in words."""
        from deepchat_desktop.services.providers.text_tools import TextTools

        return TextTools(self).stream(request)

    async def list_models(self) -> tuple[ModelSettings, ...]:
        """Return the server's models; see ``Provider.list_models``."""
        return self._models(await self._fetched("GET", self._list_url))

    async def _fetched(self, method: str, url_of: Callable[[], str], body: dict[str, Any] | None = None) -> object:
        """Return the JSON body of a small request. ``url_of`` gives its address. Raises ``ProviderError``."""
        content = None if body is None else _encoded(body)
        try:
            url = url_of()
            headers = await self._headers(url)
            async with self._transport.request(method, url, headers, content, first_byte_s=LIST_LIMIT_S) as response:
                if response.status == 200:
                    return _value(await _whole(response))
                event = classify(response.status, response.headers, await response.read_error())
        except WireFailure as failure:
            event = failure.event
        except DeepChatError as error:
            event = _own_failure(error)
        message = self._endpoint.mask(event.message)
        raise ProviderError(message, code=event.error, retryable=event.retryable)

    async def _rounds(
        self, url: str, headers: dict[str, str], request: ModelRequest
    ) -> AsyncGenerator[ProviderEvent, None]:
        """Send the request, and again without a field that the server refuses by name."""
        once: frozenset[str] = frozenset()
        for attempt in range(MAX_REFUSED_FIELDS + 1):
            refused = self._refused.get(request.model, frozenset()) | once
            body = self._body(request, url, refused)
            content = await asyncio.to_thread(_encoded, body)
            async with self._transport.request("POST", url, headers, content) as response:
                if response.status < 300:
                    async with aclosing(self._answer(response)) as events:
                        async for event in events:
                            yield event
                    return
                text = await response.read_error()
            field = self._refused_field(text, body) if response.status in (400, 422) else None
            if request.tools and (field in TOOL_FIELDS or _refuses_tools(response, text)):
                self._refused[request.model] = (refused - once) | {field or "tools"}
                async with aclosing(self._with_text_tools(request)) as told:
                    async for event in told:
                        yield event
                return
            if field is None or field in refused or attempt == MAX_REFUSED_FIELDS:
                yield classify(response.status, response.headers, text, mask=self._endpoint.mask)
                return
            if field in self.given_up_once:
                once |= {field}
            else:
                self._refused[request.model] = (refused - once) | {field}

    async def _answer(self, response: WireResponse) -> AsyncGenerator[ProviderEvent, None]:
        decoder = self._decoder()
        ended = False
        try:
            async for chunk in response.chunks:
                for event in decoder.feed(chunk):
                    ended = isinstance(event, Stop | StreamError)
                    yield event
                if ended:
                    await response.drain()
                    return
                if decoder.told_end:
                    response.idle_s = min(response.idle_s, END_IDLE_S)
        except WireFailure as failure:
            for event in decoder.finish():
                yield failure.event if isinstance(event, StreamError) and event.error == "truncated_stream" else event
            return
        for event in decoder.finish():
            yield event

    async def _headers(self, url: str) -> dict[str, str]:
        """Return the headers of a request. Raises ``WireFailure`` if the key must not go to that address."""
        key = await self._endpoint.key()
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream, application/json"}
        headers |= self._wire_headers()
        given = {**self._endpoint.headers, **await self._endpoint.secret_headers()}
        own = {name.lower() for name in given}
        if key and key.strip():
            keyed = self._auth_headers(key.strip(), url)
            headers |= {name: value for name, value in keyed.items() if name.lower() not in own}
        headers = {name: value for name, value in headers.items() if name.lower() not in own}
        headers.update(given)
        if (refusal := refuse_plain_key(url, headers)) is not None:
            raise WireFailure(refusal)
        return headers

    def _masked(self, event: ProviderEvent) -> ProviderEvent:
        """Blank keys out of the message of an error that came from inside the stream."""
        if isinstance(event, StreamError):
            return event.model_copy(update={"message": self._endpoint.mask(event.message)})
        return event


def _refuses_tools(response: WireResponse, body: bytes) -> bool:
    return classify(response.status, response.headers, body).error == "unsupported_feature"


def _own_failure(error: DeepChatError) -> StreamError:
    """Return what stopped us before anything was sent: no usable address, or a keychain that gives no key."""
    return error_event("auth" if isinstance(error, SecretsError) else "bad_request", error.user_message)


def _encoded(body: dict[str, Any]) -> bytes:
    # Lone surrogates (from file names, from broken tools) are no UTF-8 and would fail the request.
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _value(body: bytes) -> object:
    """Return a body's JSON value. Raises ``WireFailure`` for a web page: what answers is no model server."""
    value = parse(body)
    if value is None and read_error(body).is_page:
        raise WireFailure(page_instead_of_answer(body))
    return value


async def _whole(response: WireResponse) -> bytes:
    body = bytearray()
    async for chunk in response.chunks:
        body += chunk
        if len(body) > MAX_LIST_BYTES:
            raise WireFailure(error_event("server", "The server's list of models is larger than 16 MB."))
    return bytes(body)
