"""Tells the refusal of one field from other bad requests: such a request can go out again without it."""

import re

from deepchat_desktop.services.providers.error_body import ErrorFacts

_UNKNOWN = re.compile(
    r"unsupported|not supported|does not support|doesn't support|deprecated for|unrecognized|unknown|unexpected"
    r"|not permitted|not allowed|extra (?:inputs|fields)|forbidden|invalid (?:field|parameter|argument)"
    r"|only the default"
)
_UNKNOWN_CODES = frozenset({"unsupported_parameter", "unsupported_value", "unknown_parameter", "extra_forbidden"})


def is_about_a_field(facts: ErrorFacts) -> bool:
    """Return whether an error says that a field, or its value, is not taken at all."""
    return bool(facts.codes & _UNKNOWN_CODES or _UNKNOWN.search(facts.message.lower()))
