"""How long a server asks to wait: ``Retry-After`` in its three spellings, reset headers, Google's RetryInfo."""

import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from deepchat_desktop.services.providers.wire_json import as_dict, as_list, as_text, parse

_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
_DAY_S = 86_400.0


def retry_after_s(headers: Mapping[str, str], body: bytes | Mapping[str, object]) -> float | None:
    """Return the wait in seconds, 0 to one day, or None if the server names none."""
    given = {name.lower(): value.strip() for name, value in headers.items()}
    readings = (
        _number(given.get("retry-after-ms", ""), 0.001),
        _number(given.get("retry-after", ""), 1.0),
        _date(given.get("retry-after", ""), given.get("date", "")),
        _resets(given),
        _google_delay(body),
    )
    told = next((wait for wait in readings if wait is not None), None)
    return None if told is None else min(max(told, 0.0), _DAY_S)


def _number(text: str, unit: float) -> float | None:
    return float(text) * unit if re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", text) else None


def _date(text: str, now_text: str) -> float | None:
    """Return the time until an HTTP date, by the server's own clock if it tells it."""
    then = _timestamp(text)
    if then is None:
        return None
    now = _timestamp(now_text)
    return then - (time.time() if now is None else now)


def _timestamp(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


def _resets(headers: Mapping[str, str]) -> float | None:
    """Return the later of OpenAI's reset headers whose allowance is used up ("6m0s", "20ms")."""
    waits = [
        wait
        for what in ("requests", "tokens")
        if headers.get(f"x-ratelimit-remaining-{what}") == "0"
        and (wait := _duration(headers.get(f"x-ratelimit-reset-{what}", ""))) is not None
    ]
    return max(waits, default=None)


def _duration(text: str) -> float | None:
    found = _DURATION.fullmatch(text)
    if not text or found is None:
        return _number(text, 1.0)
    hours, minutes, seconds, millis = (float(part or 0) for part in found.groups())
    return hours * 3600 + minutes * 60 + seconds + millis / 1000


def _google_delay(body: bytes | Mapping[str, object]) -> float | None:
    value = parse(body) if isinstance(body, bytes) else body
    if isinstance(value, list) and value:
        value = value[0]
    for item in as_list(as_dict(as_dict(value).get("error")).get("details")):
        if delay := as_text(as_dict(item).get("retryDelay")):
            return _duration(delay)
    return None
