"""What a call changed, as the lines of a diff: from a unified diff, or from the arguments of a tool that writes.

Invariant: the sign of a line tells what happened to it; numbers are None where they are not known.
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from deepchat_desktop.domain.blocks import ToolCallBlock

Sign = Literal["+", "-", " ", "@"]
MAX_LINES = 5_000
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_HEADS = ("diff --git ", "index ", "--- ", "+++ ", "new file mode", "deleted file mode", "similarity index", "rename ")
_WRITTEN = ("content", "contents", "text")
_REPLACED = (("old_string", "new_string"), ("old_text", "new_text"), ("old_str", "new_str"), ("old", "new"))


class DiffLine(NamedTuple):
    """A line without its sign; ``@`` is the head of a hunk."""

    sign: Sign
    old: int | None
    new: int | None
    text: str


def is_diff(words: str) -> bool:
    """Tell whether a text is a unified diff, by its beginning."""
    return _HUNK.search(words[:4_000]) is not None and re.search(r"^[+-]", words[:4_000], re.MULTILINE) is not None


def unified(diff: str) -> Iterator[DiffLine]:
    """Yield the lines of a unified diff; the names of its files are left out."""
    old = new = 0
    inside = False
    for line in diff.removesuffix("\n").split("\n"):
        hunk = _HUNK.match(line)
        if hunk is not None:
            old, new, inside = int(hunk[1]), int(hunk[2]), True
            yield DiffLine("@", None, None, line)
        elif not inside or line.startswith(("diff --git ", "\\ ")):
            inside = inside and not line.startswith("diff --git ")
            if not line.startswith(_HEADS):
                yield DiffLine("@", None, None, line)
        elif line.startswith("+"):
            yield DiffLine("+", None, new, line[1:])
            new += 1
        elif line.startswith("-"):
            yield DiffLine("-", old, None, line[1:])
            old += 1
        else:
            yield DiffLine(" ", old, new, line[1:])
            old, new = old + 1, new + 1


def lines_of(call: ToolCallBlock) -> tuple[DiffLine, ...]:
    """Return what a call changes or changed, () where that cannot be told."""
    if call.diff:
        return tuple(unified(call.diff))
    if is_diff(call.result):
        return tuple(unified(call.result))
    arguments = call.arguments or {}
    if call.name == "write":
        written = next((arguments[key] for key in _WRITTEN if isinstance(arguments.get(key), str)), "")
        lines = str(written).removesuffix("\n").split("\n") if written else []
        return tuple(DiffLine("+", None, number, line) for number, line in enumerate(lines, 1))
    if call.name == "edit":
        edits = arguments.get("edits")
        pairs = edits if isinstance(edits, list) else [arguments]
        return tuple(line for pair in pairs if isinstance(pair, dict) for line in _replaced(pair))
    return ()


def _replaced(pair: dict[str, object]) -> Iterator[DiffLine]:
    for before, after in _REPLACED:
        old, new = pair.get(before), pair.get(after)
        if isinstance(old, str) and isinstance(new, str):
            yield from (DiffLine("-", None, None, line) for line in old.removesuffix("\n").split("\n") if old)
            yield from (DiffLine("+", None, None, line) for line in new.removesuffix("\n").split("\n") if new)
            return


def changed(lines: tuple[DiffLine, ...]) -> tuple[int, int]:
    """Return how many lines came and went."""
    return sum(line.sign == "+" for line in lines), sum(line.sign == "-" for line in lines)
