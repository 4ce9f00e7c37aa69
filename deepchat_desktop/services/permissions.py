"""Whether a call may run, must be asked for, or is refused: the one place that decides.

Deny by default: what no rule allows asks. Pure but for the resolution of paths, so that it can run again inside
the transaction that commits the dispatch (APR-6).
"""

import os
from collections.abc import Sequence
from pathlib import Path

from deepchat_desktop.domain.messages import Session
from deepchat_desktop.domain.permission import Decision, Grant, Level, Verdict, approval_key, covers
from deepchat_desktop.domain.tools import Effect, ToolCall, ToolSpec
from deepchat_desktop.services.commands.classify import JudgePath, PathVerdict
from deepchat_desktop.services.files.refusals import PathRefused
from deepchat_desktop.services.files.resolve import ResolvedPath, resolve
from deepchat_desktop.services.tools.router import ToolRouter


def decide(
    router: ToolRouter, call: ToolCall, session: Session, grants: Sequence[Grant]
) -> tuple[Decision, ResolvedPath | None]:
    """Judge one valid call in its session; also return where its path leads (None when it is refused)."""
    spec = router.spec(call.name)
    if spec is None:
        return Decision(decision="deny", level="all", why="There is no such tool."), None
    level: Level = spec.effect
    try:
        target = router.target(call, session)
    except PathRefused as error:
        return Decision(decision="deny", level=level, why=error.user_message, rule=error.rule), None
    verdict, rule, why = decide_path(spec.effect, target, session, grants)
    decision = Decision(
        decision=verdict,
        level=level,
        target=target.path,
        summary=_summary(spec, target, session),
        detail=_detail(call, target),
        why=why,
        rule=rule,
    )
    return decision, target


def binding(call: ToolCall, decision: Decision, session: Session) -> str:
    """Return the key that binds an approval to this call in this place (APR-1)."""
    return approval_key(
        tool=call.name,
        arguments_text=call.arguments_text,
        target=decision.target,
        cwd=session.settings.workspace or "",
        mode=session.settings.mode,
    )


def session_root(session: Session, target: str) -> str:
    """Return the folder that a grant for this session covers: the workspace, else the file's own folder."""
    workspace = session.settings.workspace
    if workspace and Path(target).is_relative_to(Path(workspace).resolve()):
        return str(Path(workspace).resolve())
    return str(Path(target).parent)


def decide_path(
    need: Effect, target: ResolvedPath, session: Session, grants: Sequence[Grant]
) -> tuple[Verdict, str, str]:
    """Return what the rules say of a file that is to be read or written: verdict, rule and reason."""
    mode = session.settings.mode
    if mode == "chat":
        return "deny", "MOD", "This session is for chat only: no tools run in it."
    if need == "read":
        if target.sensitive:
            return "ask", "PATH-5", "Its name suggests that it holds secrets."
        if target.inside or mode in ("read", "full"):
            return "allow", "PATH-1", "Reading here is free in this mode."
    elif target.protected or target.sensitive:
        return "ask", "PATH-5", "It can change what runs or is trusted, so it is always asked for."
    elif mode == "full":
        return "allow", "MOD-1", "The session has full access."
    for grant in grants:
        if covers(grant.level, need) and Path(target.path).is_relative_to(grant.root):
            return "allow", "TIER-1", "Allowed earlier in this session."
    return "ask", "MOD", "Nothing allows it yet."


def _summary(spec: ToolSpec, target: ResolvedPath, session: Session) -> str:
    path = Path(target.path)
    workspace = session.settings.workspace
    name = str(path.relative_to(Path(workspace).resolve())) if target.inside and workspace else target.path
    if spec.effect == "read":
        return f"Read {name}"
    # os.path: a folder that may not be looked into counts as "not there" instead of being an error.
    return f"Replace {name}" if os.path.lexists(path) else f"Create {name}"


def _detail(call: ToolCall, target: ResolvedPath) -> str:
    content = call.arguments.get("content")
    return f"{target.path}\n\n{content}" if isinstance(content, str) else target.path


def path_judge(workspace: str | None, forbidden: Path, grants: Sequence[Grant]) -> JudgePath:
    """Return what says of the paths among a command's words whether they may be read (CMD-5)."""

    def judge(path: str, cwd: str) -> PathVerdict:
        try:
            target = resolve(path, workspace=workspace, forbidden=forbidden, base=cwd)
        except PathRefused:
            return "bad"
        if target.sensitive:
            return "sensitive"
        if target.inside:
            return "inside"
        covered = any(covers(grant.level, "read") and Path(target.path).is_relative_to(grant.root) for grant in grants)
        return "granted" if covered else "outside"

    return judge
