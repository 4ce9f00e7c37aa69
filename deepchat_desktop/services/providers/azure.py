"""The adapter for Azure's OpenAI service: chat completions or responses, at the addresses that Azure gives them.

Two kinds of address. Without an ``api_version``: ``{resource}/openai/v1/...``, the deployment is the model. With one
("classic"): ``{resource}/openai/deployments/{deployment}/...?api-version=...``; responses stand beside the
deployments there. Options: ``api_version``; ``deployment`` (for all models) or ``deployment:MODEL``; ``wire``
("chat" or "responses"); ``auth`` ("api-key" or "bearer", for Entra tokens). Azure lists base models, not deployments.
"""

from typing import Any
from urllib.parse import parse_qs, quote, urlencode, urlsplit, urlunsplit

from deepchat_desktop.domain.prompt import ModelRequest
from deepchat_desktop.services.providers.base import Endpoint, Provider
from deepchat_desktop.services.providers.base_url import ENDPOINTS, checked_url
from deepchat_desktop.services.providers.openai_chat import OpenAIChat
from deepchat_desktop.services.providers.openai_responses import OpenAIResponses


def azure_provider(endpoint: Endpoint) -> Provider:
    """Return the adapter that the option ``wire`` asks for."""
    return AzureResponses(endpoint) if endpoint.options.get("wire") == "responses" else AzureChat(endpoint)


class AzureChat(OpenAIChat):
    """A resource whose deployments answer chat completions."""

    def _url(self, request: ModelRequest) -> str:
        return azure_url(self._endpoint, "/chat/completions", _deployment(self._endpoint, request.model))

    def _list_url(self) -> str:
        return azure_url(self._endpoint, "/models")

    def _auth_headers(self, key: str, url: str) -> dict[str, str]:
        return _auth(self._endpoint, key)

    def _body(self, request: ModelRequest, url: str, refused: frozenset[str]) -> dict[str, Any]:
        body = super()._body(request, url, refused)
        return {**body, "model": _deployment(self._endpoint, request.model)}


class AzureResponses(OpenAIResponses):
    """A resource whose deployments answer responses."""

    def _url(self, request: ModelRequest) -> str:
        return azure_url(self._endpoint, "/responses")

    def _list_url(self) -> str:
        return azure_url(self._endpoint, "/models")

    def _auth_headers(self, key: str, url: str) -> dict[str, str]:
        return _auth(self._endpoint, key)

    def _body(self, request: ModelRequest, url: str, refused: frozenset[str]) -> dict[str, Any]:
        body = super()._body(request, url, refused)
        return {**body, "model": _deployment(self._endpoint, request.model)}


def azure_url(endpoint: Endpoint, path: str, deployment: str = "") -> str:
    """Return the address of ``path``; classic addresses have the deployment in them, where one is given.

    A base URL may be the bare resource, end in ``/openai`` or ``/openai/v1``, or be a whole address copied from the
    portal, with its ``api-version``. Raises ``ConfigError`` for what is no web address.
    """
    scheme, netloc, given, query, _ = urlsplit(checked_url(endpoint.base_url.strip().removesuffix("#")))
    version = endpoint.options.get("api_version") or parse_qs(query).get("api-version", [""])[0]
    root = given.rstrip("/")
    for known in ENDPOINTS:
        root = root.removesuffix(known)
    root, _, named = root.partition("/openai/deployments/")
    root = root.removesuffix("/v1").removesuffix("/openai")
    if not version:
        return urlunsplit((scheme, netloc, f"{root}/openai/v1{path}", "", ""))
    chosen = named or deployment
    middle = f"/deployments/{quote(chosen, safe='')}" if deployment else ""
    return urlunsplit((scheme, netloc, f"{root}/openai{middle}{path}", urlencode({"api-version": version}), ""))


def _deployment(endpoint: Endpoint, model: str) -> str:
    options = endpoint.options
    return options.get(f"deployment:{model}") or options.get("deployment") or model


def _auth(endpoint: Endpoint, key: str) -> dict[str, str]:
    if endpoint.options.get("auth") == "bearer":
        return {"Authorization": f"Bearer {key}"}
    return {"api-key": key}
