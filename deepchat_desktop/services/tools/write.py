"""The ``write`` tool: a whole file, new or replaced, in one step."""

from typing import Any

from deepchat_desktop.domain.errors import ToolError
from deepchat_desktop.domain.tools import ToolSpec
from deepchat_desktop.services.files.atomic_write import write_file
from deepchat_desktop.services.files.resolve import ResolvedPath

SPEC = ToolSpec(
    name="write",
    description="Write a text file, replacing what was there. The user is asked first.",
    parameters={
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Absolute, or relative to the workspace."},
            "content": {"type": "string"},
        },
        "required": ["path", "content"],
        "additionalProperties": False,
    },
    effect="write",
)


def run(target: ResolvedPath, arguments: dict[str, Any]) -> str:
    """Write ``content`` to the target and say how much. Raises ``ToolError``."""
    path = target.path
    try:
        data = str(arguments["content"]).encode("utf-8")
    except UnicodeEncodeError:
        raise ToolError("The content holds lone surrogates, which no UTF-8 file can hold.") from None
    if target.kind == "folder":
        raise ToolError(f"{path} is a folder.")
    try:
        write_file(path, data, target.identity)
    except OSError as error:
        raise ToolError(f"{path} cannot be written: {error.strerror}.") from error
    return f"Wrote {len(data):,} bytes to {path}."
