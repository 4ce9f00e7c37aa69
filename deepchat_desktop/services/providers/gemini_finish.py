"""Why Gemini stopped, in the words of its ``finishReason`` (API reference, "FinishReason")."""

from deepchat_desktop.domain.errors import ProviderErrorKind
from deepchat_desktop.domain.stream import StreamError
from deepchat_desktop.services.providers.wire_errors import error_event

_KINDS: dict[str, tuple[ProviderErrorKind, str]] = {
    "MALFORMED_FUNCTION_CALL": ("malformed_tool_call", "The model wrote a call that nobody can read."),
    "UNEXPECTED_TOOL_CALL": ("malformed_tool_call", "The model called a tool that it was not given."),
    "TOO_MANY_TOOL_CALLS": ("malformed_tool_call", "The model called too many tools in a row."),
    "MALFORMED_RESPONSE": ("server", "The model wrote an answer that nobody can read."),
    "MISSING_THOUGHT_SIGNATURE": ("bad_request", "The provider misses the signature of an earlier thought."),
    "NO_IMAGE": ("server", "The model made no picture."),
}
_FILTERED = frozenset(
    {"SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "OTHER", "IMAGE_SAFETY",
     "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "IMAGE_OTHER", "MODEL_ARMOR"}
)


def is_cut(reason: str | None) -> bool:
    """Return whether the limit of output ended the answer."""
    return reason == "MAX_TOKENS"


def failure_of(reason: str, told: str) -> StreamError | None:
    """Return the error that a reason means, None for a natural end. ``told`` is the provider's own sentence, or ""."""
    if reason in _FILTERED:
        return error_event("content_filter", told or f"The provider's content filter ended the answer: {reason}.")
    if (known := _KINDS.get(reason)) is not None:
        return error_event(known[0], told or known[1])
    return None
