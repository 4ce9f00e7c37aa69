"""``explain command``: what would happen to a command, and why, by the rules that judge every one.

Nothing is run and nothing is stored.
"""

import argparse
import os
from pathlib import Path
from typing import Any

from deepchat_desktop.cli.opening import data_folder
from deepchat_desktop.cli.output import Output
from deepchat_desktop.cli.parser import UsageError
from deepchat_desktop.services.commands.approval import command_key
from deepchat_desktop.services.commands.classify import CommandRequest, classify
from deepchat_desktop.services.commands.environment import program_path
from deepchat_desktop.services.commands.parse import BadCommand, Parsed, checked, parse
from deepchat_desktop.services.commands.prefix_rules import BadRule, PrefixRule, made
from deepchat_desktop.services.permissions import path_judge

_SHELLS = {"linux": "bash", "macos": "bash", "windows": "powershell"}


def run(args: argparse.Namespace, out: Output) -> int:
    """Judge the command and print the verdict; a refusal is a result, so this succeeds."""
    verdict = _verdict(args)
    if out.json_mode:
        out.data(verdict)
    else:
        out.line(f"{verdict['decision']}: {verdict['why']} ({verdict['rule']})")
        if verdict["resolved"]:
            out.line(verdict["resolved"])
    return 0


def _verdict(args: argparse.Namespace) -> dict[str, Any]:
    workspace = os.path.realpath(args.workspace) if args.workspace else None
    cwd = args.cwd or workspace or str(Path.cwd())
    shell, env = _SHELLS[args.os], dict(map(_pair, args.env))
    request = CommandRequest(args.text, cwd, workspace, args.mode, shell, env)
    approved = {_key(text, cwd=cwd, shell=shell) for text in args.approved}
    judge = path_judge(workspace, data_folder(args), ())
    told = classify(request, judge, approved, [_rule(text) for text in args.prefix])
    program = program_path(told.argv[0], workspace) if told.argv else None
    return {"decision": told.decision, "why": told.why, "rule": told.rule, "key": told.key, "resolved": program or ""}


def _key(text: str, *, cwd: str, shell: str) -> str:
    try:
        parsed = parse(text) if shell == "bash" else Parsed(checked(text), None)
    except BadCommand as error:
        raise UsageError(f"--approved {text!r}: {error}") from error
    return command_key(parsed, cwd=cwd, shell=shell, env={})


def _rule(text: str) -> PrefixRule:
    try:
        return made(tuple(text.split(" ")))
    except BadRule as error:
        raise UsageError(f"--prefix {text!r}: {error}") from error


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"--env takes NAME=VALUE, not {text!r}.")
    return name, value
