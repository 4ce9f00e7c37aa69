"""An answer's text: one cell for each part that the scanner cuts, each read when it is built.

Invariants: closed parts keep their cells; only the open one is read again. When the text is whole it is read once
more as a whole (``check``), and parts that the parser sees otherwise than the scanner are joined. ``WHOLE_IDLE`` is
the border: longer texts are read by the render process, and beyond ``WHOLE_WORKER`` the scanner's parts stay.
"""

import re
from collections.abc import Sequence
from typing import cast

from deepchat_desktop.domain.blocks import Block, TextBlock
from deepchat_desktop.domain.visible_text import visible_exact
from deepchat_desktop.presenters.render import Job, Made
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks import fence_shape, markdown_parity, plain_write
from deepchat_desktop.ui.blocks.cell import Cell, Choices, guessed_lines
from deepchat_desktop.ui.blocks.code_shape import HEAD, PAD_BOTTOM, PAD_TOP, CodeChoices, CodeShape
from deepchat_desktop.ui.blocks.markdown_growing import GrowingPart
from deepchat_desktop.ui.blocks.markdown_items import Item
from deepchat_desktop.ui.blocks.markdown_parity import Compared
from deepchat_desktop.ui.blocks.markdown_parse import References, parse, parse_part
from deepchat_desktop.ui.blocks.math_shape import MathShape
from deepchat_desktop.ui.blocks.rendering import rendering
from deepchat_desktop.ui.blocks.scanner import Look, Part, Scanner, looks, scan
from deepchat_desktop.ui.blocks.shape import Shape
from deepchat_desktop.ui.blocks.stack_shape import StackShape
from deepchat_desktop.ui.blocks.table_shape import Columns

WHOLE_IDLE = 4096
WHOLE_WORKER = 1_000_000
DEFINITIONS_AT_ONCE = 8_000
"""Characters of parts with link definitions; more of them are read by the render process."""
SLICE, SLICE_LINES, SLICE_BLANKS = 1_000_000, 12_000, 2_500
"""How much of a text is cut in one go (characters, lines, blank lines): some tens of ms at most."""
_DEFINITIONS = re.compile(r"\n?[ >]*\[[^\]\n]+\]:")
_FENCE = re.compile(r"[ \t\n]*( {0,3})(`{3,}|~{3,})([^\n]*)\n?")


class MarkdownText:
    """The text of one block. ``read`` counts the parts that were parsed."""

    def __init__(self, index: int) -> None:
        self.scanner = Scanner()
        self.growing = GrowingPart()
        self.open = True
        self.checked = False
        self.read = 0
        self.references = References()
        self.cells: list[TextCell] = []
        self.index = index
        self._columns: dict[int, Columns] = {}
        self._kept: dict[int, dict[int, CodeChoices]] = {}
        self._whole = False
        self._streamed = False
        self._block = TextBlock(text="", open=True)
        self._compared: Compared | None = None
        """What the render process found out about the present text."""

    def update(self, block: TextBlock) -> None:
        """Take the block's text as it is now; of a huge one only a slice, and ``check`` goes on with it."""
        self._block = block
        text = block.text
        grew = text.startswith(self.scanner.text) and not self._whole
        self._whole = self._whole and text == self.scanner.text
        known = self.scanner.text if grew else ""
        last = self.cells[-1] if self.cells else None
        self._streamed = self._streamed or block.open
        shown = text[: slice_end(text, len(known))] if text != self.scanner.text else text
        closing = self.open and not block.open and len(shown) == len(text)
        self.open = block.open or len(shown) < len(text)
        if shown != self.scanner.text or not self.cells:
            self._stand(self.scanner.update(shown) if grew else self._anew(shown))
        if closing and self._streamed:
            self._scan_anew()
        if last is not None:
            last.settle()
        if closing and self._take_references():
            self._restate()

    def _scan_anew(self) -> None:
        """A line may have changed the meaning of one that stood in a closed part. For long texts ``check`` sees it."""
        text = self.scanner.text
        if slice_end(text, 0) == len(text) and (anew := scan(text)) != self.scanner.parts:
            self.scanner.parts = anew
            self._stand(0)

    def _restate(self) -> None:
        """Read again what may hold a reference."""
        for cell in self.cells:
            if "[" in cell.markdown():
                cell.stale_text()

    def _anew(self, text: str) -> int:
        self.scanner, self.growing = Scanner(), GrowingPart()
        self.checked = False
        self.cells = []
        return self.scanner.update(text)

    def _stand(self, keep: int) -> None:
        """Make the cells of all parts after the first ``keep``; one that begins where it did is kept."""
        text, parts = self.scanner.text, self.scanner.parts
        old = {cell.part.start: cell for cell in self.cells[keep:]}
        before = looks(text, parts[keep - 1])[1] if keep else None
        del self.cells[keep:]
        for part in parts[keep:]:
            cell = old.pop(part.start, None)
            if cell is None:
                cell = TextCell(self, part, self.index)
            elif cell.part != part:
                cell.set_part(part)
            opens, closes = looks(text, part)
            cell.set_gap(_gap(before, opens, part))
            before = closes
            self.cells.append(cell)

    def _take_references(self) -> bool:
        """Read the link definitions; True if there are any. Only of a whole text: half a one names half a target."""
        found = References()
        text = self.scanner.text
        if len(text) <= WHOLE_WORKER and "]:" in text:
            inside = [p for p in self.scanner.parts if text.find("]:", p.start, p.end) >= 0]
            parts = [part for part in inside if _DEFINITIONS.search(text, part.start, part.end)]
            if sum(part.end - part.start for part in parts) <= DEFINITIONS_AT_ONCE:
                for part in parts:
                    parse(text[part.start : part.end], found)
        self.references = found
        return bool(found)

    def due(self) -> bool:
        """Tell whether there is more of it, or it is still to be read as a whole."""
        return self._compared is not None or self._rest() or not (self.checked or self.open)

    def _rest(self) -> bool:
        return len(self.scanner.text) < len(self._block.text)

    def check(self) -> bool:
        """Take one more slice, or read a whole text once as a whole, a long one in the render process.

        True if other cells stand now.
        """
        if self._rest():
            self.update(self._block)
            return True
        compared, self._compared = self._compared, None
        if compared is not None:
            return self._take_compared(compared)
        if self.checked or self.open:
            return False
        self.checked = True
        text, parts = self.scanner.text, self.scanner.parts
        if len(text) > WHOLE_WORKER or (len(parts) < 2 and len(text) <= WHOLE_IDLE):
            return False
        if len(text) <= WHOLE_IDLE:
            return self.join(markdown_parity.compared(text, parts).ranges)
        job = Job("parity", {"text": text, "parts": parts}, markdown_parity.checked)
        rendering.once(job, lambda made: self._hear(text, made))
        return False

    def _hear(self, text: str, made: Made) -> None:
        if self.scanner.text == text and not self._whole:
            self._compared = made.value

    def _take_compared(self, found: Compared) -> bool:
        if found.references and not self.references:
            self.references = found.references
            self._restate()
        return self.join(found.ranges)

    def join(self, ranges: Sequence[tuple[int, int]]) -> bool:
        """Show each range of characters as one part from now on; True if there are any."""
        if ranges:
            self._whole = True
            self.scanner.parts = markdown_parity.apply(self.scanner.parts, ranges)
            self._stand(0)
        return bool(ranges)

    def items(self, part: Part) -> tuple[Item, ...]:
        """Parse one part."""
        self.read += 1
        if self.open and part.end == len(self.scanner.text):
            return self.growing.items(self.scanner.text, part, self.references.copy())
        known = self.references.copy() if self.open else self.references
        return parse_part(self.scanner.text, part, known)

    def columns(self, part: Part) -> Columns:
        """Return the widths that the parts of a table share."""
        return self._columns.setdefault(part.head[0] if not part.first else part.start, Columns())

    def kept(self, part: Part) -> dict[int, CodeChoices]:
        """Return what was chosen for the code in a part."""
        return self._kept.setdefault(part.start, {})

    def chosen(self) -> bool:
        """Tell whether anything is kept here that cutting the text anew would not know: choices, or joined parts.

        A selection counts cells, so joined parts must stay joined.
        """
        codes = (code.chosen() for kept in self._kept.values() for code in kept.values())
        tables = (bool(table.slide.offset) for table in self._columns.values())
        return self._whole or any(codes) or any(tables)


def slice_end(text: str, start: int) -> int:
    """Return how far a text is cut in one go from ``start``: all of an ordinary text, or to the end of a line."""
    end = min(len(text), start + SLICE)
    for mark, most in (("\n", SLICE_LINES), ("\n\n", SLICE_BLANKS)):
        if text.count(mark, start, end) > most:
            at = start
            for _ in range(most):
                at = text.find(mark, at) + len(mark)
            end = at
    return end


class TextCell(Cell):
    """One part."""

    def __init__(self, text: MarkdownText, part: Part, block: int) -> None:
        super().__init__(block)
        self.text = text
        self.part = part

    def name(self) -> str:
        return plain_write.spoken(self.markdown())

    def set_part(self, part: Part) -> None:
        """The part grew or became another kind."""
        if part.kind != self.part.kind:
            self.shape = None
        self.part = part
        self.stale_text()

    def stale_text(self) -> None:
        """Give the shape the part's present state, if there is one."""
        self.width = 0
        match self.shape:
            case CodeShape():
                kept = fence_shape.update(self.shape, *self._code(), open=self._open(), closed=self._closed())
                self.shape = self.shape if kept else None
            case MathShape():
                self.shape = None
            case StackShape():
                self.shape.set_items(self.text.items(self.part), open=self._open())

    def settle(self) -> None:
        """Tell the shape when nothing more comes: code gets its last colours then."""
        waiting = isinstance(self.shape, CodeShape) and self.shape.lines.open and not self._open()
        if waiting or (isinstance(self.shape, StackShape) and not self.text.open):
            self.stale_text()

    def _open(self) -> bool:
        return self.text.open and self.part.end == len(self.text.scanner.text)

    def _closed(self) -> bool:
        """Tell whether the closing line of a fence has come."""
        source = self.markdown_exact().rstrip()
        last = source[source.rfind("\n") + 1 :].strip() if "\n" in source else ""
        opening = _FENCE.match(source)
        return opening is not None and last[:3] in ("```", "~~~") and set(last) == {opening[2][0]}

    def _code(self) -> tuple[str, str]:
        """Return the code and the language of a fence."""
        source = self.markdown_exact()
        head = _FENCE.match(source)
        if head is None:
            return source, ""
        body = source[head.end() :]
        close = re.compile(rf"(?:^|\n) {{0,3}}{re.escape(head[2][0])}{{{len(head[2])},}}[ \t]*\s*\Z")
        last = body.rstrip().rfind("\n") + 1
        ending = close.match(body, max(0, last - 1))
        body = body[: ending.start()] if ending else body
        if head[1]:
            body = re.sub(rf"^ {{1,{len(head[1])}}}", "", body, flags=re.MULTILINE)
        words = head[3].split()
        known = words and (ending or "\n" in source[head.start(2) :])
        return body.removesuffix("\n") if not ending else body, visible_exact(words[0]) if known else ""

    def make(self) -> Shape:
        if self.part.kind == "fence":
            choices = self.text.kept(self.part).setdefault(0, CodeChoices())
            return fence_shape.make(*self._code(), choices, open=self._open(), closed=self._closed())
        items = self.text.items(self.part)
        kept = self.text.kept(self.part)
        return StackShape(items, self.text.columns(self.part), kept, first=self.part.first)

    def guess(self, width: int) -> int:
        start, end = self.part.start, self.part.end
        lines = self.text.scanner.text.count("\n", start, end) + 1
        match self.part.kind:
            case "fence" | "indent":
                return HEAD + PAD_TOP + PAD_BOTTOM + max(1, lines - 3) * fonts.line_height(fonts.CONTROL)
            case "table":
                return max(1, lines - 2) * fonts.scaled(36)
            case _:
                wide = not self.text.scanner.text[start : min(end, start + 200)].isascii()
                return max(lines - 1, guessed_lines(end - start, width, wide=wide)) * fonts.line_height(fonts.BODY)

    def markdown_exact(self) -> str:
        """Return the part as it came, blank lines included."""
        return self.text.scanner.text[self.part.start : self.part.end]

    def markdown(self) -> str:
        return self.markdown_exact().strip("\n")


def _gap(before: Look | None, opens: Look, part: Part) -> int:
    if before is None or part.flow or (part.kind == "table" and not part.first):
        return 0
    if before == "heading":
        px = 6 if opens in ("text", "list", "heading", "rule") else 10
    elif opens == "heading":
        px = 20
    elif "box" in (before, opens) or "rule" in (before, opens):
        px = 16
    elif opens == "list":
        px = 4 if before == "list" else 8
    else:
        px = 12
    return fonts.scaled(px)


def cells(block: Block, choices: Choices, old: Sequence[Cell]) -> list[Cell]:
    """Return the cells of a text block."""
    if not isinstance(block, TextBlock):
        return []
    text = cast("MarkdownText", choices.memory.setdefault("text", MarkdownText(choices.index)))
    text.update(block)
    return list(text.cells)
