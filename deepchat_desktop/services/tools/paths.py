"""The one road of a path to a tool: judged only after it is resolved.

Links and ``..`` are followed first and the result is compared by components, never by string prefix (PATH-1).
Bad names are errors before any file-system call (PATH-3). The app's own folder is out of reach in every mode
(MOD-2).
"""

import os
import re
from pathlib import Path
from typing import Literal

from deepchat_desktop.domain.base import Value
from deepchat_desktop.domain.errors import ToolError

Need = Literal["read", "write"]

_URL = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+://")
_SENSITIVE = re.compile(
    r"^(\.env(\..*)?|.*\.pem|id_(rsa|dsa|ecdsa|ed25519)(\.pub)?|\.npmrc|\.netrc|\.pypirc|\.git-credentials)$"
)
_SENSITIVE_FOLDERS = frozenset({".ssh", ".aws", ".kube", ".gnupg", ".docker"})
_PROTECTED_FOLDERS = frozenset({".git", ".vscode", ".idea", ".husky"})
_PROTECTED = frozenset(
    {".mcp.json", ".envrc", "agents.md", "claude.md", ".bashrc", ".bash_profile", ".profile", ".zshrc", ".zshenv"}
)


class ResolvedPath(Value):
    """Where a path really leads."""

    path: str
    inside: bool
    """Within the workspace."""
    sensitive: bool
    """Likely holds secrets: reading asks in every mode."""
    protected: bool
    """Changes what runs or is trusted: writing always asks and cannot be remembered (PATH-5)."""


def resolve(text: str, *, workspace: str | None, forbidden: Path) -> ResolvedPath:
    """Resolve a path that a model wrote. Relative paths start at the workspace.

    ``forbidden`` is the app's own folder. Raises ``ToolError`` for names that cannot be judged and for
    anything inside ``forbidden``.
    """
    _refuse_bad_name(text)
    if not workspace and not Path(text).is_absolute():
        raise ToolError("There is no workspace: give an absolute path, or let the user choose a workspace folder.")
    base = Path(workspace).resolve() if workspace else Path("/")
    try:
        real = Path(os.path.realpath(base / text))
    except (OSError, ValueError) as error:
        raise ToolError(f"The path cannot be resolved: {error}") from error
    if real.is_relative_to(forbidden.resolve()):
        raise ToolError("The application's own data folder is out of reach for tools.")
    parts = [_folded(part) for part in real.parts]
    return ResolvedPath(
        path=str(real),
        inside=bool(workspace) and real.is_relative_to(base),
        sensitive=bool(_SENSITIVE.match(parts[-1])) or not _SENSITIVE_FOLDERS.isdisjoint(parts),
        protected=parts[-1] in _PROTECTED
        or not _PROTECTED_FOLDERS.isdisjoint(parts)
        or (".github" in parts and "workflows" in parts),
    )


def _refuse_bad_name(text: str) -> None:
    if not text.strip():
        raise ToolError("The path is empty.")
    if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text):
        raise ToolError("The path holds characters that no file name can have.")
    if text.startswith("~"):
        raise ToolError("Paths that begin with ~ are not expanded: write the full path.")
    if _URL.match(text):
        raise ToolError("A URL is not a path.")


def _folded(part: str) -> str:
    """Fold case and drop characters that some file systems ignore (CVE-2014-9390)."""
    return "".join(char for char in part.casefold() if char not in "\u200b\u200c\u200d\u2060\ufeff").rstrip(". ")
