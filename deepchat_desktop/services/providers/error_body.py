"""Reads the error bodies of model servers: a dozen shapes in, one set of facts out."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from typing import Any

from deepchat_desktop.services.providers.wire_json import as_dict, as_text, parse

_TITLE = re.compile(rb"<title[^>]*>(.{0,300}?)</title>", re.IGNORECASE | re.DOTALL)
_PAGE = re.compile(rb"\s*(?:<!doctype|<html|<head|<body|<\?xml|<title)", re.IGNORECASE)


@dataclass(frozen=True)
class ErrorFacts:
    """What a body says. ``codes`` are all its machine words in lower case; ``status`` is a status inside it."""

    message: str = ""
    codes: frozenset[str] = frozenset()
    param: str = ""
    status: int | None = None
    is_page: bool = False


def read_error(body: bytes | Mapping[str, object]) -> ErrorFacts:
    """Return the facts of an error body; of a page only its title, of other text its first 200 characters."""
    if isinstance(body, Mapping):
        return _from_json(dict(body))
    value = parse(body)
    if isinstance(value, list) and value:
        value = value[0]
    if isinstance(value, dict):
        return _from_json(value)
    if isinstance(value, str):
        return ErrorFacts(message=value)
    if _PAGE.match(body):
        return ErrorFacts(message=page_title(body), is_page=True)
    return ErrorFacts(message=body[:800].decode("utf-8", "replace").strip()[:200])


def page_title(body: bytes) -> str:
    """Return the title of a web page, on one line, or ""."""
    found = _TITLE.search(body[:65536])
    return " ".join(unescape(found[1].decode("utf-8", "replace")).split())[:100] if found else ""


def _from_json(value: dict[str, Any]) -> ErrorFacts:
    layers = list(_layers(value))
    return ErrorFacts(
        message=next((text for layer in layers if (text := _message(layer))), ""),
        codes=frozenset(word for layer in layers for word in _codes(layer)),
        param=next((text for layer in layers if (text := as_text(layer.get("param")))), ""),
        status=next((code for layer in reversed(layers) if (code := _status(layer)) is not None), None),
    )


def _layers(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the nested error objects, the one nearest to the cause first."""
    error = value.get("error")
    if isinstance(error, dict):
        raw = as_dict(error.get("metadata")).get("raw")
        inner = parse(raw) if isinstance(raw, str) else raw
        if isinstance(inner, dict):
            yield from _layers(inner)
        elif isinstance(raw, str) and raw.strip():
            yield {"message": raw}
        yield error
    elif isinstance(error, str):
        yield {**value, "message": error}
    yield value


def _message(layer: dict[str, Any]) -> str:
    for name in ("message", "Message", "detail", "msg"):
        value = layer.get(name)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, dict):
            return as_text(value.get("message"))
        if isinstance(value, list) and value:
            return "; ".join(as_text(as_dict(item).get("msg")) for item in value[:3])
    return ""


def _codes(layer: dict[str, Any]) -> Iterator[str]:
    for name in ("code", "type", "error_type", "status", "error_code"):
        word = layer.get(name)
        if isinstance(word, str) and word:
            yield word.lower()
    yield from (word for word in _codes_below(layer.get("details")) if word)
    yield from (word for word in _codes_below(layer.get("innererror")) if word)


def _codes_below(value: object) -> Iterator[str]:
    inner = as_dict(value)
    yield as_text(inner.get("error_code")).lower()
    yield as_text(inner.get("code")).lower()


def _status(layer: dict[str, Any]) -> int | None:
    for name in ("status_code", "code", "raw_status_code", "status"):
        value = layer.get(name)
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) == 3:
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and 300 <= value <= 599:
            return value
    return None
