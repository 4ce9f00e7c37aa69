"""What the user is asked, what a grant covers, and what binds an approval to one exact call.

Levels: ``all`` (3) covers ``write`` (2) covers ``read`` (1); ``command`` (0) is in none of them (TIER-1).
"""

import hashlib
from typing import Any, Literal

from deepchat_desktop.domain.base import Value
from deepchat_desktop.domain.tape import canonical_json

Level = Literal["all", "write", "read", "command"]
_RANK: dict[Level, int] = {"all": 3, "write": 2, "read": 1, "command": 0}

Scope = Literal["once", "session", "always"]
Verdict = Literal["allow", "ask", "deny"]


def covers(granted: Level, needed: Level) -> bool:
    """Tell whether a grant of one level is enough for another; a command is covered by nothing here."""
    return _RANK[needed] > 0 and _RANK[granted] >= _RANK[needed]


class Grant(Value):
    """What the user allowed beyond one call, within one session and one root folder."""

    session_id: str
    server: str = "builtin"
    root: str
    level: Level
    created_at: int


class Interaction(Value):
    """A permission or a question that waits for the user, or was answered.

    ``binding`` is the approval key of the exact call (APR-1); ``revision`` is the message's run at the time
    of asking: an edit or a fork voids it (APR-4).
    """

    id: str
    session_id: str
    message_id: str
    run_id: str
    request_id: str
    call_id: str
    kind: Literal["permission", "question"] = "permission"
    tool: str
    level: Level
    target: str
    summary: str
    detail: str = ""
    reason: str = ""
    binding: str
    order: int
    status: Literal["pending", "allowed", "denied", "void"] = "pending"
    scope: Scope | None = None
    why: str = ""
    created_at: int
    answered_at: int | None = None


class Answer(Value):
    """What the user clicked."""

    allow: bool
    scope: Scope = "once"
    why: str = ""


class Decision(Value):
    """What the rules say of one call, before anyone is asked."""

    decision: Verdict
    level: Level
    target: str = ""
    summary: str = ""
    detail: str = ""
    why: str = ""
    rule: str = ""


def approval_key(*, tool: str, arguments_text: str, target: str, cwd: str, mode: str) -> str:
    """Return the key that binds an approval to one exact call (APR-1): hex SHA-256.

    The argument text enters as the model spelled it, so ``1`` and ``1.0`` stay apart.
    """
    fields: dict[str, Any] = {
        "tool": tool,
        "arguments": arguments_text,
        "target": target,
        "cwd": cwd,
        "mode": mode,
    }
    return hashlib.sha256(canonical_json(fields)).hexdigest()
