"""Reads a command as bash would, or says that it cannot: no doubt, no automatic answer (CMD-3).

Invariants: an argv comes out only for one plain command whose every word is literal; between words stands nothing but
blanks; without the parser nothing is plain. tree-sitter takes some texts for plain words that bash does not (braces,
globs, ``time``), so each word also passes a gate of characters.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from deepchat_desktop.domain.visible_text import visible_exact

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MAX_BYTES = 64 * 1024
_BARE = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")
_QUOTED_TRAPS = re.compile(r"[$`\\!]")
_BLANKS = " \t\n\r\f\v"


class BadCommand(ValueError):
    """A text that can be no command (CMD-6, ARG-2); the message says why."""


@dataclass(frozen=True)
class Parsed:
    """A command's text without outer blanks. ``argv`` is None unless it is one plain command; ``why`` then says why."""

    text: str
    argv: tuple[str, ...] | None
    why: str = ""
    hidden: bool = False
    """It holds characters that cannot be seen as what they are."""


def parse(text: str) -> Parsed:
    """Read a bash command. Raises ``BadCommand``."""
    stripped = checked(text)
    if visible_exact(stripped) != stripped:
        return Parsed(stripped, None, "It holds characters that cannot be seen, or that hide others.", hidden=True)
    root = tree_of(stripped)
    if root is None:
        return Parsed(stripped, None, "Commands cannot be read here: the parser is missing.")
    try:
        return Parsed(stripped, _argv(root, stripped.encode()))
    except _NotPlain as reason:
        return Parsed(stripped, None, str(reason))


def checked(text: str) -> str:
    """Return the text without outer blanks. Raises ``BadCommand``."""
    if "\0" in text:
        raise BadCommand("A command cannot hold NUL.")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise BadCommand("A command cannot hold lone surrogates.") from None
    if size > MAX_BYTES:
        raise BadCommand("The command is longer than 64 KiB.")
    if not (stripped := text.strip(_BLANKS)):
        raise BadCommand("The command is empty.")
    return stripped


class _NotPlain(Exception):
    pass


def _argv(root: "Node", source: bytes) -> tuple[str, ...]:
    if root.has_error:
        raise _NotPlain("It cannot be read without doubt.")
    if [child.type for child in root.children] != ["command"]:
        raise _NotPlain("It is not one plain command.")
    words = root.children[0].children
    edges = [0, *(edge for word in words for edge in (word.start_byte, word.end_byte)), len(source)]
    gaps = [source[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    if any(gap.strip(b" \t") for gap in gaps):
        raise _NotPlain("It goes on over several lines.")
    name, *arguments = words
    if name.type != "command_name" or not _BARE.fullmatch(name.text.decode() if name.text else ""):
        raise _NotPlain("Its program is not a plain name.")
    return (_word(name.children[0]), *map(_word, arguments))


def _word(node: "Node") -> str:
    text = (node.text or b"").decode()
    match node.type:
        case "word" | "number" if _BARE.fullmatch(text):
            return text
        case "raw_string" if not _QUOTED_TRAPS.search(text):
            return text[1:-1]
        case "string" if not _QUOTED_TRAPS.search(text) and all(
            child.type in ('"', "string_content") for child in node.children
        ):
            return text[1:-1]
        case _:
            raise _NotPlain(f"The shell would change a word of it: {text[:60]}.")


def tree_of(text: str) -> "Node | None":
    """Return the syntax tree, None without the parser."""
    parser = _parser()
    return parser.parse(text.encode()).root_node if parser is not None else None


def commands_in(node: "Node") -> Iterator[list[str]]:
    """Yield the words of every command at any depth, quotes taken off; what the shell would change stays as written."""
    if node.type in ("command", "redirected_statement", "file_redirect"):
        yield [_bared((child.text or b"").decode()) for child in node.children if child.is_named]
    for child in node.children:
        yield from commands_in(child)


def _bared(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


@lru_cache(maxsize=1)
def _parser() -> "Parser | None":
    try:
        import tree_sitter_bash
        from tree_sitter import Language, Parser
    except ImportError:
        return None
    language: Any = tree_sitter_bash.language()
    return Parser(Language(language))
