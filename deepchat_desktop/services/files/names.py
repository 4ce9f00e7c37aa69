"""What a name alone tells: that it is no file name, that it guards something, that it is likely a secret.

Invariants: everything here is pure and happens before any file-system call (PATH-3); names that guard or hide something
are known in any case, with characters that some file systems ignore, and before they exist (PATH-5).
"""

import os
import re
import sys
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from deepchat_desktop.services.files import windows_names
from deepchat_desktop.services.files.refusals import BadPath

System = Literal["linux", "macos", "windows"]
HERE: System = "windows" if os.name == "nt" else "macos" if sys.platform == "darwin" else "linux"

MOST_CHARACTERS = 4096
_URL = re.compile(r"(?i)^([a-z][a-z0-9+.-]+://|(file|data|mailto|javascript):)")

_PROTECTED_FOLDERS = frozenset(
    {".git", ".hg", ".svn", ".vscode", ".vscode-server", ".idea", ".zed", ".cursor", ".husky", ".githooks"}
    | {".devcontainer", ".circleci", ".claude", ".agents", ".codex", ".gemini", ".deepchat"}
    | {"autostart", "launchagents", "launchdaemons", ".oh-my-zsh", ".bashrc.d", ".init.d", "cron.d"}
)
_PROTECTED_PAIRS = frozenset(
    {(".github", "workflows"), (".github", "actions"), (".github", "copilot-instructions.md")}
    | {(".config", "fish"), (".config", "systemd"), (".config", "environment.d"), (".config", "git")}
)
_PROTECTED_FILES = frozenset(
    {".mcp.json", ".envrc", ".gitmodules", ".gitattributes", ".gitconfig", ".pre-commit-config.yaml"}
    | {".gitlab-ci.yml", "agents.md", "claude.md", "gemini.md", "skill.md", ".cursorrules", ".windsurfrules"}
    | {".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".xprofile"}
    | {".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".cshrc", ".tcshrc", ".login", ".inputrc"}
    | {".xinitrc", ".xsession", ".xsessionrc", ".pam_environment", "crontab", "sudoers", "authorized_keys"}
    | {"sitecustomize.py", "usercustomize.py", ".vimrc", ".exrc", ".tmux.conf", ".yarnrc", ".yarnrc.yml"}
    | {"profile.ps1", "microsoft.powershell_profile.ps1", "desktop.ini", "autorun.inf"}
)
# What NTFS also calls ".git" (CVE-2014-9390).
_SHORT_GIT = re.compile(r"^git~\d+$")

_SENSITIVE_FOLDERS = frozenset(
    {".ssh", ".aws", ".azure", ".kube", ".gnupg", ".password-store", "keychains", ".mozilla", ".thunderbird"}
    | {".secrets", ".electrum", ".bitcoin"}
)
_SENSITIVE_PAIRS = frozenset(
    {(".docker", "config.json"), (".config", "gcloud"), (".config", "gh"), (".config", "google-chrome")}
    | {(".config", "chromium"), (".local", "keyrings"), ("share", "keyrings"), (".cargo", "credentials.toml")}
    | {(".cargo", "credentials"), (".gem", "credentials"), (".terraform.d", "credentials.tfrc.json")}
)
_SENSITIVE_FILE = re.compile(
    r"\.env.*|.*\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc)|id_(rsa|dsa|ecdsa|ed25519|xmss).*|id_[^.]+(\.pub)?"
    r"|[._](npmrc|netrc|pypirc|pgpass|my\.cnf|htpasswd|dockercfg|boto|s3cfg|vault-token|git-credentials)"
    r"|\.[a-z0-9_]+_history|g?shadow-?|credentials(\.json)?|client_secret.*\.json|login\.keychain(-db)?"
)
_IGNORED_BY_SOME = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")


def refuse_bad_name(text: str, system: System = HERE) -> None:
    """Raise ``PathRefused`` for a text that names no file (PATH-3), on Windows also by its own rules (PATH-8)."""
    if not text.strip():
        raise BadPath("The path is empty.", "PATH-3")
    if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text):
        raise BadPath("The path holds characters that no file name can have.", "PATH-3")
    if len(text) > MOST_CHARACTERS:
        raise BadPath(f"The path is longer than {MOST_CHARACTERS:,} characters.", "PATH-3")
    if text[0] == "~" and not is_home(text, system):
        raise BadPath("The home folders of other users (~name) are not expanded: write the full path.", "PATH-3")
    if _URL.match(text):
        raise BadPath("A URL is not a path.", "PATH-3")
    if system == "windows":
        windows_names.refuse(text)


def is_home(text: str, system: System = HERE) -> bool:
    """Tell whether a path begins at the user's own home folder: the only thing in a path that is expanded."""
    return text == "~" or text.startswith("~/") or (system == "windows" and text.startswith("~\\"))


def name_key(part: str, system: System = HERE) -> str:
    """Return what two names have in common when the system's usual file systems hold them to be the same."""
    match system:
        case "linux":
            return part
        case "macos":
            return unicodedata.normalize("NFD", unicodedata.normalize("NFD", part).casefold())
        case "windows":
            return part.casefold()


def is_protected(parts: Sequence[str]) -> bool:
    """Tell whether writing here can change what runs or is trusted. ``parts`` are the names from the root down."""
    folded = [_folded(part) for part in parts]
    return (
        (folded[-1:] != [] and folded[-1] in _PROTECTED_FILES)
        or any(name in _PROTECTED_FOLDERS or _SHORT_GIT.match(name) is not None for name in folded)
        or not _PROTECTED_PAIRS.isdisjoint(pairwise(folded))
    )


def is_sensitive(parts: Sequence[str]) -> bool:
    """Tell whether what is here likely holds secrets. ``parts`` are the names from the root down."""
    folded = [_folded(part) for part in parts]
    return (
        (folded[-1:] != [] and _SENSITIVE_FILE.fullmatch(folded[-1]) is not None)
        or not _SENSITIVE_FOLDERS.isdisjoint(folded)
        or not _SENSITIVE_PAIRS.isdisjoint(pairwise(folded))
    )


def _folded(part: str) -> str:
    """Fold case and drop what some file systems drop: ignorable characters, and dots and blanks at the end."""
    kept = part if part.isascii() else "".join(char for char in part if not _ignorable(char))
    return unicodedata.normalize("NFC", kept.casefold()).rstrip(". ")


def _ignorable(char: str) -> bool:
    return (
        unicodedata.category(char) == "Cf"
        or char in _IGNORED_BY_SOME
        or "\u180b" <= char <= "\u180f"
        or "\ufe00" <= char <= "\ufe0f"
        or "\U000e0000" <= char <= "\U000e0fff"
    )
