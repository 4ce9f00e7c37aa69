"""The words by which servers tell what went wrong. Source: recorded answers of some twenty servers.

Order matters: a quota is told as a rate limit and a full window as a bad request, so the special comes first.
A throttle ("too many tokens, please wait") and a bad parameter ("max_tokens is too large") are no full window.
"""

import re

from deepchat_desktop.domain.errors import ProviderErrorKind
from deepchat_desktop.services.providers.error_body import ErrorFacts

_CODES: tuple[tuple[ProviderErrorKind, frozenset[str]], ...] = (
    ("malformed_tool_call", frozenset({"tool_use_failed", "malformed_function_call"})),
    (
        "quota",
        frozenset(
            {"insufficient_quota", "enforced_spend_limit_reached", "billing_hard_limit_reached", "insufficient_balance",
             "servicequotaexceededexception"}
        ),
    ),
    ("rate_limit", frozenset({"rate_limit_error", "rate_limit_exceeded", "ratelimitreached", "throttlingexception"})),
    (
        "context_overflow",
        frozenset(
            {
                "context_length_exceeded",
                "exceed_context_size_error",
                "too_many_tokens",
                "too_many_prompt_tokens",
                "string_above_max_length",
            }
        ),
    ),
    ("content_filter", frozenset({"content_filter", "content_policy_violation", "data_inspection_failed"})),
    (
        "auth",
        frozenset(
            {"invalid_api_key", "authentication_error", "permission_error", "unauthenticated", "permission_denied",
             "accessdeniedexception", "expiredtokenexception"}
        ),
    ),
    ("model_not_found", frozenset({"model_not_found", "invalid_model", "resourcenotfoundexception"})),
    ("timeout", frozenset({"modeltimeoutexception"})),
    ("overloaded", frozenset({"overloaded_error", "unavailable_error", "unavailable", "serviceunavailableexception"})),
)
_RATE = re.compile(r"rate limit|too many requests|exceeded rate|too many tokens, please wait|throttl")
_OVERFLOW = re.compile(
    r"maximum context length|max context length|context window|context size|context length|prompt is too long"
    r"|prompt too long|input is too long|too many tokens|total length of all messages is too long"
    r"|input token count .*exceeds|exceeds the maximum number of tokens|maximum prompt length"
)
_KEY = re.compile(
    r"(?:incorrect|invalid|missing|no|wrong|expired)\b.{0,20}\bapi[ _-]?key|api[ _-]?key\b.{0,30}\b(?:invalid|not valid"
    r"|missing|required|expired|incorrect)|missing authentication header"
)
_MODEL = re.compile(
    r"\bmodel\b.{0,120}\b(?:not found|does not exist|not exist|is not a valid model|is not available)|invalid model"
    r"|unknown model|model not found|supported api model names|is not a valid model id|model identifier is invalid"
)
_TOOLS = re.compile(r"does not support tools|support tool use|does not support function")
_FILTER = re.compile(r"content management policy|flagged|data may contain inappropriate")
_BUSY = re.compile(r"overloaded|loading model|at capacity|server is busy")

_CLIENT_FAULTS = frozenset({400, 404, 413, 422})


def kind_from_words(facts: ErrorFacts, status: int | None) -> ProviderErrorKind | None:
    """Return the kind that codes and text give, or None if only the status can tell."""
    for kind, codes in _CODES:
        if facts.codes & codes and _fits(kind, status):
            return kind
    text = facts.message.lower()
    for kind, words in _PHRASES:
        if words.search(text) and _fits(kind, status):
            return kind
    if status is None and facts.codes & {"invalid_request_error", "validationexception"}:
        return "bad_request"
    return None


_PHRASES: tuple[tuple[ProviderErrorKind, re.Pattern[str]], ...] = (
    ("rate_limit", _RATE),
    ("context_overflow", _OVERFLOW),
    ("auth", _KEY),
    ("model_not_found", _MODEL),
    ("unsupported_feature", _TOOLS),
    ("content_filter", _FILTER),
    ("overloaded", _BUSY),
)


def _fits(kind: ProviderErrorKind, status: int | None) -> bool:
    """Tell whether a status can mean this kind: the words of a 429 never make it a full window."""
    match kind:
        case "malformed_tool_call" | "quota":
            return True
        case "rate_limit":
            return status is None or status in (400, 403, 429) or status >= 500
        case "context_overflow":
            return status is None or status in _CLIENT_FAULTS or status == 500
        case "auth":
            return status is None or status in (400, 401, 403)
        case "content_filter":
            return status is None or status in (400, 403, 422, 451)
        case "overloaded":
            return status is None or status >= 500
        case _:
            return status is None or status in _CLIENT_FAULTS
