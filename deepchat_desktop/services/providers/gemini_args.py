"""The arguments of a Gemini call that come in pieces, each with the path of the value it belongs to.

Source: Vertex AI's documentation of streamed function call arguments. Pieces of one string name the same path again;
what does not fit together makes the whole unreadable, and it is then no call that could run.
"""

import re
from typing import Any

from deepchat_desktop.services.providers.wire_json import as_dict, as_text

MAX_DEPTH, MAX_ITEMS = 32, 10_000
_STEP = re.compile(r"""\.([^.\[\]]+)|\[(\d{1,5})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]""")
_VALUES = ("stringValue", "numberValue", "boolValue", "nullValue")
Path = tuple[str | int, ...]


class PartialArguments:
    """The values of one call so far."""

    def __init__(self) -> None:
        self._strings: dict[Path, list[str]] = {}
        self._values: dict[Path, Any] = {}
        self._broken = False

    def take(self, pieces: list[Any]) -> None:
        """Take the pieces of one message."""
        for piece in map(as_dict, pieces):
            path = _path(as_text(piece.get("jsonPath")))
            name = next((name for name in _VALUES if name in piece), None)
            if path is None:
                self._broken = True
            elif name == "stringValue":
                self._values.setdefault(path, None)
                self._strings.setdefault(path, []).append(as_text(piece[name]))
            elif name is not None:
                self._values[path] = None if name == "nullValue" else piece[name]

    def whole(self) -> dict[str, Any] | None:
        """Return the arguments, None if the pieces do not make an object."""
        root: dict[str, Any] = {}
        for path, value in self._values.items():
            told = "".join(self._strings[path]) if path in self._strings else value
            if self._broken or not _put(root, path, told):
                return None
        return None if self._broken else root


def _path(text: str) -> Path | None:
    steps: list[str | int] = []
    place = 1
    while place < len(text):
        found = _STEP.match(text, place)
        if found is None or len(steps) == MAX_DEPTH:
            return None
        name, item, single, double = found.groups()
        quoted = single if single is not None else double
        steps.append(int(item) if item is not None else name if name is not None else re.sub(r"\\(.)", r"\1", quoted))
        place = found.end()
    return tuple(steps) if text.startswith("$") and steps else None


def _put(root: dict[str, Any], path: Path, value: Any) -> bool:
    """Put a value where its path leads, with all that is not there yet; False if something else is there."""
    node: Any = root
    for step, after in zip(path, [*path[1:], None], strict=True):
        fresh: Any = value if after is None else [] if isinstance(after, int) else {}
        if isinstance(step, int):
            if not isinstance(node, list) or not step <= len(node) < MAX_ITEMS:
                return False
            if step == len(node):
                node.append(fresh)
        elif not isinstance(node, dict):
            return False
        else:
            node.setdefault(step, fresh)
        node = node[step]
    return True
