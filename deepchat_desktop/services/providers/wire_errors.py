"""What went wrong, told from a server's status, headers and body: the one classification for all styles.

The words of the body decide before its status, since servers send quota as 429, bad keys as 400 and full
windows as anything. The text that a user sees is the server's own sentence, on one line, at most 300
characters, without keys, without the pages of proxies and without the secrets of URLs.
"""

from collections.abc import Callable, Mapping

from deepchat_desktop.domain.errors import ProviderErrorKind
from deepchat_desktop.domain.stream import StreamError
from deepchat_desktop.services.providers.base import unmasked
from deepchat_desktop.services.providers.error_body import ErrorFacts, page_title, read_error
from deepchat_desktop.services.providers.error_text import safe_text
from deepchat_desktop.services.providers.error_words import kind_from_words
from deepchat_desktop.services.providers.retry_after import retry_after_s

RETRYABLE: frozenset[ProviderErrorKind] = frozenset(
    {"rate_limit", "overloaded", "server", "truncated_stream", "timeout", "network", "malformed_tool_call"}
)
"""Kinds that may go away by themselves. Whether to try again is the loop's decision, not theirs."""

_BY_STATUS: dict[int, ProviderErrorKind] = {
    401: "auth",
    402: "quota",
    403: "auth",
    404: "model_not_found",
    408: "timeout",
    409: "server",
    413: "context_overflow",
    424: "server",
    429: "rate_limit",
    503: "overloaded",
    529: "overloaded",
}
_ADVICE: dict[ProviderErrorKind, str] = {
    "auth": "Check the key.",
    "model_not_found": "Check the model's name and the base URL.",
    "quota": "Check the account's balance.",
}


def classify(
    status: int | None,
    headers: Mapping[str, str],
    body: bytes | Mapping[str, object],
    *,
    mask: Callable[[str], str] = unmasked,
) -> StreamError:
    """Return the error that a refused request or an error inside a stream means.

    ``status`` is None inside a stream; then the body's own code takes its place.
    """
    facts = read_error(body)
    effective = status if status is not None and status >= 300 else facts.status
    kind = kind_from_words(facts, effective) or _kind_from_status(effective)
    return StreamError(
        error=kind,
        message=safe_text(_sentence(facts, kind, effective), mask),
        retryable=kind in RETRYABLE,
        retry_after_s=retry_after_s(headers, body) if kind in RETRYABLE else None,
        status=effective,
    )


def error_event(kind: ProviderErrorKind, message: str, *, mask: Callable[[str], str] = unmasked) -> StreamError:
    """Return an error that we found ourselves."""
    return StreamError(error=kind, message=safe_text(message, mask), retryable=kind in RETRYABLE)


def page_instead_of_answer(body: bytes) -> StreamError:
    """Return the error of a web page that came with status 200: an address that is not a model server."""
    title = page_title(body)
    named = f" (\u201c{title}\u201d)" if title else ""
    return error_event("bad_request", f"The server answered with a web page{named}. Check the base URL.")


def _kind_from_status(status: int | None) -> ProviderErrorKind:
    if status is None or status >= 500:
        return _BY_STATUS.get(status or 0, "server")
    return _BY_STATUS.get(status, "bad_request")


def _sentence(facts: ErrorFacts, kind: ProviderErrorKind, status: int | None) -> str:
    if status is not None and 300 <= status < 400:
        return (
            f"The server answered with a redirect (status {status}). Redirects are not followed, so that the key "
            "stays with the host it was given for. Enter the final address as the base URL."
        )
    if facts.is_page:
        title = facts.message or "no title"
        return f"The server answered with a web page: status {status or 200}, \u201c{title}\u201d."
    if facts.message:
        return facts.message
    told = f" with status {status}" if status else " with an error and no text"
    return f"The server answered{told}. {_ADVICE.get(kind, '')}".strip()
