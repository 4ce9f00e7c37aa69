"""Code to coloured lines with Pygments, imported when the first code block is shown.

Invariants: a language is looked up in Pygments' own table only (its plug-in search costs tens of ms for a half
received name); text longer than ``MAX_CHARS`` and unknown languages stay plain; the text is never changed.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pygments.lexer import Lexer
    from pygments.token import _TokenType

MAX_CHARS = 20_000
Tone = Literal["text", "syn_keyword", "syn_string", "syn_number", "syn_comment", "syn_function", "syn_operator"]
Run = tuple[str, Tone]
Line = tuple[Run, ...]


def language_name(alias: str) -> str:
    """Return a language's proper name, or the alias as written."""
    found = _languages().get(alias.lower())
    return found if found is not None else alias


def plain_lines(code: str) -> list[Line]:
    """Return the lines without colours."""
    return [((line, "text"),) if line else () for line in code.split("\n")]


def coloured_lines(code: str, alias: str) -> list[Line]:
    """Return the lines with colours where the language is known and the text is not too long."""
    lexer = _lexer(alias.lower()) if alias and len(code) <= MAX_CHARS else None
    if lexer is None:
        return plain_lines(code)
    lines: list[Line] = []
    current: list[Run] = []
    for tone, text in _runs(lexer, code):
        first, *more = text.split("\n")
        if first:
            current.append((first, tone))
        for part in more:
            lines.append(tuple(current))
            current = [(part, tone)] if part else []
    lines.append(tuple(current))
    return lines


def _runs(lexer: "Lexer", code: str) -> Iterator[tuple[Tone, str]]:
    for _, token, text in lexer.get_tokens_unprocessed(code):
        yield _tone(token), text


@lru_cache(maxsize=1)
def _languages() -> dict[str, str]:
    from pygments.lexers import LEXERS

    return {alias: name for _, name, aliases, _, _ in LEXERS.values() for alias in aliases}


@lru_cache(maxsize=64)
def _lexer(alias: str) -> "Lexer | None":
    from pygments.lexers import find_lexer_class

    name = _languages().get(alias)
    found = find_lexer_class(name) if name else None
    return found(stripnl=False, ensurenl=False) if found else None


@lru_cache(maxsize=256)
def _tone(token: "_TokenType") -> Tone:
    from pygments.token import Token

    tones: tuple[tuple[_TokenType, Tone], ...] = (
        (Token.Comment, "syn_comment"),
        (Token.Keyword, "syn_keyword"),
        (Token.Operator.Word, "syn_keyword"),
        (Token.Operator, "syn_operator"),
        (Token.Name.Function, "syn_function"),
        (Token.Name.Decorator, "syn_function"),
        (Token.Name.Tag, "syn_keyword"),
        (Token.Name.Attribute, "syn_function"),
        (Token.Name.Builtin, "syn_number"),
        (Token.Name.Class, "syn_number"),
        (Token.Literal.String, "syn_string"),
        (Token.Literal.Number, "syn_number"),
        (Token.Literal, "syn_string"),
    )
    return next((tone for kind, tone in tones if kind in token.split()), "text")
