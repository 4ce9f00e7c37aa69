"""The adapter for Ollama's native API: the only one of its APIs that takes a context length."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from deepchat_desktop.domain.errors import ProviderError
from deepchat_desktop.domain.prompt import ModelCapabilities, ModelRequest
from deepchat_desktop.domain.settings import ModelSettings
from deepchat_desktop.domain.stream import ProviderEvent, Stop, UsageReported, Warned
from deepchat_desktop.services.providers.http_provider import HttpProvider
from deepchat_desktop.services.providers.ollama_decode import OllamaDecoder
from deepchat_desktop.services.providers.ollama_request import estimated_prompt, refused_field, request_body
from deepchat_desktop.services.providers.ollama_store import store_url
from deepchat_desktop.services.providers.wire_json import as_count, as_dict, as_list, as_text

CUT_FROM = 1_000
"""Prompts of fewer estimated tokens are not looked at: estimates of short ones say little."""
ASKED_AT_ONCE = 8
"""So many models are asked for their abilities at a time."""


class Ollama(HttpProvider):
    """One server. The option ``num_ctx`` is the context length that the user set, in tokens."""

    def _url(self, request: ModelRequest) -> str:
        return store_url(self._endpoint.base_url, "/api/chat")

    def _list_url(self) -> str:
        return store_url(self._endpoint.base_url, "/api/tags")

    def _body(self, request: ModelRequest, url: str, refused: frozenset[str]) -> dict[str, Any]:
        return request_body(request, as_count(_number(self._endpoint.options.get("num_ctx"))) or None, refused)

    async def stream(self, request: ModelRequest) -> AsyncIterator[ProviderEvent]:
        """Send one round, and tell if the server read only the end of the prompt; see ``Provider.stream``."""
        read = 0
        async with aclosing(super().stream(request)) as events:  # type: ignore[type-var]
            async for event in events:
                if isinstance(event, UsageReported):
                    read = event.usage.input
                if isinstance(event, Stop) and (warning := await self._cut_prompt(request, read)) is not None:
                    yield warning
                yield event

    async def _cut_prompt(self, request: ModelRequest, read: int) -> Warned | None:
        """Return a warning when far fewer tokens were read than the prompt has.

        A server that had the start of the prompt in its cache may count the rest alone: where it tells the length
        of the loaded context, that decides.
        """
        estimate = estimated_prompt(request, self._refused.get(request.model, frozenset()))
        if estimate < CUT_FROM or not 0 < read < estimate // 2:
            return None
        window = await self._loaded_window(request.model)
        if window is not None and window >= estimate:
            return None
        return Warned(
            code="prompt_cut",
            text=f"The Ollama server read {read:,} tokens of a prompt of about {estimate:,}: its start, with the "
            "instructions, was left out. Set a larger context length for the server in the settings.",
        )

    async def _loaded_window(self, model: str) -> int | None:
        """Return the context length in tokens with which a model is loaded, None if the server does not tell."""
        try:
            loaded = await self._fetched("GET", lambda: store_url(self._endpoint.base_url, "/api/ps"))
        except ProviderError:
            return None
        for item in map(as_dict, as_list(as_dict(loaded).get("models"))):
            if model in (as_text(item.get("name")).removesuffix(":latest"), item.get("name"), item.get("model")):
                return as_count(item.get("context_length")) or None
        return None

    def _refused_field(self, error_body: bytes, sent: dict[str, Any]) -> str | None:
        return refused_field(error_body, sent)

    def _decoder(self) -> OllamaDecoder:
        return OllamaDecoder(self._endpoint.family)

    def _models(self, body: object) -> tuple[ModelSettings, ...]:
        names = [as_text(as_dict(item).get("name")) for item in as_list(as_dict(body).get("models"))]
        return tuple(ModelSettings(id=name, name=name) for name in dict.fromkeys(names) if name)

    async def list_models(self) -> tuple[ModelSettings, ...]:
        """Return the server's models with what it tells of each; see ``Provider.list_models``."""
        turns = asyncio.Semaphore(ASKED_AT_ONCE)

        async def told(model: ModelSettings) -> ModelSettings:
            async with turns:
                return await self._told(model)

        return tuple(await asyncio.gather(*map(told, await super().list_models())))

    async def _told(self, model: ModelSettings) -> ModelSettings:
        """Return a model with its abilities; as it is if the server does not tell."""
        try:
            shown = await self._fetched("POST", self._show_url, {"model": model.id})
        except ProviderError:
            return model
        return model.model_copy(update={"capabilities": capabilities_of(shown)})

    def _show_url(self) -> str:
        return store_url(self._endpoint.base_url, "/api/show")


def capabilities_of(shown: object) -> ModelCapabilities:
    """Read what ``/api/show`` tells of a model; an old server tells no abilities."""
    able = [as_text(word) for word in as_list(as_dict(shown).get("capabilities"))]
    info = as_dict(as_dict(shown).get("model_info"))
    context = next((as_count(count) for name, count in info.items() if name.endswith(".context_length")), 0)
    values: dict[str, Any] = {"context": context or None}
    if able:
        values |= {"tools": "tools" in able, "vision": "vision" in able, "reasoning": "thinking" in able}
    return ModelCapabilities(**values)


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() else 0
