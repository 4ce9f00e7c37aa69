"""The adapter for Google's Gemini API, on its own host and on Vertex AI."""

import re
from typing import Any, ClassVar
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from deepchat_desktop.domain.prompt import ModelCapabilities, ModelRequest
from deepchat_desktop.domain.provider_presets import vertex_region
from deepchat_desktop.domain.settings import ModelSettings
from deepchat_desktop.services.providers.base_url import checked_url
from deepchat_desktop.services.providers.gemini_decode import GeminiDecoder
from deepchat_desktop.services.providers.gemini_request import SIGNATURES, refused_field, request_body
from deepchat_desktop.services.providers.http_provider import HttpProvider
from deepchat_desktop.services.providers.wire_json import as_count, as_dict, as_list, as_text

_LOCATION = re.compile(r"/projects/[^/]+/locations/[^/]+$")
_OAUTH_LEAD = "ya29."


class Gemini(HttpProvider):
    """One server.

    The options ``project`` and ``location`` complete the address of Vertex AI, which takes a bearer token. Without a
    location it is the region of the address.
    """

    given_up_once: ClassVar[frozenset[str]] = frozenset({SIGNATURES})

    def _url(self, request: ModelRequest) -> str:
        if (text := self._endpoint.base_url.strip()).endswith("#"):
            return checked_url(text[:-1])
        head, model = _split_model(request.model)
        return self._address(f"{head}/{quote(model, safe='')}:streamGenerateContent", alt="sse")

    def _list_url(self) -> str:
        return self._address("/models", pageSize="1000")

    def _address(self, path: str, **query: str) -> str:
        """Return an address below the API's root, for a base URL of any of the ways people give it."""
        scheme, netloc, base, given, _ = urlsplit(checked_url(self._endpoint.base_url.strip().removesuffix("#")))
        base = re.sub(r"/(?:models|openai)(?:/.*)?$", "", base.rstrip("/"))
        region = vertex_region(f"https://{netloc}")
        if not base:
            base = "/v1" if region else "/v1beta"
        options = {"location": region or "", **{key: each for key, each in self._endpoint.options.items() if each}}
        if region and re.fullmatch(r"/v1(?:beta1)?", base):
            places = [quote(options.get(name, "").strip(), safe="") for name in ("project", "location")]
            base += "/projects/{}/locations/{}".format(*places) if all(places) else "/publishers/google"
        if _LOCATION.search(base):
            base += "/publishers/google"
        return urlunsplit((scheme, netloc, base + path, urlencode({**dict(parse_qsl(given)), **query}), ""))

    def _auth_headers(self, key: str, url: str) -> dict[str, str]:
        if "/projects/" in urlsplit(url).path or key.startswith(_OAUTH_LEAD):
            return {"Authorization": f"Bearer {key}"}
        return {"x-goog-api-key": key}

    def _body(self, request: ModelRequest, url: str, refused: frozenset[str]) -> dict[str, Any]:
        return request_body(request, self._endpoint.family, refused)

    def _refused_field(self, error_body: bytes, sent: dict[str, Any]) -> str | None:
        return refused_field(error_body, sent)

    def _decoder(self) -> GeminiDecoder:
        return GeminiDecoder(self._endpoint.family)

    def _models(self, body: object) -> tuple[ModelSettings, ...]:
        return models_of(body)


def models_of(body: object) -> tuple[ModelSettings, ...]:
    """Return the models of a list's body. It tells limits and thinking, nothing of tools and pictures."""
    items = as_list(as_dict(body).get("models")) or as_list(as_dict(body).get("publisherModels"))
    found: dict[str, ModelSettings] = {}
    for item in map(as_dict, items):
        if key := re.sub(r"^(?:publishers/[^/]+/)?models/", "", as_text(item.get("name"))):
            found.setdefault(key, _settings(key, item))
    return tuple(found.values())


def _settings(key: str, item: dict[str, Any]) -> ModelSettings:
    methods = as_list(item.get("supportedGenerationMethods"))
    if methods and "generateContent" not in methods:
        return ModelSettings(id=key, name=as_text(item.get("displayName")), chat=False)
    told: dict[str, Any] = {
        "context": as_count(item.get("inputTokenLimit")) or None,
        "max_output": as_count(item.get("outputTokenLimit")) or None,
    }
    if methods:
        told["reasoning"] = item.get("thinking") is True
    return ModelSettings(id=key, name=as_text(item.get("displayName")), capabilities=ModelCapabilities(**told))


def _split_model(model: str) -> tuple[str, str]:
    """Return the collection that a model is in, and its name there."""
    collection, slash, name = model.partition("/")
    return (f"/{collection}", name) if slash and collection in ("models", "tunedModels") else ("/models", model)
