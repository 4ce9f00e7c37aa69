"""Cuts Markdown into parts that can be rendered apart, and goes on from the open part when text is appended.

Invariants: the parts lie side by side and cover the text; scanning on gives the same parts as scanning anew; all
work per part is a few searches in C. A piece is a fence, a list, an indented block, a table, or lines up to a blank
one. A piece longer than ``LIMIT`` characters or ``ROWS`` lines is several parts: a list at its entries, a table at
its rows, a quote at its lines, a paragraph (or anything with no such place) after a sentence. Code is one part.
"""

import re
from typing import Literal, NamedTuple

LIMIT = 4096
"""Characters after which a part is closed at the next fitting place."""
ROWS = 200
LIST_LIMIT, TABLE_ROWS = 2048, 12
"""Lists cost more to read and tables more to lay out, so their parts are shorter."""
MATH_LINES = 200
"""The most lines of a formula block."""
Kind = Literal["fence", "indent", "math", "list", "table", "lines"]
Look = Literal["text", "list", "heading", "box", "rule"]

_END = r"(?:\n|\Z)"
# A line that opens a formula block: what closes it, if anything, ends the line.
MATH_LINE = (
    r"(?:\$\$(?:(?!\$\$)[^\n])*(?:\$\$[ \t]*)?|\\\[(?:(?!\\\])[^\n])*(?:\\\][ \t]*)?)" + _END
)
_ENTRY = r"(?:[-+*]|\d{1,9}[.)])(?:[ \t\n]|\Z)"
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`\n]*" + _END + r")|~{3,})")
_MATH = re.compile(r" {0,3}" + MATH_LINE)
_MATH_ENDS = {
    mark: re.compile(re.escape(mark) + r"[^\n]*" + _END + r"|\n(?=[ \t]*" + _END + ")") for mark in ("$$", "\\]")
}
_ITEM = re.compile(r" {0,3}" + _ENTRY)
_RULE = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}" + _END)
_DELIMITERS = re.compile(r"[ \t]*[-:|][-:| \t]*\|[-:| \t]*" + _END)
_INTERRUPTS = re.compile(
    r" {0,3}(?:#{1,6}[ \t\n]|>|`{3,}[^`\n]*" + _END + r"|~{3,}|([-*_])[ \t]*(?:\1[ \t]*){2,}" + _END
    + "|" + MATH_LINE + ")"
)
_INDENTED = re.compile(r" {0,3}\t| {4}")
_BLANKS = re.compile(r"(?:[ \t\r\f\v]*\n)*(?:[ \t\r\f\v]*\Z)?")
_UNINDENTED = re.compile(r"\n(?= {0,3}[^ \t\n])")
_LIST_BREAK = re.compile(r"\n(?= ?(?:(?!" + _ENTRY + r")[^ \t\n]|([-*])(?:[ \t]*\1){2,}[ \t]*" + _END + "))")
_LINES_BREAK = re.compile(
    r"\n(?=[ \t]*" + _END + r"| {0,3}(?:`{3,}[^`\n]*" + _END + r"|~{3,}|" + MATH_LINE
    + r"|(?P<item>[-+*]|1[.)])[ \t]+[^\s]))"
)
_TABLE_BREAK = re.compile(r"\n(?= {0,3}(?:#{1,6}[ \t]|>))")
_DELIMITER_LINE = re.compile(r"\n(?=[ \t]*[-:|][-:| \t]*\|[-:| \t]*" + _END + ")")
_TOP_ENTRY = re.compile(r"\n(?= ?(?:[-+*]|\d{1,9}[.)])[ \t])")
# A quote or a footnote, whose text takes the lines below it in, the head of a table too.
_HOLDING_LINE = re.compile(r"(?:\n|\A)(?= {0,3}(?:>|\[\^[^\]\s]+\]:))")
_QUOTED_LINE = re.compile(r"\n(?= {0,3}>)")
_NUMBER = re.compile(r" ?(\d{1,9})[.)]")
_NUMBERED = re.compile(r"^ ?\d{1,9}[.)][ \t]", re.MULTILINE)
_CELLS = re.compile(r"(?<!\\)\|")
_SENTENCE_ENDS = (". ", "? ", "! ", ".\n", "。", "？", "！", "; ")


class Part(NamedTuple):
    """Half-open range of characters that is rendered as one thing."""

    start: int
    end: int
    kind: Kind
    first: bool = True
    """Whether a piece begins here."""
    flow: bool = False
    """Whether it goes on in the middle of a paragraph."""
    quote: int = 0
    """Depth of the quote that a flowing part stands in."""
    number: int = 0
    """The number of its first entry, for later parts of a numbered list."""
    head: tuple[int, int] = (0, 0)
    """Where the head of the table stands, for its later parts."""


class Scanner:
    """The parts of a growing text. ``scanned`` counts the characters that were looked at."""

    def __init__(self) -> None:
        self.text = ""
        self.parts: list[Part] = []
        self.scanned = 0

    def update(self, text: str) -> int:
        """Take the whole text as it is now; return how many parts, from the first, are as they were."""
        keep = self._keep() if text.startswith(self.text) else 0
        resume = self.parts[keep] if keep < len(self.parts) else None
        start = resume.start if resume is not None else 0
        self.parts[keep:] = scan(text, start, resume)
        self.scanned += len(text) - start
        self.text = text
        return keep

    def _keep(self) -> int:
        """A part that is but one unfinished line may join the one before."""
        if not self.parts:
            return 0
        last = self.parts[-1]
        unfinished = self.text.find("\n", last.start, last.end) < 0
        return max(0, len(self.parts) - (2 if unfinished else 1))


def scan(text: str, start: int = 0, resume: Part | None = None) -> list[Part]:
    """Cut ``text`` from ``start``. ``resume`` is the part that began there before."""
    parts: list[Part] = []
    at = start
    while at < len(text):
        inside = resume if resume is not None and not resume.first else None
        resume = None
        if inside is not None and inside.kind == "lines" and text[at - 1] == "\n" and _starts_table(text, at):
            inside = None  # the line before the delimiters came in was the last of a part
        first = at
        if inside is None:
            at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]  # it matches the empty text
            if at >= len(text):
                parts.append(Part(first, at, "lines"))
                break
        kind = inside.kind if inside is not None else _kind(text, at)
        end = _end(text, at, kind)
        end = _BLANKS.match(text, end).end()  # type: ignore[union-attr]
        parts += _cut(text, Part(first, end, kind), inside)
        at = end
    return parts


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def _kind(text: str, at: int) -> Kind:
    if _FENCE.match(text, at):
        return "fence"
    if _INDENTED.match(text, at):
        return "indent"
    if _MATH.match(text, at):
        return "math"
    if _ITEM.match(text, at) and not _RULE.match(text, at):
        return "list"
    return "table" if _starts_table(text, at) else "lines"


def _starts_table(text: str, at: int) -> bool:
    return _is_table(text, at, _line_end(text, at) + 1)


def _is_table(text: str, head: int, delimiters: int) -> bool:
    """Tell whether the line at ``head`` is a table's head and the next one its delimiters."""
    if not _DELIMITERS.match(text, delimiters) or _INDENTED.match(text, delimiters):
        return False
    lines = (text[at : _line_end(text, at)].strip().strip("|") for at in (head, delimiters))
    counts = [len(_CELLS.findall(line)) for line in lines]
    return text.find("|", head, delimiters) >= 0 and counts[0] == counts[1]


def _end(text: str, at: int, kind: Kind) -> int:
    """Return where the piece that began at or before ``at`` ends, blank lines after it left out."""
    match kind:
        case "fence":
            mark = _FENCE.match(text, at)
            if mark is None:
                return len(text)
            run = mark[1]
            closing = re.compile(rf"\n {{0,3}}{re.escape(run[0])}{{{len(run)},}}[ \t]*{_END}")
            found = closing.search(text, _line_end(text, at))
            return found.end() if found else len(text)
        case "indent":
            found = _UNINDENTED.search(text, _line_end(text, at))
            return found.start() + 1 if found else len(text)
        case "math":
            return _math_end(text, at)
        case "list":
            return _list_end(text, at)
        case "table" | "lines":
            return _lines_end(text, at, kind)


def _math_end(text: str, at: int) -> int:
    """Return the end of the line that closes a formula block, or where a blank line ends it unclosed."""
    begin = at + len(text[at : at + 4]) - len(text[at : at + 4].lstrip(" "))
    mark = "$$" if text[begin] == "$" else "\\]"
    found = _MATH_ENDS[mark].search(text, begin + 2)
    end = len(text) if found is None else found.end() if found[0].startswith(mark) else found.start() + 1
    if text.count("\n", at, end) > MATH_LINES:
        for _ in range(MATH_LINES):
            at = text.find("\n", at) + 1
        return at
    return end


def _list_end(text: str, at: int) -> int:
    for found in _LIST_BREAK.finditer(text, at):
        line = found.start() + 1
        before = text[text.rfind("\n", at, found.start()) + 1 : found.start()]
        if _INTERRUPTS.match(text, line) or (found.start() > at and not before.strip()):
            return line
    return len(text)


def _lines_end(text: str, at: int, kind: Kind) -> int:
    end = len(text)
    for found in _LINES_BREAK.finditer(text, at):
        line = found.start() + 1
        if not found["item"] or not (_RULE.match(text, line) or _DELIMITERS.match(text, line)):
            end = line
            break
    if kind == "table":
        found_block = _TABLE_BREAK.search(text, at, end)
        return found_block.start() + 1 if found_block else end
    if text.find("|", at, end) >= 0:
        for found in _DELIMITER_LINE.finditer(text, at, end):
            head = text.rfind("\n", at, found.start()) + 1
            held = _HOLDING_LINE.search(text, max(0, at - 1), head)
            if head > at and not held and _is_table(text, head, found.start() + 1):
                return head
    return end


def _cut(text: str, piece: Part, inside: Part | None) -> list[Part]:
    """Return the parts of a piece, or of what follows the start of one of its parts."""
    here = piece if inside is None else inside._replace(end=piece.end)
    if piece.kind in ("fence", "indent", "math"):
        return [here]
    parts: list[Part] = []
    while (end := _part_end(text, here)) < piece.end:
        flow = end < 0
        end = sentence_end(text, here.start) if flow else end
        if _BLANKS.match(text, end).end() >= piece.end:  # type: ignore[union-attr]
            break
        parts.append(here._replace(end=end))
        here = following(text, parts[-1], piece.end, flow=flow)
    return [*parts, here]


def _part_end(text: str, part: Part) -> int:
    """Return where a part must end: at a place between its rows, at its own end, or -1 for a cut in the flow."""
    start, end = part.start, part.end
    limit = LIST_LIMIT if part.kind == "list" else LIMIT
    soft = min(end, start + limit)
    rows = TABLE_ROWS if part.kind == "table" else ROWS
    if text.count("\n", start, soft) > rows:
        soft = start
        for _ in range(rows):
            soft = text.find("\n", soft) + 1
    elif end - start <= limit:
        return end
    pattern = _QUOTED_LINE if part.kind == "lines" and (part.quote or _quote_of(text, start)) else None
    pattern = _TOP_ENTRY if part.kind == "list" else pattern
    hard = start + 2 * LIMIT
    if part.kind == "table":
        found = text.find("\n", soft - 1, hard)
        return found + 1 if found >= 0 else end if end <= hard else -1
    if pattern is None:
        return soft if soft < start + LIMIT else -1
    hit = pattern.search(text, (start if part.flow else soft) - 1, min(hard, end))
    if hit is not None and hit.end() > start:
        return hit.end()
    return end if end <= hard else -1


def following(text: str, before: Part, end: int, *, flow: bool) -> Part:
    """Return the part after one, as yet up to the end of the piece."""
    number, head = before.number, before.head
    quote = before.quote or _quote_of(text, before.start)
    if before.kind == "list":
        known = number or _first_number(text, before.start)
        number = known + len(_NUMBERED.findall(text, before.start, before.end)) if known else 0
        number -= 1 if before.flow and known else 0
    if before.kind == "table" and before.first:
        at = _BLANKS.match(text, before.start).end()  # type: ignore[union-attr]
        head = (at, min(_line_end(text, _line_end(text, at) + 1) + 1, before.end))
    return Part(before.end, end, before.kind, False, flow, quote if before.kind == "lines" else 0, number, head)


def last_entry(text: str, start: int, end: int) -> int:
    """Return where the last outermost entry of a list's part begins; ``start`` for no other than its first."""
    found = [hit.end() for hit in _TOP_ENTRY.finditer(text, start, end)]
    return found[-1] if found else start


def _quote_of(text: str, at: int) -> int:
    found = re.compile(r"[ \n]*((?:> ?)+)").match(text, at)
    return found[1].count(">") if found else 0


def _first_number(text: str, at: int) -> int:
    found = _NUMBER.match(text, _BLANKS.match(text, at).end())  # type: ignore[union-attr]
    return int(found[1]) if found else 0


def sentence_end(text: str, start: int) -> int:
    """Return the last place within ``LIMIT`` after a sentence, else after a blank, else the limit."""
    limit = start + LIMIT
    best = max(text.rfind(mark, start + LIMIT // 4, limit) + len(mark) for mark in _SENTENCE_ENDS)
    if best > start + LIMIT // 4:
        return best
    blank = text.rfind(" ", start + LIMIT // 4, limit)
    return blank + 1 if blank >= 0 else limit


def looks(text: str, part: Part) -> tuple[Look, Look]:
    """Return how a part begins and how it ends, for the space between parts."""
    if part.flow:
        return "text", "text"
    if part.kind in ("fence", "indent", "math", "table"):
        return "box", "box"
    if part.kind == "list":
        return "list", "list"
    at = _BLANKS.match(text, part.start).end()  # type: ignore[union-attr]
    end = len(text[at : part.end].rstrip()) + at if part.end - at <= 2 * LIMIT else part.end
    last = text.rfind("\n", at, end) + 1 or at
    heading = re.compile(r" {0,3}#{1,6}(?:[ \t\n]|\Z)")
    opens: Look = "heading" if heading.match(text, at) else "rule" if _RULE.match(text, at) else "text"
    closes: Look = "heading" if heading.match(text, last) else "rule" if _RULE.match(text, last) else "text"
    if last > at and re.compile(r" {0,3}(?:=+|-+)[ \t]*" + _END).match(text, last):
        opens, closes = "heading" if opens == "text" else opens, "heading"
    return opens, closes
