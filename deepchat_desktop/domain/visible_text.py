"""Foreign text with what cannot be seen made visible (UNI-2, MD-5, DLG-2).

Invariants: printable text stays as it is; nothing is removed, an invisible or reordering character becomes
``‹U+202E›``; the result holds no control but newline and tab, no bidirectional control and no lone surrogate.
"""

import re
import unicodedata

_PROSE = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls; an escape sequence loses its effect with its ESC
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional marks, embeddings, overrides, isolates
    "\u180e\u2028\u2029\u206a-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff"
)
_EXACT = _PROSE + (
    "\u00a0\u00ad\u034f\u115f\u1160\u17b4\u17b5\u1680\u2000-\u200f\u202f\u205f-\u2064\u2800\u3000\u3164\uffa0"
    "\ufe00-\ufe0f\U000e0100-\U000e01ef"
)
_PROSE_RE = re.compile(f"[{_PROSE}]")
_EXACT_RE = re.compile(f"[{_EXACT}]")
MAX_JOINS = 16
"""How many characters may be joined to one: no emoji has more than eight, and an endless one costs the loop dear."""
_JOINED_RE = re.compile(rf"(?:(?:[^\s\u200d][\ufe0f\U0001f3fb-\U0001f3ff]{{0,2}})?\u200d){{{MAX_JOINS}}}")
MAX_MARKS = 4
"""How many combining marks may stand on one character before the rest are escaped."""


def _escape(match: re.Match[str]) -> str:
    return f"‹U+{ord(match[0]):04X}›"


def visible_prose(text: str) -> str:
    """Return text for reading: joiners, soft hyphens and wide blanks stay, since languages and emoji need them.

    Of a chain of joiners each ``MAX_JOINS``-th is written out.
    """
    shown = _PROSE_RE.sub(_escape, text.replace("\r\n", "\n"))
    return _JOINED_RE.sub(lambda match: match[0][:-1] + "‹U+200D›", shown) if "\u200d" in shown else shown


def visible_exact(text: str, *, multiline: bool = True) -> str:
    """Return text that a decision rests on: every character that has no ink is written out.

    With ``multiline=False`` (names, paths) newlines and tabs are written out too.
    """
    shown = _EXACT_RE.sub(_escape, text)
    if not multiline:
        shown = shown.replace("\n", "‹U+000A›").replace("\t", "‹U+0009›")
    return shown if shown.isascii() else _without_piles(shown)


def _without_piles(text: str) -> str:
    out, marks = [], 0
    for char in text:
        marks = marks + 1 if unicodedata.combining(char) else 0
        out.append(char if marks <= MAX_MARKS else f"‹U+{ord(char):04X}›")
    return "".join(out)
