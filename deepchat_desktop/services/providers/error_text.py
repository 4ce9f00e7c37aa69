"""Makes a server's sentence fit to be shown: one short line without keys."""

import re
from collections.abc import Callable

MAX_MESSAGE = 300
QUERY_SECRET = re.compile(
    r"([?&][\w.-]*(?:key|token|secret|signature|sig|password|auth)[\w.-]*=)[^&\s\"'<>]+", re.IGNORECASE
)
_USER_INFO = re.compile(r"(\w+://)[^/\s@]+@")
_BEARER = re.compile(r"\b(Bearer|Basic)\s+[^\s\"',]+", re.IGNORECASE)
_KEY_SHAPE = re.compile(r"\b(?:sk|pk|gsk|xai|key|AIza)[-_]?[A-Za-z0-9_-]{16,}")


def safe_text(text: str, mask: Callable[[str], str]) -> str:
    """Return ``text`` masked, on one line, without control characters, at most 300 characters long."""
    text = mask(text[:20_000])
    text = QUERY_SECRET.sub(r"\1***", text)
    text = _USER_INFO.sub(r"\1***@", text)
    text = _BEARER.sub(r"\1 ***", text)
    text = _KEY_SHAPE.sub("***", text)
    text = "".join(char if char.isprintable() else " " for char in text)
    text = " ".join(text.split())
    return text if len(text) <= MAX_MESSAGE else text[: MAX_MESSAGE - 1] + "\u2026"
