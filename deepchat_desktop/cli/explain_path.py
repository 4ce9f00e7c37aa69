"""``explain path``: what would happen to a path, and why, by the rules that judge every call.

Nothing is opened and nothing is stored.
"""

import argparse
from pathlib import Path
from typing import Any

from deepchat_desktop.cli.opening import data_folder
from deepchat_desktop.cli.output import Output
from deepchat_desktop.cli.parser import UsageError
from deepchat_desktop.domain.messages import Session, SessionSettings
from deepchat_desktop.domain.permission import Grant, Level, approval_key
from deepchat_desktop.services.files.refusals import BadPath, PathRefused
from deepchat_desktop.services.files.resolve import ResolvedPath, resolve
from deepchat_desktop.services.permissions import decide_path
from deepchat_desktop.services.tools.router import TOOLS

_TIERS: dict[str, Level] = {"read": "read", "write": "write", "all": "all"}


def run(args: argparse.Namespace, out: Output) -> int:
    """Judge the path and print the verdict; a refusal is a result, so this succeeds."""
    verdict = _verdict(args)
    if out.json_mode:
        out.data(verdict)
    else:
        out.line(f"{verdict['decision']}: {verdict['why']} ({verdict['rule']})")
        if verdict["resolved"]:
            out.line(verdict["resolved"])
    return 0


def _verdict(args: argparse.Namespace) -> dict[str, Any]:
    if (spec := TOOLS.get(args.tool or "")) is not None and spec[0].effect != args.need:
        raise UsageError(f"The tool {args.tool} needs to {spec[0].effect}, not to {args.need}.")
    workspace = str(Path(args.workspace).absolute()) if args.workspace else None
    forbidden = data_folder(args)
    grants = [_grant(text, workspace, forbidden) for text in args.grant]
    try:
        target = resolve(args.path, workspace=workspace, forbidden=forbidden)
    except PathRefused as error:
        kind = "error" if isinstance(error, BadPath) else "deny"
        return _told(kind, error.user_message, error.rule)
    if args.need == "read" and (problem := _unreadable(target)):
        return _told("error", problem, "PATH-1", target.path)
    session = Session(
        id="explain", settings=SessionSettings(mode=args.mode, workspace=workspace), created_at=0, updated_at=0
    )
    decision, rule, why = decide_path(args.need, target, session, grants)
    tool = args.tool or args.need
    key = approval_key(tool=tool, arguments_text="", target=target.path, cwd=workspace or "", mode=args.mode)
    return _told(decision, why, rule, target.path, key)


def _unreadable(target: ResolvedPath) -> str:
    match target.kind:
        case "missing" if target.inside:  # outside, what exists is not told before it is allowed
            return "There is no such file."
        case "folder":
            return "It is a folder."
        case _:
            return ""


def _grant(text: str, workspace: str | None, forbidden: Path) -> Grant:
    tier, _, path = text.partition(":")
    if tier not in _TIERS or not path:
        raise UsageError(f"--grant takes TIER:PATH with a tier of {', '.join(_TIERS)}, not {text!r}.")
    try:
        root = resolve(path, workspace=workspace, forbidden=forbidden).path
    except PathRefused as error:
        raise UsageError(f"--grant {text}: {error.user_message}") from error
    return Grant(session_id="explain", root=root, level=_TIERS[tier], created_at=0)


def _told(decision: str, why: str, rule: str, resolved: str = "", key: str = "") -> dict[str, Any]:
    return {"decision": decision, "why": why, "rule": rule, "key": key, "resolved": resolved}
