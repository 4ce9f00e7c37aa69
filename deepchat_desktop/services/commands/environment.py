"""The surroundings of a command that runs unasked: a fixed search path and a short list of variables (CMD-9).

The user's own path leads through folders that anybody of the same name may write to, often before the system's.
"""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

SEARCH_PATH = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")
_KEPT = frozenset({"HOME", "LANG", "LOGNAME", "TERM", "TZ", "USER"})
_START_UP = (
    "LD_", "DYLD_", "BASH_ENV", "ENV", "PROMPT_COMMAND", "PS4", "IFS", "PATH", "CDPATH", "SHELLOPTS", "BASHOPTS",
    "BASH_FUNC_", "PYTHON", "NODE_", "PERL5", "PERLLIB", "RUBY", "GIT_", "GCONV_PATH", "MALLOC_", "GLIBC_TUNABLES",
    "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "PAGER", "EDITOR", "VISUAL", "LESSOPEN", "RIPGREP_CONFIG_PATH", "TERMINFO",
)  # fmt: skip


def steers(name: str) -> bool:
    """Tell whether a variable decides what a program loads, runs or finds: no call may set it."""
    return name.upper().startswith(_START_UP) or not name.replace("_", "a").isalnum()


def safe_environment(own: Mapping[str, str]) -> dict[str, str]:
    """Return what such a command gets of the program's own environment."""
    kept = {name: value for name, value in own.items() if name in _KEPT or name.startswith("LC_")}
    return kept | {"PATH": os.pathsep.join(SEARCH_PATH)}


def program_path(name: str, workspace: str | None) -> str | None:
    """Return the absolute path of a program by its bare name; None where it is not, or lies in the workspace."""
    if "/" in name or not name:
        return None
    root = Path(workspace).resolve() if workspace else None
    for folder in SEARCH_PATH:
        path = Path(folder, name)
        try:
            status = path.stat()
        except OSError:
            continue
        if stat.S_ISREG(status.st_mode) and os.access(path, os.X_OK):
            real = path.resolve()
            return None if root is not None and real.is_relative_to(root) else str(path)
    return None
