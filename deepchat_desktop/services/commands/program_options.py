"""The programs that only read, each with the options that keep it so (CMD-4).

Whatever is not here asks: an unknown option, an abbreviated long one, a cluster of short ones that is not listed.
Kept short on purpose: lists leak. Not here at all: git, sed, awk, tar, less, man, env, xargs, interpreters; ``uniq``,
whose second operand is an output file; ``grep -r`` and ``diff -r``, which read secrets on the way or follow links.
"""

from dataclasses import dataclass
from typing import Literal

Operands = Literal["paths", "pattern then paths", "none"]


@dataclass(frozen=True)
class Program:
    """``flags`` stand alone; ``valued`` take the next word, which is no path."""

    flags: frozenset[str]
    valued: frozenset[str] = frozenset()
    operands: Operands = "paths"
    tests: bool = False
    """Its options follow its operands and none comes after them, as with ``find``."""


def _program(flags: str, valued: str = "", operands: Operands = "paths", *, tests: bool = False) -> Program:
    return Program(frozenset(flags.split()), frozenset(valued.split()), operands, tests)


PROGRAMS: dict[str, Program] = {
    "cat": _program("-n -b -s -v -e -t -A --number"),
    "cmp": _program("-s -l"),
    "diff": _program("-u -q -s -w -b -i -c --unified --brief", "-U"),
    "du": _program("-s -h -sh -a -c --summarize --human-readable", "-d"),
    "find": _program("-empty -print -not -a -o -mount -xdev",
                     "-name -iname -path -ipath -type -maxdepth -mindepth -size -mtime -mmin", tests=True),
    "grep": _program("-n -i -l -L -c -w -x -F -E -v -o -H -h -q -s", "-A -B -C -m", "pattern then paths"),
    "head": _program("-q -v", "-n -c"),
    "ls": _program("-a -A -l -h -1 -t -r -S -d -F -p -R -la -al -lA -lh -lah -alh -ltr -lt -lS --all --almost-all"),
    "pwd": _program("-P -L", operands="none"),
    "rg": _program("-n -i -l -c -w -x -F -S -s -v -o -H -I --line-number --ignore-case --files-with-matches --count",
                   "-A -B -C -m -g -t -T", "pattern then paths"),
    "sort": _program("-n -r -u -f -b -h -V -g -M -c", "-k -t"),
    "stat": _program("-t --terse", "-c --format"),
    "tail": _program("-q -v", "-n -c"),
    "wc": _program("-l -w -c -m -L --lines --words --bytes --chars"),
}  # fmt: skip


class UnknownOption(ValueError):
    """An option that is not known to keep a program reading; the message names it."""


def paths_of(argv: tuple[str, ...]) -> list[str]:
    """Return the words of a listed program's argv that name files. Raises ``UnknownOption``."""
    program = PROGRAMS[argv[0]]
    operands: list[str] = []
    words = iter(argv[1:])
    only_operands = seen_test = False
    for word in words:
        if only_operands or not word.startswith("-") or word == "-":
            if word == "-" or seen_test:
                raise UnknownOption(f"{argv[0]} would not read a file of that name: {word}")
            operands.append(word)
        elif word == "--" and not program.tests:
            only_operands = True
        elif word in program.valued:
            seen_test = program.tests
            if next(words, None) is None:
                raise UnknownOption(f"{argv[0]} {word} lacks its value")
        elif word in program.flags:
            seen_test = program.tests
        else:
            raise UnknownOption(f"{argv[0]} {word} is not known to only read")
    return _paths_among(operands, program, argv[0])


def _paths_among(operands: list[str], program: Program, name: str) -> list[str]:
    if program.operands == "none" and operands:
        raise UnknownOption(f"{name} takes no words")
    if program.operands != "pattern then paths":
        return operands
    if not operands:
        raise UnknownOption(f"{name} lacks its pattern")
    return operands[1:]
