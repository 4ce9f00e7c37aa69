"""The adapter for Amazon Bedrock's Converse API, with an API key of Bedrock's as a bearer token."""

import re
from typing import Any, ClassVar
from urllib.parse import quote, urlsplit, urlunsplit

from deepchat_desktop.domain.errors import ConfigError
from deepchat_desktop.domain.prompt import ModelCapabilities, ModelRequest
from deepchat_desktop.domain.settings import ModelSettings
from deepchat_desktop.services.providers.anthropic_thinking import REASONING_BACK
from deepchat_desktop.services.providers.base_url import checked_url
from deepchat_desktop.services.providers.bedrock_decode import ConverseDecoder
from deepchat_desktop.services.providers.bedrock_request import refused_field, request_body
from deepchat_desktop.services.providers.http_provider import HttpProvider
from deepchat_desktop.services.providers.wire_json import as_dict, as_list, as_text

_RUNTIME = re.compile(r"bedrock-runtime(?P<fips>-fips)?\.(?P<region>[a-z0-9-]+)\.(?P<rest>amazonaws\.com(?:\.cn)?)")


class Bedrock(HttpProvider):
    """One region. The option ``region`` takes the place of the one in an address of Amazon's."""

    given_up_once: ClassVar[frozenset[str]] = frozenset({REASONING_BACK})

    def _url(self, request: ModelRequest) -> str:
        if (text := self._endpoint.base_url.strip()).endswith("#"):
            return checked_url(text[:-1])
        return self._address("bedrock-runtime", f"/model/{quote(request.model, safe='')}/converse-stream")

    def _list_url(self) -> str:
        return self._address("bedrock", "/foundation-models?byOutputModality=TEXT")

    def _profiles_url(self) -> str:
        return self._address("bedrock", "/inference-profiles?maxResults=1000")

    def _address(self, service: str, path: str) -> str:
        """Return an address of one of the region's two services; any other host is taken to be both."""
        scheme, netloc, base, _, _ = urlsplit(checked_url(self._endpoint.base_url.strip().removesuffix("#")))
        if (known := _RUNTIME.fullmatch(netloc.lower())) is not None:
            region = self._region() or known["region"]
            netloc = f"{service}{known['fips'] or ''}.{region}.{known['rest']}"
        base = re.sub(r"/model/.*$", "", base).rstrip("/")
        head, _, query = path.partition("?")
        return checked_url(urlunsplit((scheme, netloc, base + head, query, "")))

    def _region(self) -> str:
        """Return the region that the user named, or "". Raises ``ConfigError``: it becomes a part of the host."""
        region = self._endpoint.options.get("region", "").strip().lower()
        if region and not re.fullmatch(r"[a-z0-9-]+", region):
            raise ConfigError("The region is not one of Amazon's. One looks like eu-central-1.", code="bad_region")
        return region

    def _body(self, request: ModelRequest, url: str, refused: frozenset[str]) -> dict[str, Any]:
        return request_body(request, self._endpoint.family, refused)

    def _wire_headers(self) -> dict[str, str]:
        return {"Accept": "application/vnd.amazon.eventstream, application/json"}

    def _refused_field(self, error_body: bytes, sent: dict[str, Any]) -> str | None:
        return refused_field(error_body, sent)

    def _decoder(self) -> ConverseDecoder:
        return ConverseDecoder(self._endpoint.family)

    async def list_models(self) -> tuple[ModelSettings, ...]:
        """Return the region's models, and the profiles that newer models are only reached by."""
        models = await self._fetched("GET", self._list_url)
        return models_of(models, await self._fetched("GET", self._profiles_url))

    def _models(self, body: object) -> tuple[ModelSettings, ...]:
        return models_of(body, {})


def models_of(models: object, profiles: object) -> tuple[ModelSettings, ...]:
    """Return the models of a list that stream text: those asked by their own id, then by the id of a profile."""
    summaries = [as_dict(item) for item in as_list(as_dict(models).get("modelSummaries"))]
    speaking = {as_text(item.get("modelId")): item for item in summaries if _speaks(item)}
    found = {
        key: _settings(key, as_text(item.get("modelName")), item)
        for key, item in speaking.items()
        if key and "ON_DEMAND" in as_list(item.get("inferenceTypesSupported"))
    }
    for profile in map(as_dict, as_list(as_dict(profiles).get("inferenceProfileSummaries"))):
        arns = [as_text(as_dict(part).get("modelArn")) for part in as_list(profile.get("models"))]
        item = next((speaking[name] for arn in arns if (name := arn.rpartition("/")[2]) in speaking), None)
        if (key := as_text(profile.get("inferenceProfileId"))) and item is not None:
            found[key] = _settings(key, as_text(profile.get("inferenceProfileName")), item)
    return tuple(found.values())


def _speaks(item: dict[str, Any]) -> bool:
    active = as_dict(item.get("modelLifecycle")).get("status", "ACTIVE") in ("ACTIVE", "LEGACY")
    return active and "TEXT" in as_list(item.get("outputModalities")) and item.get("responseStreamingSupported") is True


def _settings(key: str, name: str, item: dict[str, Any]) -> ModelSettings:
    takes = as_list(item.get("inputModalities"))
    return ModelSettings(id=key, name=name, capabilities=ModelCapabilities(vision="IMAGE" in takes if takes else None))
