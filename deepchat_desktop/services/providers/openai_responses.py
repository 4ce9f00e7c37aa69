"""The adapter for OpenAI's responses and the servers that speak the same (Azure, llama.cpp, LM Studio, OpenRouter)."""

from typing import Any, ClassVar

from deepchat_desktop.domain.prompt import ModelRequest
from deepchat_desktop.domain.settings import ModelSettings
from deepchat_desktop.services.providers.base_url import endpoint_url, sibling_url
from deepchat_desktop.services.providers.http_provider import HttpProvider
from deepchat_desktop.services.providers.model_list import models_of
from deepchat_desktop.services.providers.openai_chat_profiles import profile_of
from deepchat_desktop.services.providers.openai_responses_decode import ResponsesDecoder
from deepchat_desktop.services.providers.openai_responses_request import REASONING_ITEMS, refused_field, request_body


class OpenAIResponses(HttpProvider):
    """One server."""

    given_up_once: ClassVar[frozenset[str]] = frozenset({REASONING_ITEMS})

    def _url(self, request: ModelRequest) -> str:
        return endpoint_url(self._endpoint.base_url, "/responses")

    def _list_url(self) -> str:
        return sibling_url(self._endpoint.base_url, "/models")

    def _body(self, request: ModelRequest, url: str, refused: frozenset[str]) -> dict[str, Any]:
        return request_body(request, url, self._endpoint.family, refused)

    def _wire_headers(self) -> dict[str, str]:
        return dict(profile_of(self._endpoint.base_url, self._endpoint.family, "").headers)

    def _refused_field(self, error_body: bytes, sent: dict[str, Any]) -> str | None:
        return refused_field(error_body, sent)

    def _decoder(self) -> ResponsesDecoder:
        return ResponsesDecoder(self._endpoint.family)

    def _models(self, body: object) -> tuple[ModelSettings, ...]:
        return models_of(body)
