"""From a base URL as people type it to the address of an endpoint.

A trailing ``#`` means: exactly this address. A pasted endpoint is used as it is; any other path is kept and the
endpoint appended; a bare origin gets ``/v1``, or the vendor's own root. Query parts stay where they are. Addresses
are never shown whole: a query or user part can hold a key.
"""

from urllib.parse import urlsplit, urlunsplit

from deepchat_desktop.domain.errors import ConfigError

ENDPOINTS = ("/chat/completions", "/responses", "/messages")
_ROOTS = {
    "api.groq.com": "/openai/v1",
    "api.perplexity.ai": "",
    "api.githubcopilot.com": "",
    "api.z.ai": "/api/paas/v4",
    "ark.cn-beijing.volces.com": "/api/v3",
    "dashscope.aliyuncs.com": "/compatible-mode/v1",
    "dashscope-intl.aliyuncs.com": "/compatible-mode/v1",
    "generativelanguage.googleapis.com": "/v1beta/openai",
    "open.bigmodel.cn": "/api/paas/v4",
    "openrouter.ai": "/api/v1",
}
"""Where OpenAI's endpoints are on hosts that do not keep them under ``/v1``."""
_LOCAL_HINT = "An address looks like https://host/v1 or http://127.0.0.1:11434."


def endpoint_url(base_url: str, endpoint: str) -> str:
    """Return the URL of ``endpoint`` ("/chat/completions"). Raises ``ConfigError`` for what is no web address."""
    text = base_url.strip()
    if text.endswith("#"):
        return checked_url(text[:-1])
    scheme, netloc, path, query, _ = urlsplit(checked_url(text))
    path = path.rstrip("/")
    if not path:
        root = "/v1" if endpoint == "/messages" else _ROOTS.get(urlsplit(text).hostname or "", "/v1")
        path = root + endpoint
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


def checked_url(text: str) -> str:
    """Return ``text`` if it is a web address. Raises ``ConfigError`` if it is not."""
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable or any(char.isspace() or not char.isprintable() for char in text):
        raise ConfigError(f"The base URL is not a web address. {_LOCAL_HINT}", code="bad_base_url")
    return text
