"""From a base URL as people type it to the address of an endpoint.

A trailing ``#`` means: exactly this address. A pasted endpoint is used as it is; any other path is kept and the
endpoint appended; a bare origin gets ``/v1``. Query parts stay where they are. Addresses are never shown
whole: a query or user part can hold a key.
"""

from urllib.parse import urlsplit, urlunsplit

from deepchat_desktop.domain.errors import ConfigError

ENDPOINTS = ("/chat/completions", "/responses", "/messages")
_LOCAL_HINT = "An address looks like https://host/v1 or http://127.0.0.1:11434."


def endpoint_url(base_url: str, endpoint: str) -> str:
    """Return the URL of ``endpoint`` ("/chat/completions"). Raises ``ConfigError`` for what is no web address."""
    text = base_url.strip()
    if text.endswith("#"):
        return _checked(text[:-1])
    scheme, netloc, path, query, _ = urlsplit(_checked(text))
    path = path.rstrip("/")
    if not path:
        path = "/v1" + endpoint
    elif not path.endswith(ENDPOINTS):
        path += endpoint
    return urlunsplit((scheme, netloc, path, query, ""))


def sibling_url(base_url: str, endpoint: str) -> str:
    """Return the URL of another endpoint ("/models") beside the one that answers chats."""
    scheme, netloc, path, query, _ = urlsplit(endpoint_url(base_url, ENDPOINTS[0]))
    for known in ENDPOINTS:
        path = path.removesuffix(known)
    return urlunsplit((scheme, netloc, path.rstrip("/") + endpoint, query, ""))


def shown_host(url: str) -> str:
    """Return host and port for messages: nothing that could hold a secret."""
    try:
        parts = urlsplit(url.strip())
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "the server"
    return f"{parts.hostname}{port}" if parts.hostname else "the server"


def _checked(text: str) -> str:
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable or any(char.isspace() or not char.isprintable() for char in text):
        raise ConfigError(f"The base URL is not a web address. {_LOCAL_HINT}", code="bad_base_url")
    return text
