"""Whether a command may run, must be asked for, or is refused: the one place that decides (CMD-7).

Foreground, background, scripts of skills and terminals of agents all come here. Deny by default: what nothing allows
asks. Pure but for the look at the paths among the words, so that it can run again when the command is dispatched.
"""

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from deepchat_desktop.domain.permission import Verdict
from deepchat_desktop.services.commands.approval import command_key
from deepchat_desktop.services.commands.environment import steers
from deepchat_desktop.services.commands.hard_gate import gated
from deepchat_desktop.services.commands.parse import BadCommand, Parsed, checked, parse
from deepchat_desktop.services.commands.prefix_rules import PrefixRule
from deepchat_desktop.services.commands.program_options import PROGRAMS, UnknownOption, paths_of

PathVerdict = Literal["inside", "granted", "sensitive", "outside", "bad"]
JudgePath = Callable[[str, str], PathVerdict]
"""Says of a path, relative to a folder, whether it may be read."""


@dataclass(frozen=True)
class CommandRequest:
    """A command as a call asks for it. ``env`` is what the call sets; ``home`` is the user's."""

    text: str
    cwd: str
    workspace: str | None
    mode: Literal["ask", "read", "full", "chat"]
    shell: str = "bash"
    env: Mapping[str, str] = field(default_factory=dict)
    home: str = field(default_factory=lambda: os.path.expanduser("~"))  # noqa: PTH111 - text


@dataclass(frozen=True)
class CommandDecision:
    """``argv``: it runs as these very words, without a shell (CMD-9). ``memorable``: it may be remembered."""

    decision: Verdict | Literal["error"]
    rule: str
    why: str
    key: str = ""
    argv: tuple[str, ...] | None = None
    memorable: bool = True


def classify(
    request: CommandRequest, judge: JudgePath, approved: Collection[str] = (), rules: Collection[PrefixRule] = ()
) -> CommandDecision:
    """Judge a command. ``approved`` are the keys that the user allowed and that still hold."""
    try:
        parsed = parse(request.text) if request.shell == "bash" else Parsed(checked(request.text), None)
    except BadCommand as error:
        return CommandDecision("error", "CMD-6", str(error))
    key = command_key(parsed, cwd=request.cwd, shell=request.shell, env=request.env)
    if request.mode == "chat":
        return CommandDecision("deny", "MOD", "This session is for chat only: no commands run in it.", key)
    if wrong := sorted(filter(steers, request.env)):
        return CommandDecision("deny", "CMD-3", f"A call cannot set {', '.join(wrong)}: it decides what runs.", key)
    if always := _always_asks(request, parsed):
        return CommandDecision("ask", *always, key, memorable=False)
    if request.mode == "full":
        return CommandDecision("allow", "MOD-1", "The session has full access.", key)
    if key in approved:
        return CommandDecision("allow", "CMD-1", "This very command was allowed here before.", key)
    return _by_rules(request, parsed, key, judge, rules)


def _always_asks(request: CommandRequest, parsed: Parsed) -> tuple[str, str] | None:
    if parsed.hidden:
        return "CMD-6", parsed.why
    why = gated(
        parsed.text, cwd=request.cwd, workspace=request.workspace, home=request.home, shell=request.shell
    )
    return ("MOD-1", why) if why else None


def _by_rules(
    request: CommandRequest, parsed: Parsed, key: str, judge: JudgePath, rules: Collection[PrefixRule]
) -> CommandDecision:
    if request.shell != "bash":
        return CommandDecision("ask", "CMD-8", f"Commands of {request.shell} are always asked for.", key)
    if parsed.argv is None:
        return CommandDecision("ask", "CMD-3", parsed.why, key)
    if any(rule.covers(parsed.argv) for rule in rules):
        return CommandDecision("allow", "CMD-2", "A rule of yours covers it.", key, parsed.argv)
    if parsed.argv[0] not in PROGRAMS:
        return CommandDecision("ask", "CMD-4", f"{parsed.argv[0]} is not one of the programs that only read.", key)
    if request.env:
        return CommandDecision("ask", "CMD-3", "It comes with variables of its own.", key)
    try:
        paths = paths_of(parsed.argv)
    except UnknownOption as reason:
        return CommandDecision("ask", "CMD-4", f"{reason}.", key)
    if refused := [path for path in [".", *paths] if judge(path, request.cwd) not in ("inside", "granted")]:
        return CommandDecision("ask", "CMD-5", f"Nothing allows it to read {refused[0]}.", key)
    return CommandDecision("allow", "CMD-3", "It only reads, and only what may be read.", key, parsed.argv)
