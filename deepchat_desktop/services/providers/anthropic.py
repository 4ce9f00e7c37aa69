"""The adapter for Anthropic's messages and the servers that speak the same (gateways, DeepSeek, llama.cpp)."""

from typing import Any, ClassVar
from urllib.parse import urlsplit

from deepchat_desktop.domain.prompt import ModelCapabilities, ModelRequest
from deepchat_desktop.domain.settings import ModelSettings
from deepchat_desktop.services.providers.anthropic_decode import MessagesDecoder
from deepchat_desktop.services.providers.anthropic_request import refused_field, request_body
from deepchat_desktop.services.providers.anthropic_thinking import REASONING_BACK
from deepchat_desktop.services.providers.base import Endpoint
from deepchat_desktop.services.providers.base_url import endpoint_url, sibling_url
from deepchat_desktop.services.providers.http_provider import HttpProvider
from deepchat_desktop.services.providers.wire_json import as_count, as_dict, as_list, as_text

VERSION = "2023-06-01"
_OWN_HOST = "api.anthropic.com"


class Anthropic(HttpProvider):
    """One server."""

    given_up_once: ClassVar[frozenset[str]] = frozenset({REASONING_BACK})

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(endpoint)
        self._thinking: dict[str, frozenset[str]] = {}

    def _url(self, request: ModelRequest) -> str:
        return endpoint_url(self._endpoint.base_url, "/messages")

    def _list_url(self) -> str:
        return sibling_url(self._endpoint.base_url, "/models?limit=1000")

    def _body(self, request: ModelRequest, url: str, refused: frozenset[str]) -> dict[str, Any]:
        types = self._thinking.get(request.model, frozenset())
        return request_body(request, self._endpoint.family, refused, types)

    def _auth_headers(self, key: str, url: str) -> dict[str, str]:
        # Servers that imitate the format take the key in one header or the other.
        bearer = {} if urlsplit(url).hostname == _OWN_HOST else {"Authorization": f"Bearer {key}"}
        return {"x-api-key": key, **bearer}

    def _wire_headers(self) -> dict[str, str]:
        return {"anthropic-version": VERSION}

    def _refused_field(self, error_body: bytes, sent: dict[str, Any]) -> str | None:
        return refused_field(error_body, sent)

    def _decoder(self) -> MessagesDecoder:
        return MessagesDecoder(self._endpoint.family)

    def _models(self, body: object) -> tuple[ModelSettings, ...]:
        self._thinking = thinking_types(body)
        return models_of(body)


def models_of(body: object) -> tuple[ModelSettings, ...]:
    """Return the models of a list's body; what it does not say stays unknown."""
    found: dict[str, ModelSettings] = {}
    for item in map(as_dict, as_list(as_dict(body).get("data"))):
        if model_id := as_text(item.get("id")):
            found.setdefault(model_id, ModelSettings(id=model_id, name=_name(item), capabilities=_capabilities(item)))
    return tuple(found.values())


def _name(item: dict[str, Any]) -> str:
    return as_text(item.get("display_name"))


def _capabilities(item: dict[str, Any]) -> ModelCapabilities:
    told = as_dict(item.get("capabilities"))
    values: dict[str, Any] = {
        "vision": as_dict(told.get("image_input")).get("supported"),
        "reasoning": as_dict(told.get("thinking")).get("supported"),
        "context": as_count(item.get("max_input_tokens")) or None,
        "max_output": as_count(item.get("max_tokens")) or None,
    }
    return ModelCapabilities(**{name: value for name, value in values.items() if value is not None})


def thinking_types(body: object) -> dict[str, frozenset[str]]:
    """Return for each model of a list in which ways it can be asked to think."""
    found: dict[str, frozenset[str]] = {}
    for item in map(as_dict, as_list(as_dict(body).get("data"))):
        types = as_dict(as_dict(as_dict(item.get("capabilities")).get("thinking")).get("types"))
        found[as_text(item.get("id"))] = frozenset(name for name in types if as_dict(types[name]).get("supported"))
    return found
