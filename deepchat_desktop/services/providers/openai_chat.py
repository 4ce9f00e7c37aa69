"""The adapter for OpenAI's chat completions and the many servers that speak the same."""

from typing import Any

from deepchat_desktop.domain.prompt import ModelRequest
from deepchat_desktop.domain.settings import ModelSettings
from deepchat_desktop.services.providers.base_url import endpoint_url, sibling_url
from deepchat_desktop.services.providers.http_provider import HttpProvider
from deepchat_desktop.services.providers.model_list import models_of
from deepchat_desktop.services.providers.openai_chat_decode import ChatDecoder
from deepchat_desktop.services.providers.openai_chat_profiles import profile_of
from deepchat_desktop.services.providers.openai_chat_request import refused_field, request_body


class OpenAIChat(HttpProvider):
    """One server; what a vendor wants differently stands in ``openai_chat_profiles``."""

    def _url(self, request: ModelRequest) -> str:
        return endpoint_url(self._endpoint.base_url, "/chat/completions")

    def _list_url(self) -> str:
        return sibling_url(self._endpoint.base_url, "/models")

    def _body(self, request: ModelRequest, url: str, refused: frozenset[str]) -> dict[str, Any]:
        family = self._endpoint.family
        return request_body(request, profile_of(url, family, request.model), family, refused, url=url)

    def _refused_field(self, error_body: bytes, sent: dict[str, Any]) -> str | None:
        return refused_field(error_body, sent)

    def _wire_headers(self) -> dict[str, str]:
        return dict(profile_of(self._endpoint.base_url, self._endpoint.family, "").headers)

    def _decoder(self) -> ChatDecoder:
        return ChatDecoder(self._endpoint.family)

    def _models(self, body: object) -> tuple[ModelSettings, ...]:
        return models_of(body)
