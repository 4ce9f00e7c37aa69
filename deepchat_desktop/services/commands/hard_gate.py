"""What asks in every mode, full access too: deleting what cannot be wanted, and writing what guards (MOD-1, PATH-5).

Recursive deletes outside the workspace, of home, of roots, of the workspace itself and of ``.git``, wherever they stand
in a command: in a list, behind a wrapper, in the text of a nested shell. What the shell would put into a target is not
known, so it counts as the worst.
"""

import os
import posixpath
import re
from collections.abc import Iterator, Sequence

from deepchat_desktop.services.commands.parse import commands_in, tree_of
from deepchat_desktop.services.files.names import is_protected

_DEEPEST = 5
"""Shells within shells that are looked into."""
_WRAPPERS = frozenset(
    {"sudo", "doas", "env", "nohup", "nice", "timeout", "time", "command", "exec", "xargs", "setsid", "stdbuf"}
    | {"busybox", "builtin", "ionice", "watch", "chroot"}
)
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "fish", "su"})
_RECURSIVE = re.compile(r"-[A-Za-z]*[rR][A-Za-z]*|--r(?:e(?:c(?:u(?:r(?:s(?:i(?:ve?)?)?)?)?)?)?)?")
_WORDS_OF_DELETES = re.compile(r"\brm\b|\bfind\b|\bshred\b|-delete\b|\brmdir\b")
_WINDOWS = re.compile(
    r"(?i)\b(?:remove-item|ri|rm|rmdir|rd|del|erase)\b[^;|&\n]*(?:-r|/s|-force)|\.delete\(|\bformat\b|\bclear-disk\b"
)
_BELOW = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*)*/\*")
_SCRIPT = re.compile(r"['\"]([^'\"]*)['\"]")


def gated(text: str, *, cwd: str, workspace: str | None, home: str, shell: str = "bash") -> str:
    """Return why a command asks in every mode, "" when nothing here says so."""
    if shell != "bash":
        return "It may delete folders." if _WINDOWS.search(text) else ""
    return _gated(text, _Place(cwd, workspace, home), 0)


class _Place:
    """Where a command would run."""

    def __init__(self, cwd: str, workspace: str | None, home: str) -> None:
        self.cwd, self.workspace, self.home = cwd, workspace, home

    def guarded(self, word: str) -> bool:
        """Tell whether deleting all of a target cannot be wanted."""
        if not word or re.search(r"[$`*?\[{]", word) or word.startswith("~"):
            return not _harmless_glob(word)
        path = posixpath.normpath(posixpath.join(self.cwd, word))
        if ".git" in path.split("/") or path in ("/", self.home) or self.home.startswith(path.rstrip("/") + "/"):
            return True
        root = os.path.realpath(self.workspace) if self.workspace else None
        real = os.path.realpath(path)
        return root is None or real == root or not real.startswith(root.rstrip("/") + "/")


def _harmless_glob(word: str) -> bool:
    """``build/*`` stays below a named folder; ``*``, ``/*``, ``../*`` and anything with a variable do not."""
    return _BELOW.fullmatch(word) is not None


def _gated(text: str, place: _Place, depth: int) -> str:
    root = tree_of(text)
    if root is None or root.has_error or depth > _DEEPEST:
        return "It cannot be read, and may delete." if _WORDS_OF_DELETES.search(text) else ""
    for words in commands_in(root):
        if why := _deletes(words, place) or _nested(words, place, depth):
            return why
        if any(is_protected(word.strip("><&|").split("/")) for word in words[1:] or words):
            return "It names something that decides what runs or is trusted."
    return ""


def _deletes(words: Sequence[str], place: _Place) -> str:
    program, rest, wrapped = _unwrapped(words)
    if program in ("rm", "shred", "unlink", "rmdir"):
        options = [word for word in rest if word.startswith("-") and word != "-"]
        recursive = any(_RECURSIVE.fullmatch(word) for word in options) or (wrapped and "xargs" in words)
        targets = [word for word in rest if not word.startswith("-")]
        if recursive and (not targets or any(map(place.guarded, targets))):
            return "It deletes a folder with all that is in it, and not only within the workspace."
    if program == "find" and ("-delete" in rest or any(posixpath.basename(word) in ("rm", "shred") for word in rest)):
        starts = []
        for word in rest:
            if word.startswith(("-", "(", "!", "\\")):
                break
            starts.append(word)
        if any(map(place.guarded, starts or ["."])):
            return "It deletes whatever it finds, and not only within a folder of the workspace."
    return ""


def _unwrapped(words: Sequence[str]) -> tuple[str, list[str], bool]:
    """Return the program behind wrappers, its words, and whether there was a wrapper."""
    left, wrapped = list(words), False
    while left:
        name = posixpath.basename(left[0].lstrip("\\"))
        if "=" in left[0] or (wrapped and (left[0].startswith("-") or left[0][:1].isdigit())):
            left = left[1:]
        elif name in _WRAPPERS:
            left, wrapped = left[1:], True
        else:
            return name, left[1:], wrapped
    return "", [], wrapped


def _nested(words: Sequence[str], place: _Place, depth: int) -> str:
    """Look into the texts that a shell, or ``eval``, is given."""
    program, rest, _ = _unwrapped(words)
    if program not in _SHELLS | {"eval"} and not any(posixpath.basename(word) in _SHELLS for word in rest):
        return ""
    return next((why for text in _scripts(rest) if (why := _gated(text, place, depth + 1))), "")


def _scripts(words: Sequence[str]) -> Iterator[str]:
    yield " ".join(words)
    for word in words:
        if " " in word:
            yield word
            yield from _SCRIPT.findall(word)
