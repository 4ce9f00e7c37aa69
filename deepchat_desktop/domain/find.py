"""Finding words in text whatever their case, with places in the text as it is.

Invariants: case is folded as Unicode says (``str.casefold``), also where one letter becomes several (``ß`` is found
by ``ss``); a hit covers whole characters of the text; hits do not overlap.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache

from deepchat_desktop.domain.blocks import Block, ToolCallBlock

Range = tuple[int, int]
"""Half-open range of characters."""
_LAST_LONGER = 0xFB17
"""No character beyond this one becomes longer when its case is folded (a test looks at all of them)."""


class Needle:
    """The words that are looked for; none is found where there are none."""

    def __init__(self, words: str) -> None:
        self.words = words
        self._folded = words.casefold()

    def __bool__(self) -> bool:
        return bool(self.words)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Needle) and self._folded == other._folded

    def __hash__(self) -> int:
        return hash(self._folded)

    def count(self, text: str, folded: str) -> int:
        """Return how many hits a text has. ``folded`` is the text with its case folded, which the caller may keep."""
        found = folded.count(self._folded) if self._folded else 0
        return found if not found or len(folded) == len(text) else len(self.ranges(text))

    def ranges(self, text: str) -> list[Range]:
        """Return where the words stand, first to last."""
        return list(self.walk(text, text.casefold()))

    def walk(self, text: str, folded: str) -> Iterator[Range]:
        """Yield where the words stand; what was not asked for yet was not looked for."""
        found = _occurrences(folded, self._folded)
        return found if len(folded) == len(text) else _unfolded(text, found)


def _occurrences(text: str, words: str) -> Iterator[Range]:
    at = text.find(words) if words else -1
    while at >= 0:
        yield at, at + len(words)
        at = text.find(words, at + len(words))


def _unfolded(text: str, found: Iterator[Range]) -> Iterator[Range]:
    """Yield ranges of a folded text as ranges of the text itself; what became longer is taken whole."""
    longer = [(match.start(), len(match[0].casefold())) for match in _longer().finditer(text)]
    starts: list[int] = []
    grown = [0]
    for at, length in longer:
        starts.append(at + grown[-1])
        grown.append(grown[-1] + length - 1)

    def place(folded: int) -> int:
        index = bisect_right(starts, folded) - 1
        if index < 0:
            return folded
        at, length = longer[index]
        return at if folded < starts[index] + length else folded - grown[index + 1]

    last = 0
    for start, end in ((place(low), place(high - 1) + 1) for low, high in found):
        if start >= last:
            last = end
            yield start, end


@lru_cache(maxsize=1)
def _longer() -> re.Pattern[str]:
    """Return what finds the characters that become longer when their case is folded."""
    return re.compile("[" + "".join(c for c in map(chr, range(_LAST_LONGER + 1)) if len(c.casefold()) > 1) + "]")


def argument_lines(call: ToolCallBlock) -> str:
    """Return a call's arguments as they are read: one line for each, long texts below their name."""
    if call.arguments is None:
        return call.arguments_text
    lines = []
    for key, value in call.arguments.items():
        words = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        lines.append(f"{key}:\n{words}" if "\n" in words else f"{key}: {words}")
    return "\n".join(lines)


def texts_of(block: Block) -> tuple[str, ...]:
    """Return all that can be found in a block, in the order in which it is read."""
    match block.kind:
        case "text" | "reasoning":
            return (block.text,)
        case "tool_call":
            return (block.name, argument_lines(block), block.result)
        case "error":
            return (block.message,)
        case "plan":
            return tuple(words for _, words in block.steps)
        case "compaction":
            return (block.summary,)
        case "search":
            return (block.query, *(words for source in block.sources for words in (source.title, source.snippet)))
        case _:
            return ()


def texts_in(blocks: Sequence[Block]) -> Iterator[tuple[int, str]]:
    """Yield the index of each block with what can be found in it."""
    return ((index, text) for index, block in enumerate(blocks) for text in texts_of(block))
