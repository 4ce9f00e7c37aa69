"""Blanks keys out of any text: error messages, log records, what is shown.

Every key this process has seen is known here, in the spellings it can take on its way: raw, URL-encoded, JSON-escaped
and base64 at any alignment. What only looks like a credential by its place (a query field, an Authorization header)
goes too. Keys shorter than 8 characters are not known: blanking "x" everywhere would leave no text.
"""

import base64
import json
import logging
import re
import threading
from urllib.parse import quote, quote_plus

MASK = "•••"
SHORTEST_KEY = 8



class _Known:
    """The keys seen in this run and the one pattern that finds them all; rebuilt when a key comes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._keys: set[str] = set()
        self.pattern: re.Pattern[str] | None = None

    def add(self, key: str) -> None:
        with self._lock:
            if key in self._keys:
                return
            self._keys.add(key)
            forms = sorted({form for known in self._keys for form in _spellings(known)}, key=len, reverse=True)
            self.pattern = re.compile("|".join(map(re.escape, forms)))


_known = _Known()

_PLACES = (
    # user:password@ in an address
    (re.compile(r"(?<=://)[^/\s@:]+:[^/\s@]+(?=@)"), MASK),
    # ?key=... and &api_key=... in an address
    (
        re.compile(r"(?i)([?&;](?:[a-z_-]*(?:key|token|secret|password|signature)|auth|sig)=)[^&;\s\"'<>#]+"),
        rf"\1{MASK}",
    ),
    # Authorization and key headers, as text, as JSON, and as the byte pairs an HTTP library logs
    (
        re.compile(
            r"(?i)\b((?:proxy-)?authorization|(?:x-)?(?:goog-)?api[-_]?key|x-goog-api-key)"
            r"((?>b?[\\\"']*\s*[:=,]\s*(?:b(?=[\"']))?[\\\"']*))(?:(?:bearer|basic|token)\s+)?+[^\s\"',;)\]}\\•]+"
        ),
        rf"\1\2{MASK}",
    ),
    (re.compile(r"(?i)\b(bearer)\s+[a-z0-9._~+/=-]{8,}"), rf"\1 {MASK}"),
)

_KEY_SHAPES = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"sk-[A-Za-z0-9_-]{16,}|AIza[A-Za-z0-9_-]{30,}|(?:gsk|xai|hf|r8|pplx|nvapi)[-_][A-Za-z0-9_-]{16,}"
    r"|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[abprs]-[A-Za-z0-9-]{10,}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}|-----BEGIN [A-Z ]*PRIVATE KEY-----)"
)


def remember(key: str) -> None:
    """Blank this key out of every text from now on."""
    if len(key) >= SHORTEST_KEY:
        _known.add(key)


def mask(text: str) -> str:
    """Return ``text`` with every known key, and every credential known by its place, replaced by dots."""
    pattern = _known.pattern
    if pattern is not None:
        text = pattern.sub(MASK, text)
    for place, replacement in _PLACES:
        text = place.sub(replacement, text)
    return text


def looks_like_key(text: str) -> bool:
    """Tell whether a text holds one of our keys or something in the shape of a key, to warn before it is sent."""
    pattern = _known.pattern
    return bool(_KEY_SHAPES.search(text)) or (pattern is not None and bool(pattern.search(text)))


class MaskFilter(logging.Filter):
    """Masks a record's text and traceback. Put it on handlers: a logger's filter sees only its own records."""

    def filter(self, record: logging.LogRecord) -> bool:
        try:
            text = record.getMessage()
        except (TypeError, ValueError):  # the arguments do not fit; the record must not be lost for that
            text = f"{record.msg} {record.args!r}"
        record.msg, record.args = mask(text), ()
        if record.exc_info and not record.exc_text:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = mask(record.exc_text)
        if record.stack_info:
            record.stack_info = mask(record.stack_info)
        return True


def _spellings(key: str) -> set[str]:
    percent = {quote(key, safe=""), quote(key), quote_plus(key)}
    forms = {key, json.dumps(key)[1:-1], json.dumps(key, ensure_ascii=False)[1:-1], repr(key)[1:-1]}
    forms |= percent | {re.sub(r"%[0-9A-F]{2}", lambda m: m.group().lower(), form) for form in percent}
    for offset in range(3):
        # The characters at both ends also depend on the neighbours: what is left is the key's own.
        encoded = base64.b64encode(b"\0" * offset + key.encode()).decode().rstrip("=")
        start = (0, 2, 3)[offset]
        end = len(encoded) if (offset + len(key.encode())) % 3 == 0 else len(encoded) - 1
        core = encoded[start:end]
        forms |= {core, core.replace("+", "-").replace("/", "_")}
    return {form for form in forms if len(form) >= SHORTEST_KEY}
