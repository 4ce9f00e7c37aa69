"""The ``read`` tool: a text file, or a window of its lines."""

import os
from typing import Any

from deepchat_desktop.domain.errors import ToolError
from deepchat_desktop.domain.hidden_text import without_hidden
from deepchat_desktop.domain.tools import ToolSpec
from deepchat_desktop.services.files.open_beneath import open_existing
from deepchat_desktop.services.files.resolve import ResolvedPath

MAX_BYTES = 50 * 1024 * 1024
MAX_CHARACTERS = 4_500

SPEC = ToolSpec(
    name="read",
    description=(
        "Read a text file. Returns numbered lines. Use offset (first line, from 1) and limit (lines) for long files."
    ),
    parameters={
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Absolute, or relative to the workspace."},
            "offset": {"type": "integer", "minimum": 1},
            "limit": {"type": "integer", "minimum": 1, "maximum": 10_000},
        },
        "required": ["path"],
        "additionalProperties": False,
    },
    effect="read",
)


def run(target: ResolvedPath, arguments: dict[str, Any]) -> str:
    """Return the lines asked for, numbered from 1. Raises ``ToolError``."""
    path = target.path
    if target.kind != "file":
        raise ToolError(f"There is no file at {path}." if target.kind == "missing" else f"{path} is a folder.")
    try:
        with os.fdopen(open_existing(path, target.identity), "rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ToolError(f"{path} is larger than 50 MB.")
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise ToolError(f"{path} is not UTF-8 text.") from None
    except OSError as error:
        raise ToolError(f"{path} cannot be read: {error.strerror}.") from error
    text, hidden = without_hidden(text)
    lines = text.split("\n")
    first = int(arguments.get("offset", 1))
    last = min(len(lines), first - 1 + int(arguments.get("limit", len(lines))))
    note = f"\n[{hidden} invisible characters were removed from this file]" if hidden else ""
    return _numbered(lines, first, last) + note


def _numbered(lines: list[str], first: int, last: int) -> str:
    """A result never outgrows ``MAX_CHARACTERS`` by more than a note: a larger one would push the question out."""
    taken: list[str] = []
    size = 0
    for number in range(first, last + 1):
        row = f"{number}\t{lines[number - 1]}"
        if len(row) > MAX_CHARACTERS:
            row = f"{row[:MAX_CHARACTERS]} [line {number} is cut here; it has {len(lines[number - 1]):,} characters]"
        size += len(row) + 1
        if taken and size > MAX_CHARACTERS:
            taken.append(f"[{len(lines)} lines in all; read on with offset {number}]")
            break
        taken.append(row)
    return "\n".join(taken) if taken else f"[the file has {len(lines)} lines; nothing at offset {first}]"
