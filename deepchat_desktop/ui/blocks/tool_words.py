"""What a tool card says of a call: its icon, the argument that matters, and its state in words."""

from pathlib import PurePath

from PySide6.QtCore import QCoreApplication

from deepchat_desktop.domain.blocks import ToolCallBlock, ToolStatus
from deepchat_desktop.domain.visible_text import visible_exact
from deepchat_desktop.ui.icons import IconName

_ICONS: dict[str, IconName] = {
    "read": "file-text",
    "write": "note-pencil",
    "edit": "pencil-simple",
    "exec": "terminal-window",
    "process": "terminal-window",
    "delete": "trash",
    "move": "file",
    "ls": "folder-simple",
    "list_directory": "folder-simple",
    "find": "magnifying-glass",
    "glob": "magnifying-glass",
    "grep": "magnifying-glass",
    "web_fetch": "globe",
    "web_search": "globe",
    "ask_question": "question",
    "update_plan": "list-bullets",
    "skill_view": "book-open",
    "skill_run": "book-open",
}
_TELLING = ("path", "file", "command", "url", "query", "pattern", "name")
State = tuple[IconName | None, str, str]
"""Icon (None: the spinner), words, colour token."""


def _tr(text: str) -> str:
    return QCoreApplication.translate("ToolCard", text)


def icon_of(tool: str) -> IconName:
    """Return a tool's icon."""
    return _ICONS.get(tool, "wrench")


def argument_of(call: ToolCallBlock) -> str:
    """Return the one argument that tells most, on one line, with invisible characters shown."""
    arguments = call.arguments or {}
    for key in _TELLING:
        if isinstance(arguments.get(key), str):
            return visible_exact(" ".join(str(arguments[key]).split("\n")), multiline=False)
    first = next((value for value in arguments.values() if isinstance(value, str)), "")
    return visible_exact(first.replace("\n", " ")[:200], multiline=False)


def language_of(call: ToolCallBlock) -> str:
    """Return the ending of the file that a call is about, as the name of a language."""
    return PurePath(argument_of(call)).suffix.removeprefix(".")


def state_of(call: ToolCallBlock, now: int) -> State:
    """Return the state. ``now`` is ms since 1970."""
    states: dict[ToolStatus, State] = {
        "streaming": (None, _tr("Preparing"), "muted"),
        "pending": ("clock", _tr("Waiting"), "muted"),
        "waiting": ("hand-palm", _tr("Waiting for you"), "warn"),
        "running": (None, _timed(_tr("Running"), call.started_at, now, whole=True), "muted"),
        "success": ("check-circle", _timed(_tr("Done"), call.started_at, call.ended_at), "ok"),
        "error": ("warning-circle", _timed(_tr("Failed"), call.started_at, call.ended_at), "danger"),
        "denied": ("prohibit", _tr("Refused by you"), "muted"),
        "skipped": ("skip-forward", _tr("Skipped"), "muted"),
        "interrupted": ("warning-circle", _tr("Interrupted, outcome unknown"), "warn"),
        "incomplete": ("skip-forward", _tr("Cut off, not run"), "muted"),
    }
    return states[call.status]


def _timed(word: str, start: int | None, end: int | None, *, whole: bool = False) -> str:
    if start is None or end is None:
        return word
    seconds = max(0, end - start) / 1000
    return f"{word} · {seconds:.0f} s" if whole else f"{word} · {seconds:.1f} s"
