"""Lines of code that may still grow, with the colours found so far.

Invariants: a growing text costs its new lines; colouring stops at a deadline and goes on there; after growth it goes
on at the start of a line whose state is known. ``lexed`` counts the characters that went through the lexer.
"""

import sys
import time
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from deepchat_desktop.domain.visible_text import visible_prose
from deepchat_desktop.presenters.render import Job, Made
from deepchat_desktop.ui.blocks import highlight
from deepchat_desktop.ui.blocks.highlight import TONES, Lexed, Line, Run, Stack, Tone
from deepchat_desktop.ui.blocks.rendering import rendering

ELSEWHERE = 20_000
"""Characters from which a finished code is lexed by the render process."""
_CHECK_EVERY = 24
"""Runs between two looks at the clock."""


class CodeLines:
    """The text, with tabs spread and what cannot be seen written out."""

    def __init__(self) -> None:
        self.lexed = 0
        self._reset("", "")

    def _reset(self, raw: str, language: str) -> None:
        self._raw, self.language = raw, language
        self.lines: list[str] = [""]
        self.starts: list[int] = [0]
        self.tones: list[Line | None] = [None]
        self.widest = ""
        self.ascii = True
        self._safe: tuple[int, int, Stack] = (0, 0, ("root",))
        """Position, line and states to lex on from."""
        self._lexing: Iterator[Lexed] | None = None
        self._asked = False
        self.open = False
        self.coloured = True

    def set_code(self, raw: str, language: str, *, open: bool = False) -> None:
        """Take the text as it is now; ``open`` while more is to come."""
        if language != self.language or not raw.startswith(self._raw):
            self._reset("", language)
        grew = len(raw) > len(self._raw)
        if grew or open != self.open:
            self._grow(raw)
        if not open and self.open:
            self._safe, self._lexing = (0, 0, ("root",)), None  # half a token may have been read as another
        self.open = open
        self._asked = self._asked and not grew
        self.coloured = not highlight.lexable(language, self.length()) or (open and not highlight.resumable(language))

    def _grow(self, raw: str) -> None:
        added = raw[len(self._raw) :]
        self._raw = raw
        first, *more = visible_prose(added).split("\n")
        last = len(self.lines) - 1
        grown_line = self.lines[last] + first
        self.lines[last] = grown_line.expandtabs(4) if "\t" in first else grown_line
        new = [line.expandtabs(4) for line in more] if "\t" in added else more
        self.lines += new
        steps = [self.starts[last], *(len(line) + 1 for line in self.lines[last:-1])]
        self.starts[last:] = accumulate(steps)
        self.tones[last] = None
        self.tones += [None] * len(new)
        grown = self.lines[last:]
        self.ascii = self.ascii and all(map(str.isascii, grown))
        self.widest = max(self.widest, *grown, key=len)
        self._lexing = None

    def text(self) -> str:
        """Return the text as shown."""
        return "\n".join(self.lines)

    def raw(self) -> str:
        """Return the text as it came."""
        return self._raw

    def length(self) -> int:
        """Return the number of characters shown."""
        return self.starts[-1] + len(self.lines[-1])

    def between(self, start: int, end: int) -> str:
        """Return some of the characters shown."""
        return self.text()[max(0, start) : end]

    def runs(self, line: int) -> Line:
        """Return a line's runs, plain where the colours are not known yet."""
        known = self.tones[line]
        return known if known is not None else ((self.lines[line], "text"),)

    def waits(self, last: int) -> bool:
        """Tell whether a line up to ``last`` still waits for its colours."""
        return not self.coloured and (self._safe[1] if self._lexing is None else self._line) <= last

    def colour(self, deadline: float, last: int = sys.maxsize) -> bool:
        """Colour on until ``deadline`` (``time.perf_counter``) or the line ``last``; True while there is more to do."""
        if self.coloured or self._ask():
            return False
        at, line, stack = self._safe
        if self._lexing is None:
            self._text = self.text()
            self._line = line
            self._runs: list[Run] = []
            self._lexing = highlight.lex(self.language, self._text, at, stack)
        for count, (start, tone, words, states) in enumerate(self._lexing):
            self.lexed += len(words)
            self._put(tone, words)
            if words.endswith("\n") and highlight.resumable(self.language):
                self._safe = (start + len(words), self._line, states)
            if self._line > last or (count % _CHECK_EVERY == 0 and time.perf_counter() >= deadline):
                return True
        if self._runs and self._line < len(self.tones):
            self.tones[self._line] = tuple(self._runs)
        self._lexing = None
        self.coloured = True
        return False

    def _ask(self) -> bool:
        """Leave a long finished code to the render process; True while there is nothing to do here."""
        if self.open or self._asked or self.length() <= ELSEWHERE or not rendering.connected:
            return False
        self._asked = self.coloured = True
        text, language = self.text(), self.language
        job = Job("highlight", {"language": language, "code": text}, _runs)
        rendering.once(job, lambda made: self._take(text, language, made))
        return True

    def _take(self, text: str, language: str, made: Made) -> None:
        """Take the colours in slices, as if they were found here; without any they are found here."""
        if self.open or language != self.language or self.text() != text:
            return
        self.coloured = False
        if made.value is not None and sum(length for _, length in made.value) == len(text):
            self._text, self._line, self._runs = text, 0, []
            self._lexing = _lexed(text, made.value)

    def _put(self, tone: Tone, words: str) -> None:
        first, *more = words.split("\n")
        if first:
            self._runs.append((first, tone))
        for part in more:
            self.tones[self._line] = tuple(self._runs)
            self._line += 1
            self._runs = [(part, tone)] if part else []


def _runs(answer: Any) -> list[tuple[Tone, int]]:
    """Return the runs that the render process found: tone and length. Raises ValueError or TypeError."""
    pairs = list(zip(answer[::2], answer[1::2], strict=True))
    if any(not 0 <= tone < len(TONES) or length < 0 for tone, length in pairs):
        raise ValueError("no such colour")
    return [(TONES[tone], length) for tone, length in pairs]


def _lexed(text: str, runs: list[tuple[Tone, int]]) -> Iterator[Lexed]:
    at = 0
    for tone, length in runs:
        yield at, tone, text[at : at + length], ("root",)
        at += length
