"""How a chat-completions answer ended, and what it cost.

Source of the mapping: the finish reasons of OpenAI and of the servers that imitate it. The completed calls
decide, not the word: calls with a natural end are ``tool_use``, "tool_calls" without any is ``complete``.
"""

from typing import Any

from deepchat_desktop.domain.stream import Stop, StreamError
from deepchat_desktop.domain.usage import Usage
from deepchat_desktop.services.providers.wire_errors import error_event
from deepchat_desktop.services.providers.wire_json import as_count, as_dict

_LENGTH = frozenset({"length", "max_tokens", "model_length", "max_output_tokens", "model_context_window_exceeded"})
_FILTERED = frozenset({"content_filter", "sensitive", "safety", "recitation", "prohibited_content", "blocklist"})


def last_event(
    finish: str | None, native: str, *, saw_done: bool, calls: bool, refusal: bool
) -> Stop | StreamError:
    """Return the end of an answer from its finish reason and the upstream's own (gateways may give both)."""
    if finish is None and not saw_done:
        return error_event("truncated_stream", "The connection ended in the middle of the answer.")
    word = (finish or "").lower()
    if word in _FILTERED:
        return error_event("content_filter", "The provider's content filter ended the answer.")
    if word == "refusal":
        return error_event("refusal", "The model refused to answer.")
    if word == "insufficient_system_resource":
        return error_event("overloaded", "The provider had no capacity left to finish the answer.")
    if word in ("error", "network_error"):
        return error_event("server", "The provider failed while it was answering.")
    if word in _LENGTH or native.lower() in _LENGTH:
        return Stop(reason="max_tokens", raw=finish or "", refusal=refusal)
    return Stop(reason="tool_use" if calls else "complete", raw=finish or "", refusal=refusal)


def usage_of(wire: dict[str, Any]) -> Usage:
    """Read a ``usage`` object.

    A vendor whose total is larger than prompt and completion by exactly the reasoning counts reasoning
    outside the completion (xAI): its output is total - prompt.
    """
    given = as_count(wire.get("prompt_tokens", wire.get("input_tokens")))
    output = as_count(wire.get("completion_tokens", wire.get("output_tokens")))
    details = as_dict(wire.get("completion_tokens_details")) or as_dict(wire.get("output_tokens_details"))
    given_details = as_dict(wire.get("prompt_tokens_details")) or as_dict(wire.get("input_tokens_details"))
    reasoning = as_count(details.get("reasoning_tokens")) or as_count(wire.get("reasoning_tokens"))
    if reasoning and as_count(wire.get("total_tokens")) == given + output + reasoning:
        output += reasoning
    cached = (
        as_count(given_details.get("cached_tokens"))
        or as_count(wire.get("prompt_cache_hit_tokens"))
        or as_count(wire.get("cached_tokens"))
    )
    return Usage(input=given, output=output, cached=cached, reasoning=reasoning)
