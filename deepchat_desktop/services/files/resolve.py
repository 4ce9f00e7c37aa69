"""The one road of a path to a tool: judged only after it is resolved.

Links and ``..`` are followed first; what lies inside is told by the identity of the folders on the way, never by text
(PATH-1). Bad names are errors before any file-system call (PATH-3). The app's own folder is out of reach in every mode
(MOD-2).
"""

import os
from pathlib import Path, PurePath

from deepchat_desktop.domain.base import Value
from deepchat_desktop.services.files.follow import (
    Follow,
    Followed,
    Identity,
    Kind,
    follow_by_system,
    follow_links,
    identity,
)
from deepchat_desktop.services.files.names import (
    HERE,
    System,
    is_home,
    is_protected,
    is_sensitive,
    name_key,
    refuse_bad_name,
)
from deepchat_desktop.services.files.refusals import BadPath, ForbiddenPath


class ResolvedPath(Value):
    """Where a path really leads."""

    path: str
    kind: Kind
    inside: bool
    """Within the workspace."""
    sensitive: bool
    """Likely holds secrets: reading asks in every mode."""
    protected: bool
    """Changes what runs or is trusted: writing always asks and cannot be remembered (PATH-5)."""
    identity: Identity | None = None
    """What stood there when it was judged; None where nothing did (PATH-2)."""


def resolve(
    text: str, *, workspace: str | None, forbidden: Path, base: str | None = None, keep_link: bool = False,
    system: System = HERE,
) -> ResolvedPath:  # fmt: skip
    """Resolve a path that a model wrote. Relative ones start at ``base`` or the workspace, ``~/`` at the user's home.

    ``forbidden`` is the app's own folder. ``keep_link``: a link at the end is meant itself. Raises ``PathRefused``.
    """
    refuse_bad_name(text, system)
    follow: Follow = follow_by_system if system == "windows" else follow_links
    found = follow(_absolute(text, base or workspace, system), keep_link)
    if is_within(found, forbidden, system):
        raise ForbiddenPath("The application's own data folder is out of reach for tools.", "MOD-2")
    if found.kind == "special":
        raise ForbiddenPath(f"{found.path} is a device, a pipe or a socket: out of reach for tools.", "PATH-1")
    if text.endswith(("/", "\\") if system == "windows" else "/") and found.kind == "file":
        raise BadPath(f"{found.path} is a file, not a folder.", "PATH-1")
    return ResolvedPath(
        path=found.path,
        kind=found.kind,
        inside=workspace is not None and is_within(found, Path(workspace), system),
        sensitive=any(map(is_sensitive, found.passed)),
        protected=any(map(is_protected, found.passed)),
        identity=identity(found.status) if found.status is not None else None,
    )


def is_within(found: Followed, folder: Path, system: System = HERE) -> bool:
    """Tell whether what was followed is a folder, or lies in it: by identity, by names where it does not exist yet."""
    try:
        return identity(folder.stat()) in (*found.folders, *([identity(found.status)] if found.status else []))
    except OSError:
        whole, own = (
            [name_key(part, system) for part in PurePath(os.path.realpath(each)).parts]
            for each in (found.path, str(folder))
        )
        return whole[: len(own)] == own


def _absolute(text: str, workspace: str | None, system: System) -> str:
    if is_home(text, system):
        home = os.path.expanduser("~")  # noqa: PTH111 - text, before anything is looked at
        return home + text[1:] if len(text) > 1 else home
    path = PurePath(text)
    if path.is_absolute():
        return text
    if not workspace:
        raise BadPath(
            "There is no workspace: give an absolute path, or let the user choose a workspace folder.", "PATH-1"
        )
    return f"{Path(workspace).absolute()}{os.sep}{text}"
