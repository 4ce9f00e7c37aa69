"""Which HTTP headers of the user's own can be sent, and which of them are secrets.

Source: RFC 9110, field names are tokens and values are printable. A secret never goes into the settings file.
"""

import re

_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_SECRET = re.compile(r"auth|key|token|secret|cookie|password", re.IGNORECASE)


def usable_name(name: str) -> bool:
    """Tell whether it can be a header's name."""
    return _NAME.fullmatch(name) is not None


def usable_value(value: str) -> bool:
    """Tell whether it can be a header's value."""
    return value.isascii() and value.isprintable() and value == value.strip()


def is_secret_name(name: str) -> bool:
    """Tell whether a header of that name carries a key, as far as its name says."""
    return _SECRET.search(name) is not None
