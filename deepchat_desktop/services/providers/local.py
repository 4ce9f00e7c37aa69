"""The embedded model as a provider: has its process running, then speaks to it like to any chat-completions server.

A lease is held while an answer streams, so the process is not stopped as idle in the middle of it. When the process
dies, the stream ends with a retryable error and the next one starts it again.
"""

from collections.abc import AsyncIterator
from contextlib import aclosing

from deepchat_desktop.domain.errors import LocalModelError, ProviderErrorKind
from deepchat_desktop.domain.prompt import ModelRequest, SystemMessage
from deepchat_desktop.domain.settings import LOCAL_PROVIDER, ModelSettings
from deepchat_desktop.domain.stream import ProviderEvent, StreamError
from deepchat_desktop.services.local_model.server import LocalEndpoint
from deepchat_desktop.services.local_model.service import LocalModel
from deepchat_desktop.services.providers.base import Endpoint
from deepchat_desktop.services.providers.exchange import ExchangeLog
from deepchat_desktop.services.providers.openai_chat import OpenAIChat
from deepchat_desktop.services.secrets import mask

_KINDS: dict[str, ProviderErrorKind] = {
    "local_model_missing": "model_not_found",
    "local_model_no_file": "model_not_found",
    "local_model_no_answer": "timeout",
    "local_model_ended": "network",
}


class LocalProvider:
    """One model of the models folder; see ``Provider``."""

    def __init__(self, local: LocalModel, model: str, log: ExchangeLog | None = None) -> None:
        self._local = local
        self._log = log or ExchangeLog()
        self._model = model
        self._adapter: OpenAIChat | None = None
        self._at: LocalEndpoint | None = None

    async def stream(self, request: ModelRequest) -> AsyncIterator[ProviderEvent]:
        """Start the model if need be and stream its answer."""
        try:
            async with self._local.lease(self._model, request.capabilities.context) as endpoint:
                adapter = await self._adapter_for(endpoint)
                async with aclosing(adapter.stream(self._filled(request))) as events:  # type: ignore[type-var]
                    async for event in events:
                        if isinstance(event, StreamError) and event.error == "network":
                            await self._local.connection_broke()
                        yield event
        except LocalModelError as error:
            kind = _KINDS.get(error.code, "server")
            yield StreamError(error=kind, message=error.user_message, retryable=error.retryable)

    async def list_models(self) -> tuple[ModelSettings, ...]:
        """Return the models of the models folder; starts nothing."""
        return tuple(model.settings for model in self._local.available())

    async def aclose(self) -> None:
        """Close the connections; the process is the ``LocalModel``'s."""
        adapter, self._adapter, self._at = self._adapter, None, None
        if adapter is not None:
            await adapter.aclose()

    async def _adapter_for(self, endpoint: LocalEndpoint) -> OpenAIChat:
        """Return an adapter for where the model runs now: a restart has another port and token."""
        if self._adapter is None or self._at != endpoint:
            await self.aclose()

            async def key() -> str:
                return endpoint.token

            # llama.cpp closes kept connections without a word after a stream: 4 of 25 reuses failed.
            place = Endpoint(
                endpoint.base_url, family=LOCAL_PROVIDER, key=key, keepalive=False, mask=mask, log=self._log
            )
            self._adapter, self._at = OpenAIChat(place), endpoint
        return self._adapter

    def _filled(self, request: ModelRequest) -> ModelRequest:
        """Return the request with the model's profile where the request leaves a choice."""
        profile = self._local.profile(self._model)
        messages = request.messages
        if profile.system is not None and not any(isinstance(message, SystemMessage) for message in messages):
            messages = (SystemMessage(text=profile.system), *messages)
        return request.model_copy(
            update={
                "messages": messages,
                "tools": request.tools if profile.capabilities.tools else (),
                "temperature": profile.temperature if request.temperature is None else request.temperature,
                "max_output": request.max_output or profile.max_output,
                "extra": {**profile.extra, **request.extra},
            }
        )
