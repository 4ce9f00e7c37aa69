"""Careful reading of JSON that a foreign server sent: every look-up has a type, nothing raises."""

import json
from typing import Any


def parse(data: bytes | str) -> Any:
    """Return the JSON value, or None for anything that is not JSON (bad UTF-8 and endless nesting too)."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def as_dict(value: object) -> dict[str, Any]:
    """Return the object, or an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """Return the array, or an empty one for anything else."""
    return value if isinstance(value, list) else []


def as_text(value: object) -> str:
    """Return the string, or "" for anything else."""
    return value if isinstance(value, str) else ""


def as_count(value: object) -> int:
    """Return a token count: a whole number of 0 or more, else 0."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return int(value) if 0 <= value < 1e15 else 0
