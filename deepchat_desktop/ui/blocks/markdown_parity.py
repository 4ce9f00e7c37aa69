"""Where the scanner's parts and a reading of the whole text differ: which parts must be read as one.

Invariant: after joining, reading piece by piece gives the items of the whole text, unless a part would then be longer
than ``JOINED`` or have more than ``ROWS`` lines: that one stays cut. Cuts within a piece are there for its length, and
no difference. No Qt: the render process does this for long texts.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from deepchat_desktop.ui.blocks.markdown_items import Item
from deepchat_desktop.ui.blocks.markdown_parse import References, parse, parse_part, parse_with_lines
from deepchat_desktop.ui.blocks.scanner import LIMIT, ROWS, Part

JOINED = 2 * LIMIT
"""The most characters that are made one part."""
Range = tuple[int, int]


class Compared(NamedTuple):
    """``ranges`` of characters must be one part each; none when all is well. ``references`` are the whole text's."""

    ranges: list[Range]
    references: References


def compared(text: str, parts: Sequence[Part]) -> Compared:
    """Read a whole text and its parts, and compare."""
    references = References()
    whole = parse_with_lines(text, references)
    return Compared(_ranges(text, parts, whole, references), references)


def _ranges(
    text: str, parts: Sequence[Part], whole: list[tuple[int, tuple[Item, ...]]], references: References
) -> list[Range]:
    starts = _line_starts(text)
    blocks = [(starts[min(line, len(starts) - 1)], items) for line, items in whole]
    cuts = _common_cuts([start for start, _ in blocks], text, parts)
    made: list[Range] = []
    for start, end in zip(cuts, [*cuts[1:], len(text)], strict=True):
        inside = [part for part in parts if start <= part.start < end]
        wanted = [item for at, items in blocks if start <= at < end for item in items]
        if _by_pieces(text, inside, references) == wanted or not _fits(text, start, end):
            continue
        if list(parse(text[start:end], references)) != wanted and _fits(text, 0, len(text)):
            return [(0, len(text))]
        made.append((start, end))
    return made


def _fits(text: str, start: int, end: int) -> bool:
    """Tell whether characters may be one part."""
    return end - start <= JOINED and text.count("\n", start, end) <= ROWS


def _by_pieces(text: str, parts: Sequence[Part], references: References) -> list[Item]:
    """Return the items of parts that begin with a piece; a piece of several parts is read as one."""
    firsts = [at for at, part in enumerate(parts) if at == 0 or part.first]
    made: list[Item] = []
    for low, high in zip(firsts, [*firsts[1:], len(parts)], strict=True):
        if high - low == 1:
            made += parse_part(text, parts[low], references)
        else:
            made += parse(text[parts[low].start : parts[high - 1].end], references)
    return made


def checked(answer: Any) -> Compared:
    """Return what the render process answered. Raises TypeError, KeyError or ValueError when it cannot be that."""
    ranges = [(int(start), int(end)) for start, end in answer["ranges"]]
    flat = [at for pair in ranges for at in pair]
    if flat != sorted(flat):
        raise ValueError("ranges out of order")
    links = {str(k): {"title": str(v["title"]), "href": str(v["href"])} for k, v in answer["links"].items()}
    return Compared(ranges, References(dict(links), {"refs": {str(label): -1 for label in answer["notes"]}}))


def _line_starts(text: str) -> list[int]:
    starts = [0]
    while (found := text.find("\n", starts[-1])) >= 0:
        starts.append(found + 1)
    return starts


def _common_cuts(blocks: Sequence[int], text: str, parts: Sequence[Part]) -> list[int]:
    """Return where a part begins with a block of the whole; 0 is always one."""
    begins = set(blocks)
    cuts = [0]
    for part in parts[1:]:
        at = part.start
        while at < part.end and text[at] in " \t\n":
            at += 1
        if part.first and begins & {part.start, text.rfind("\n", 0, at) + 1}:
            cuts.append(part.start)
    return cuts


def apply(parts: Sequence[Part], ranges: Sequence[Range]) -> list[Part]:
    """Return the parts with those of each range made into one."""
    made: list[Part] = []
    rest = list(ranges)
    for part in parts:
        while rest and part.start >= rest[0][1]:
            rest.pop(0)
        if not rest or part.start < rest[0][0]:
            made.append(part)
        elif part.start == rest[0][0]:
            made.append(Part(*rest[0], "lines"))
    return made


