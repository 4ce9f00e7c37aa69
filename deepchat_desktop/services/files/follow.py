"""Where a path really leads: links are followed one by one and ``..`` is applied after them. Nothing is opened.

Invariants: a path that comes out holds neither a link nor ``..`` as far as it exists; a loop is an error and never a
hang; the doors of the kernel to other files (``/proc/self/fd/3``) are refused before they are read (PATH-1).
"""

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

from deepchat_desktop.services.files.refusals import BadPath, ForbiddenPath

MOST_LINKS = 40
"""As many as Linux follows."""

Identity = tuple[int, int]
"""``(st_dev, st_ino)``: what a file or folder is, whatever it is called."""
Kind = Literal["file", "folder", "link", "missing", "special"]


@dataclass(frozen=True)
class Followed:
    """What stands at the end of a path. ``folders`` are the identities of the folders on the way, the root first."""

    path: str
    kind: Kind
    status: os.stat_result | None
    folders: tuple[Identity, ...]
    passed: tuple[tuple[str, ...], ...]
    """Each place that named it: those of the links on the way, and at last its own. Names from the root down."""


Follow = Callable[[str, bool], Followed]


def identity(status: os.stat_result) -> Identity:
    """Return what tells one file or folder from all others."""
    return status.st_dev, status.st_ino


def kind_of(status: os.stat_result) -> Kind:
    """Name what a file-system entry is."""
    mode = status.st_mode
    if stat.S_ISREG(mode):
        return "file"
    return "folder" if stat.S_ISDIR(mode) else "link" if stat.S_ISLNK(mode) else "special"


def follow_links(path: str, keep_link: bool = False) -> Followed:
    """Follow an absolute POSIX path, which may end in names that do not exist. Raises ``PathRefused``.

    ``keep_link``: a link at the very end is meant itself, as when it is deleted.
    """
    return _Walk(path).to_the_end(keep_link)


class _Walk:
    """One way from the root: the names so far, and what each of them is."""

    def __init__(self, path: str) -> None:
        self._asked = path
        self._todo = path.split("/")[::-1]
        self._names: list[str] = []
        self._found: list[os.stat_result | None] = [os.lstat("/")]
        self._passed: list[tuple[str, ...]] = []

    def to_the_end(self, keep_link: bool) -> Followed:
        """Take one name after the other until none is left."""
        while self._todo:
            name = self._todo.pop()
            if name == "..":
                self._up()
            elif name not in ("", "."):
                self._enter(name, keep_link)
        status = self._found[-1]
        folders = tuple(identity(each) for each in self._found if each is not None and stat.S_ISDIR(each.st_mode))
        own = (*self._passed, tuple(self._names))
        return Followed(self._path(), "missing" if status is None else kind_of(status), status, folders, own)

    def _path(self, *more: str) -> str:
        return "/" + "/".join((*self._names, *more))

    def _up(self) -> None:
        if self._found[-1] is None:
            raise BadPath(f"{self._path()} does not exist, so there is no way up from it.", "PATH-1")
        if self._names:
            self._names.pop()
            self._found.pop()

    def _enter(self, name: str, keep_link: bool) -> None:
        _refuse_doors((*self._names, name))
        status = self._look(name) if self._found[-1] is not None else None
        if status is not None and stat.S_ISLNK(status.st_mode) and not (keep_link and not self._todo):
            self._follow(name)
            return
        self._names.append(name)
        self._found.append(status)
        if self._todo and status is not None and not stat.S_ISDIR(status.st_mode):
            raise BadPath(f"{self._path()} is not a folder.", "PATH-1")

    def _look(self, name: str) -> os.stat_result | None:
        try:
            return os.lstat(self._path(name))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise BadPath(f"{self._path(name)} cannot be looked at: {error.strerror}.", "PATH-1") from error

    def _follow(self, name: str) -> None:
        self._passed.append((*self._names, name))
        if len(self._passed) > MOST_LINKS:
            raise BadPath(f"The links of {self._asked} lead in a circle.", "PATH-1")
        try:
            target = os.readlink(self._path(name))  # noqa: PTH115 - a ``Path`` would drop "." and "//"
        except OSError as error:
            raise BadPath(f"The link {self._path(name)} cannot be read: {error.strerror}.", "PATH-1") from error
        if target.startswith("/"):
            self._names, self._found = [], self._found[:1]
        self._todo.extend(target.split("/")[::-1])


def _refuse_doors(names: tuple[str, ...]) -> None:
    """Refuse devices, and the places where the kernel shows processes and their open files."""
    match names:
        case ("proc", process, *_) if process.isdecimal() or process in ("self", "thread-self"):
            raise ForbiddenPath("What the system shows of processes is out of reach for tools.", "PATH-1")
        case ("dev", name, *_) if name not in ("shm", "mqueue"):
            raise ForbiddenPath("Devices are out of reach for tools.", "PATH-1")
        case (".vol", *_):
            raise ForbiddenPath("Paths by volume and number are out of reach for tools.", "PATH-1")


def follow_by_system(path: str, keep_link: bool = False) -> Followed:
    """Follow an absolute path with the system's own means: for Windows, whose links are of many kinds."""
    asked = PurePath(path)
    try:
        real = os.path.realpath(asked.parent if keep_link else asked)
        real = os.path.join(real, asked.name) if keep_link else real  # noqa: PTH118 - text of the system, not ours
        if real.startswith("\\\\"):
            raise ForbiddenPath("Network shares and device paths are out of reach for tools.", "PATH-8")
        way = [*reversed(PurePath(real).parents), PurePath(real)]
        found = [_status(str(step), last=step is way[-1] and keep_link) for step in way]
    except (OSError, ValueError) as error:
        raise BadPath(f"{path} cannot be resolved: {error}.", "PATH-1") from error
    folders = tuple(identity(each) for each in found if each is not None and stat.S_ISDIR(each.st_mode))
    passed = (_names(asked), _names(PurePath(real)))
    return Followed(real, "missing" if found[-1] is None else kind_of(found[-1]), found[-1], folders, passed)


def _status(path: str, *, last: bool) -> os.stat_result | None:
    try:
        return os.stat(path, follow_symlinks=not last)  # noqa: PTH116 - the text as the system gave it
    except FileNotFoundError:
        return None


def _names(path: PurePath) -> tuple[str, ...]:
    return path.parts[1:]
