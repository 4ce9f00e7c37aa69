"""The files of a workspace, for completion: walked on a thread, bounded, and judged by the one resolver of paths.

Invariants: at most ``MOST_FILES`` are listed, nearest first; links to folders are not followed; hidden names, folders
of packages and build products, and what the workspace's own ``.gitignore`` names plainly are left out; a file that
likely holds secrets, or that leads outside, is never offered.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from deepchat_desktop.domain.errors import ToolError
from deepchat_desktop.services.files.resolve import resolve

MOST_FILES = 20_000
_GITIGNORE_BYTES = 64_000
_IGNORED = frozenset(
    {"node_modules", "__pycache__", "venv", "site-packages", "dist", "build", "target", "coverage", "bower_components"}
)


def list_files(workspace: str, stopped: Callable[[], bool]) -> list[str]:
    """Return the files below a folder as relative paths with ``/``, those of upper folders first.

    ``stopped`` is asked for each folder; what was found until then is returned.
    """
    patterns = _ignored_patterns(Path(workspace))
    found: list[str] = []
    folders = deque([""])
    while folders and len(found) < MOST_FILES and not stopped():
        folder = folders.popleft()
        for name, is_folder in _entries(Path(workspace) / folder):
            path = f"{folder}{name}"
            if _is_ignored(path, name, is_folder, patterns):
                continue
            if is_folder:
                folders.append(path + "/")
            else:
                found.append(path)
    return found[:MOST_FILES]


def matching(paths: Sequence[str], query: str, limit: int) -> Iterator[str]:
    """Give the paths that have the query in them, whatever the case: in the name before elsewhere, short ones first."""
    wanted = query.casefold()
    ranked = []
    for path in paths:
        folded = path.casefold()
        at = folded.rfind(wanted)
        if at >= 0:
            name = folded.rfind("/") + 1
            ranked.append((0 if at == name else 1 if at > name else 2, len(path), path))
    ranked.sort()
    return (path for _place, _length, path in ranked[:limit])


def offered(workspace: str, paths: Iterator[str], forbidden: Path, limit: int) -> list[tuple[str, str]]:
    """Return (relative path, real path) of those that may be offered. ``forbidden`` is the app's own folder."""
    found: list[tuple[str, str]] = []
    for path in paths:
        if len(found) == limit:
            break
        try:
            real = resolve(path, workspace=workspace, forbidden=forbidden)
        except ToolError:
            continue
        if real.inside and not real.sensitive:
            found.append((path, real.path))
    return found


def _entries(folder: Path) -> list[tuple[str, bool]]:
    """Return the names in a folder with whether each is a folder itself; none where it may not be read."""
    try:
        with os.scandir(folder) as entries:
            listed = [(entry.name, entry.is_dir(follow_symlinks=False), entry.is_file()) for entry in entries]
    except OSError:
        return []
    return sorted((name, is_folder) for name, is_folder, is_file in listed if is_folder or is_file)


def _ignored_patterns(workspace: Path) -> list[str]:
    """Return the plain lines of the folder's ``.gitignore``; what takes back others (``!``) is not read."""
    try:
        with (workspace / ".gitignore").open("rb") as file:
            text = file.read(_GITIGNORE_BYTES).decode("utf-8", "replace")
    except OSError:
        return []
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and line[0] not in "#!"]


def _is_ignored(path: str, name: str, is_folder: bool, patterns: Sequence[str]) -> bool:
    if name.startswith(".") or (is_folder and name in _IGNORED):
        return True
    for pattern in patterns:
        if pattern.endswith("/") and not is_folder:
            continue
        plain = pattern.removesuffix("/").removeprefix("**/")
        if fnmatchcase(path, plain.removeprefix("/")) if "/" in plain else fnmatchcase(name, plain):
            return True
    return False
