"""Rules by which the user lets a family of commands run: whole first words, of plain commands only (CMD-2).

Invariants: no rule for what runs other programs; an option that could run or write something takes a command out of
every rule, also when it is abbreviated.
"""

from deepchat_desktop.domain.base import Value

INTERPRETERS_AND_WRAPPERS = frozenset(
    {"bash", "sh", "dash", "zsh", "fish", "ksh", "csh", "tcsh", "pwsh", "powershell", "cmd", "busybox"}
    | {"python", "pypy", "node", "nodejs", "deno", "bun", "ruby", "perl", "php", "lua", "tclsh", "Rscript", "java"}
    | {"env", "sudo", "doas", "su", "xargs", "parallel", "timeout", "nice", "nohup", "time", "watch", "setsid"}
    | {"stdbuf", "script", "exec", "eval", "command", "builtin", "source", "chroot", "unshare", "nsenter", "strace"}
    | {"find", "awk", "gawk", "mawk", "sed", "ssh", "scp", "rsync", "npx", "pnpx", "uvx", "pipx", "gdb"}
    | {"docker", "podman", "kubectl"}
)
_LONG = (
    "--command", "--compress-program", "--config", "--config-env", "--eval", "--exec", "--exec-path", "--ext-diff",
    "--filter", "--git-dir", "--hook", "--hooks", "--open-files-in-pager", "--output", "--output-directory", "--pager",
    "--post-checkout", "--pre", "--receive-pack", "--replace", "--rsh", "--textconv", "--to-command", "--upload-pack",
    "--use-compress-program", "--work-tree",
)  # fmt: skip
_SHORT = ("-c", "-C", "-e", "-o", "-O", "-x", "-X")


class BadRule(ValueError):
    """Why a rule is not made."""


class PrefixRule(Value):
    """The words that a command must begin with. ``match`` and ``not_match`` are commands that it must (not) cover."""

    tokens: tuple[str, ...]
    match: tuple[tuple[str, ...], ...] = ()
    not_match: tuple[tuple[str, ...], ...] = ()

    def covers(self, argv: tuple[str, ...]) -> bool:
        """Tell whether a plain command is one of the family."""
        return argv[: len(self.tokens)] == self.tokens and not any(map(_acts, argv[len(self.tokens) :]))


def made(tokens: tuple[str, ...], rule: PrefixRule | None = None) -> PrefixRule:
    """Return a rule that keeps its own examples. Raises ``BadRule``."""
    if not tokens or not all(tokens):
        raise BadRule("A rule needs the words that a command begins with.")
    program = tokens[0].rsplit("/", 1)[-1]
    if program in INTERPRETERS_AND_WRAPPERS or program.rstrip("0123456789.") in INTERPRETERS_AND_WRAPPERS:
        raise BadRule(f"{program} runs whatever it is told to: there is no rule for it.")
    if "/" in tokens[0]:
        raise BadRule("A rule is for a program by its name, not by its path.")
    made_rule = rule or PrefixRule(tokens=tokens)
    wrong = [argv for argv in made_rule.match if not made_rule.covers(argv)]
    wrong += [argv for argv in made_rule.not_match if made_rule.covers(argv)]
    if wrong:
        raise BadRule(f"The rule does not keep its example {' '.join(wrong[0])!r}.")
    return made_rule


def _acts(word: str) -> bool:
    if word.startswith("--"):
        name = word.partition("=")[0]
        return any(option.startswith(name) or name.startswith(f"{option}-") for option in _LONG) and len(name) > 2
    return word.startswith(_SHORT)
