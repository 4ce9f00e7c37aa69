"""Code to coloured runs with Pygments, imported when the first code block is shown.

Invariants: lexing stops and goes on at any token, and again at the start of a line when the text has grown, for all
lexers that Pygments' own loop drives; the others lex a text only as a whole. A language is looked up in Pygments' own
table only (its plug-in search costs tens of ms for a half received name); text longer than ``MAX_CHARS`` and unknown
languages stay plain; the text is never changed.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, get_args

if TYPE_CHECKING:
    from pygments.lexer import Lexer
    from pygments.token import _TokenType

MAX_CHARS = 200_000
Tone = Literal["text", "syn_keyword", "syn_string", "syn_number", "syn_comment", "syn_function", "syn_operator"]
TONES: tuple[Tone, ...] = get_args(Tone)
Run = tuple[str, Tone]
Line = tuple[Run, ...]


def language_name(alias: str) -> str:
    """Return a language's proper name, or the alias as written."""
    found = _languages().get(alias.lower())
    return found if found is not None else alias


Stack = tuple[str, ...]
"""The states that a lexer is in."""
Lexed = tuple[int, Tone, str, Stack]
"""Where a run begins, its tone, its text, and the states after it."""


def lexable(alias: str, length: int) -> bool:
    """Tell whether a text of a language gets colours."""
    return bool(alias) and length <= MAX_CHARS and _lexer(alias.lower()) is not None


def resumable(alias: str) -> bool:
    """Tell whether a text can be lexed on from a line's start."""
    from pygments.lexer import RegexLexer

    lexer = _lexer(alias.lower())
    plain = RegexLexer.get_tokens_unprocessed
    return isinstance(lexer, RegexLexer) and type(lexer).get_tokens_unprocessed is plain


def lex(alias: str, code: str, at: int = 0, stack: Stack = ("root",)) -> Iterator[Lexed]:
    """Yield the runs of ``code`` from ``at``. Where it cannot be resumed, ``at`` must be 0."""
    lexer: Any = _lexer(alias.lower())
    if not resumable(alias):
        for start, token, text in lexer.get_tokens_unprocessed(code):
            yield start, _tone(token), text, stack
        return
    states = list(stack)
    while at < len(code):
        for match, action, change in lexer._tokens[states[-1]]:
            found = match(code, at)
            if found:
                runs = _runs_of(lexer, action, found)
                at = found.end()
                states = _changed(states, change)
                yield from ((start, _tone(token), text, tuple(states)) for start, token, text in runs)
                break
        else:
            if code[at] == "\n":
                states = ["root"]
            yield at, "text", code[at], tuple(states)
            at += 1


def _runs_of(lexer: Any, action: Any, found: Any) -> Iterable[tuple[int, "_TokenType", str]]:
    from pygments.token import _TokenType

    if action is None:
        return ()
    if isinstance(action, _TokenType):
        return ((found.start(), action, found.group()),)
    return tuple(action(lexer, found))


def _changed(states: list[str], change: Any) -> list[str]:
    """Return the states after a change as Pygments writes it: names, ``#pop``, ``#push``, or a count to pop."""
    if change is None:
        return states
    if isinstance(change, int):
        return states[: max(1, len(states) + change)] if abs(change) < len(states) else states[:1]
    if change == "#push":
        return [*states, states[-1]]
    for step in change:
        if step == "#pop":
            states = states[:-1] if len(states) > 1 else states
        else:
            states = [*states, states[-1] if step == "#push" else step]
    return states


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
