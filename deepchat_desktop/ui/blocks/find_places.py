"""Where words that are looked for stand in a shape, as it is painted.

Invariants: only the paragraphs and lines that meet an area are read, so a painting costs what is in sight; places
are Qt's for documents and Python's for code, as their shapes count them; a hit lies within one line or paragraph.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QTextBlock

from deepchat_desktop.domain.find import Needle, Range
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks.code_shape import HEAD, PAD_LEFT, PAD_TOP, CodeShape
from deepchat_desktop.ui.blocks.column_shape import ColumnShape
from deepchat_desktop.ui.blocks.doc_shape import DocShape
from deepchat_desktop.ui.blocks.fold_paint import CARD_HEIGHT, NAME_LEFT, NAME_WIDTH
from deepchat_desktop.ui.blocks.line_block import LONG, LineBlock
from deepchat_desktop.ui.blocks.shape import Shape
from deepchat_desktop.ui.blocks.text_steps import units
from deepchat_desktop.ui.blocks.tool_block import ToolShape
from deepchat_desktop.ui.blocks.well_shape import WellShape

FAR = QRectF(-1e7, -1e7, 2e7, 2e7)
"""An area that everything meets."""
_BIG = 20_000
"""Documents beyond this many characters are read from the paragraph on that is in sight."""


@dataclass(frozen=True)
class Leaf:
    """A shape that holds text itself, and where its corner stands in the whole."""

    shape: Shape
    corner: QPointF


class CardName(Shape):
    """The tool's name in the head of a card, which is painted with the card."""

    def __init__(self, words: str) -> None:
        self.words = words
        self.width, self.height = NAME_LEFT + NAME_WIDTH, CARD_HEIGHT

    def text_between(self, start: int, end: int) -> str:
        return self.words[max(0, start) : end]


def leaves(shape: Shape, corner: QPointF | None = None) -> Iterator[Leaf]:
    """Yield the shapes with text in a shape, in the order in which they are read."""
    at = corner if corner is not None else QPointF()
    match shape:
        case ColumnShape():
            if isinstance(shape, ToolShape):
                yield Leaf(CardName(shape.name()), at)
            for inner, (x, y) in zip(shape.shapes, shape.places, strict=True):
                yield from leaves(inner, at + QPointF(x, y))
        case DocShape() | CodeShape() | WellShape():
            yield Leaf(shape, at)


def hits(shape: Shape, needle: Needle, area: QRectF = FAR) -> Iterator[Range]:
    """Yield where the words stand in a shape of text, as far as that meets ``area``."""
    match shape:
        case DocShape():
            for block in _paragraphs(shape, area):
                words = block.text()
                narrow = units(words) == len(words)
                for start, end in needle.walk(words, words.casefold()):
                    place = (start, end) if narrow else (units(words[:start]), units(words[:end]))
                    yield block.position() + place[0], block.position() + place[1]
        case CardName():
            yield from needle.ranges(shape.words)
        case CodeShape() | WellShape():
            yield from _line_hits(shape.block, needle, area.translated(-_origin(shape)))


def text_around(shape: Shape, place: Range, reach: int = 40) -> tuple[str, str]:
    """Return the words before and after a place."""
    return shape.text_between(max(0, place[0] - reach), place[0]), shape.text_between(place[1], place[1] + reach)


def boxes(shape: Shape, place: Range) -> list[QRectF]:
    """Return where characters stand in a shape, one box for each line they are on."""
    match shape:
        case DocShape():
            return _doc_boxes(shape, place)
        case CardName():
            measure = fonts.metrics(fonts.CONTROL, fonts.MEDIUM)
            left, right = (NAME_LEFT + measure.horizontalAdvance(shape.words[:at]) for at in place)
            return [QRectF(left - 1, 9, right - left + 2, CARD_HEIGHT - 18)]
        case CodeShape() | WellShape():
            return [box.translated(_origin(shape)).adjusted(-1, 0, 1, 0) for box in _line_boxes(shape.block, place)]
    return []


def frame(shape: Shape) -> QRectF:
    """Return what of a shape shows text; nothing is painted beyond it."""
    match shape:
        case CodeShape():
            return QRectF(1, HEAD + 1, shape.width - 2, shape.height - HEAD - 2)
        case WellShape():
            return QRectF(1, 2, shape.width - 2, shape.height - 4)
    return QRectF(-4, 0, shape.width + 8, shape.height)


def _origin(shape: CodeShape | WellShape) -> QPointF:
    if isinstance(shape, CodeShape):
        return QPointF(PAD_LEFT - shape.choices.slide.offset, HEAD + PAD_TOP)
    return shape.origin()


# Documents


def _paragraphs(shape: DocShape, area: QRectF) -> Iterator[QTextBlock]:
    layout, origin = shape.document.documentLayout(), shape.origin()
    top, bottom = area.top() - origin.y(), area.bottom() - origin.y()
    first = shape.position_at(QPointF(0, area.top())) if shape.length() > _BIG and area is not FAR else 0
    block = shape.document.findBlock(first)
    while block.isValid():
        box = layout.blockBoundingRect(block)
        if box.bottom() >= top and box.top() <= bottom:
            yield block
        elif box.top() > bottom and shape.length() > _BIG:
            return
        block = block.next()


def _doc_boxes(shape: DocShape, place: Range) -> list[QRectF]:
    block = shape.document.findBlock(place[0])
    box = shape.document.documentLayout().blockBoundingRect(block)
    corner = box.topLeft() + shape.origin()
    first, last = place[0] - block.position(), place[1] - block.position()
    high = fonts.scaled(19)
    made: list[QRectF] = []
    lines = block.layout()
    here = lines.lineForTextPosition(first)
    for index in range(max(0, here.lineNumber()) if here.isValid() else 0, lines.lineCount()):
        line = lines.lineAt(index)
        if line.textStart() >= last:
            break
        start, end = max(first, line.textStart()), min(last, line.textStart() + line.textLength())
        if start < end:
            left, right = _x(line.cursorToX(start)), _x(line.cursorToX(end))
            base = corner.y() + line.y() + line.ascent()
            low, wide = min(left, right), abs(right - left)
            made.append(QRectF(corner.x() + low - 1, round(base) - fonts.scaled(14), wide + 2, high))
    return made


def _x(at: object) -> float:
    """Return the x of ``cursorToX``, which PySide6 gives as (x, position)."""
    return float(at[0]) if isinstance(at, tuple) else float(at)  # type: ignore[arg-type]


# Lines


def _line_hits(block: LineBlock, needle: Needle, area: QRectF) -> Iterator[Range]:
    lines = block.lines
    first, last = 0, len(lines.lines) - 1
    if area.height() < FAR.height():
        first = bisect_right(lines.starts, block.position_at(0, max(0.0, area.top()))) - 1
        last = bisect_right(lines.starts, block.position_at(0, area.bottom())) - 1
    for line in range(max(0, first), last + 1):
        words = lines.lines[line]
        at = 0
        if len(words) > LONG and area.height() < FAR.height():
            at, words = _seen(block, line, area, len(needle.words))
        for start, end in needle.walk(words, words.casefold()):
            yield lines.starts[line] + at + start, lines.starts[line] + at + end


def _seen(block: LineBlock, line: int, area: QRectF, more: int) -> tuple[int, str]:
    """Return the first column of a very long line that is in sight, and the words from there on."""
    start, words = block.lines.starts[line], block.lines.lines[line]
    top, bottom = (area.top(), area.bottom()) if block.columns else (line * block.high + 1.0,) * 2
    low = block.position_at(area.left(), max(0.0, top)) - start - more
    high = block.position_at(area.right(), bottom) - start + more
    at = max(0, min(low, len(words)))
    return at, words[at : max(at, high)]


def _line_boxes(block: LineBlock, place: Range) -> list[QRectF]:
    """Return the boxes of a place; in wrapped lines there may be several."""
    start, end = block.caret(place[0]), block.caret(place[1])
    if start.y() == end.y():
        return [QRectF(start.x(), start.y(), end.x() - start.x(), block.high)]
    wide = block.columns * block.advance
    made = [QRectF(start.x(), start.y(), max(0.0, wide - start.x()), block.high)]
    between = round((end.y() - start.y()) / block.high) - 1
    made += [QRectF(0, start.y() + row * block.high, wide, block.high) for row in range(1, between + 1)]
    return [*made, QRectF(0, end.y(), end.x(), block.high)] if end.x() else made
