"""The ``write`` tool: a whole file, new or replaced, in one step.

The text goes to a temporary file in the same folder, is synced and renamed over the target (PATH-4), so a crash
leaves the old file or the new one, and another hard link keeps its content.
"""

import contextlib
import os
import tempfile
from pathlib import Path
from typing import Any

from deepchat_desktop.domain.errors import ToolError
from deepchat_desktop.domain.tools import ToolSpec

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


def run(path: str, arguments: dict[str, Any]) -> str:
    """Write ``content`` to the resolved ``path`` and say how much. Raises ``ToolError``."""
    target = Path(path)
    try:
        data = str(arguments["content"]).encode("utf-8")
    except UnicodeEncodeError:
        raise ToolError("The content holds lone surrogates, which no UTF-8 file can hold.") from None
    try:
        if target.is_dir():
            raise ToolError(f"{path} is a folder.")
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        _replace(target, data, mode)
    except OSError as error:
        raise ToolError(f"{path} cannot be written: {error.strerror}.") from error
    return f"Wrote {len(data):,} bytes to {path}."


def _replace(target: Path, data: bytes, mode: int) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(mode)
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
