"""Names of tools that every provider accepts, and the way back.

A wire name matches ``[a-zA-Z_][a-zA-Z0-9_-]{0,63}``. A valid name stays; any other is cleaned, cut, and gets 8
hex digits of its own hash, so that it depends on nothing but itself and is the same in every request.
"""

import hashlib
import re
from collections.abc import Iterable

from deepchat_desktop.domain.stream import ProviderEvent, ToolCallEnd, ToolCallStart

_VALID = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")
_FOREIGN = re.compile(r"[^a-zA-Z0-9_-]+")


def wire_name(name: str) -> str:
    """Return the name under which a tool goes over the wire."""
    if _VALID.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    cleaned = _FOREIGN.sub("_", name).strip("_-")
    if not cleaned or not (cleaned[0].isalpha() or cleaned[0] == "_"):
        cleaned = f"tool_{cleaned}".rstrip("_")
    return f"{cleaned[:55]}_{digest}"


def real_names(names: Iterable[str]) -> dict[str, str]:
    """Return the way back: wire name to name. The first of two that meet keeps it (they differ in 32 bits)."""
    back: dict[str, str] = {}
    for name in names:
        back.setdefault(wire_name(name), name)
    return back


def restored(event: ProviderEvent, back: dict[str, str]) -> ProviderEvent:
    """Return a call's event with the tool's own name; other events as they are."""
    if isinstance(event, ToolCallStart | ToolCallEnd) and event.name in back:
        return event.model_copy(update={"name": back[event.name]})
    return event
