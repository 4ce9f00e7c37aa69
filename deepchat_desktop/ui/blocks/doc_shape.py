"""A painted ``QTextDocument``: code chips, list markers, quote bars, selection, links.

Invariants: items that were shown already keep their paragraphs when more come, so a growing part costs what is
new; a link is told to the owner and never followed here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QBrush,
    QPainter,
    QPalette,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFragment,
)

from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.blocks import doc_build, html_write, markdown_items, markdown_write, plain_write
from deepchat_desktop.ui.blocks.markdown_items import RuleItem, Span, TextItem
from deepchat_desktop.ui.blocks.rendering import Formula, rendering
from deepchat_desktop.ui.blocks.shape import QUOTE_INDENT, Scene, Shape
from deepchat_desktop.ui.blocks.text_steps import Step, index_of, units, word_range
from deepchat_desktop.ui.paint import dot, hline, rr, text
from deepchat_desktop.ui.theme import theme


class Run(NamedTuple):
    """Half-open range of characters within a block: a code chip, or the object of a formula."""

    start: int
    end: int
    formula: str = ""
    size: int = 0


DocItem = TextItem | RuleItem
_MOVES: dict[Step, QTextCursor.MoveOperation] = {
    "left": QTextCursor.MoveOperation.Left,
    "right": QTextCursor.MoveOperation.Right,
    "word_left": QTextCursor.MoveOperation.WordLeft,
    "word_right": QTextCursor.MoveOperation.WordRight,
    "line_start": QTextCursor.MoveOperation.StartOfLine,
    "line_end": QTextCursor.MoveOperation.EndOfLine,
}


class DocShape(Shape):
    """Paragraphs, headings and list entries that stand together."""

    def __init__(self, items: Sequence[DocItem] = ()) -> None:
        self.items = tuple(items)
        self._problems: dict[str, str] = {}
        self.document = self.build()
        self._decorated = list(_decorations(self.document))

    def build(self) -> doc_build.SilentDocument:
        """Return the document of the items."""
        return doc_build.build(self.items, self.formula_of)

    def formula_of(self, span: Span) -> Formula | None:
        """Return the formula of a run, asking for it where it has not been drawn yet."""
        made = rendering.formula(span.text, self, display=span.math.startswith(("$$", "\\[")))
        if made is not None and made.problem:
            self._problems[span.math] = made.problem
        return made.value if made is not None else None

    def arrived(self) -> None:
        """A formula has been drawn, or cannot be."""
        self.document = self.build()
        self._decorated = list(_decorations(self.document))
        self.width = 0

    def set_items(self, items: Sequence[DocItem]) -> None:
        """Show other items, keeping the paragraphs of those that are the same. The owner fits anew."""
        old, new = self.items, tuple(items)
        if old == new:
            return
        same = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
        self.items = new
        last, now = (old[same], new[same]) if same == len(old) - 1 and same < len(new) else (None, None)
        if isinstance(last, TextItem) and isinstance(now, TextItem) and _alike(last, now):
            doc_build.replace_tail(self.document, now, last)
            same += 1
        elif same == 0:
            self.document = self.build()
            self.width = 0
            same = len(new)
        elif same < len(old):
            doc_build.cut_after(self.document, same)
        doc_build.add(self.document, new[same:], new[same - 1] if same else None)
        self._decorated = list(_decorations(self.document))

    def fit(self, width: int) -> None:
        wanted = self.document_width(width)
        if self.document.textWidth() != wanted:  # Qt lays out anew even for the same width
            self.document.setTextWidth(wanted)
        self.width = width
        self.height = int(self.document_height() + 0.99)

    def document_width(self, width: int) -> float:
        """Return how wide the document is set in a shape of this width."""
        return width

    def document_height(self) -> float:
        """Return how high the document is at its width."""
        return self.document.size().height()

    def origin(self) -> QPointF:
        """Return where the document's corner stands in the shape."""
        return QPointF(0, 0)

    def position_at(self, at: QPointF) -> int:
        found = max(0, self.document.documentLayout().hitTest(at - self.origin(), Qt.HitTestAccuracy.FuzzyHit))
        block = self.document.findBlock(found)
        inner = found - block.position()
        whole = inner if block.layout().isValidCursorPosition(inner) else block.layout().previousCursorPosition(inner)
        return block.position() + whole

    def length(self) -> int:
        return self.document.characterCount() - 1

    def _cursor(self, start: int, end: int) -> QTextCursor:
        cursor = QTextCursor(self.document)
        cursor.setPosition(max(0, min(start, self.length())))
        cursor.setPosition(max(0, min(end, self.length())), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def text_between(self, start: int, end: int) -> str:
        plain = self._cursor(start, end).selectedText().replace("\u2029", "\n").replace("\u2028", "\n")
        sources = iter(self._sources(start, end) if self.document.formulas else ())
        plain = "".join(next(sources, char) if char == markdown_items.FORMULA_MARK else char for char in plain)
        return plain.replace(doc_build.CHIP_PAD, "")

    def _sources(self, start: int, end: int) -> Iterator[str]:
        """Yield the sources of the formulas between two positions that stand there as objects."""
        for number, runs in self._decorated:
            first = self.document.findBlockByNumber(number).position()
            for run in runs:
                if run.formula and start <= first + run.start < end:
                    yield run.formula

    def _cut(self, start: int, end: int) -> Iterator[tuple[DocItem, int, int]]:
        """Yield the items that meet a range, each with the range as it counts."""
        block = self.document.begin()
        for item in self.items:
            low, high = start - block.position(), end - block.position()
            if high > 0 and low < block.length():
                yield self._as_it_stands(item), low, high
            block = block.next()

    def _as_it_stands(self, item: DocItem) -> DocItem:
        if isinstance(item, RuleItem) or not any(span.math for span in item.spans):
            return item
        return replace(item, spans=tuple(doc_build.shown_span(span, self.document.formulas) for span in item.spans))

    def markdown_between(self, start: int, end: int) -> str:
        cut = self._cut(start, end)
        return "\n\n".join(
            markdown_write.item(item, low, high) if isinstance(item, TextItem) else "---" for item, low, high in cut
        )

    def plain_between(self, start: int, end: int) -> str:
        return "\n".join(plain_write.item(item, low, high) for item, low, high in self._cut(start, end))

    def html_between(self, start: int, end: int) -> str:
        return "".join(html_write.item(item, low, high) for item, low, high in self._cut(start, end))

    def word_at(self, position: int) -> tuple[int, int]:
        block = self.document.findBlock(position)
        words = block.text()
        start, end = word_range(words, index_of(words, position - block.position()))
        return block.position() + units(words[:start]), block.position() + units(words[:end])

    def paragraph_at(self, position: int) -> tuple[int, int]:
        block = self.document.findBlock(position)
        return block.position(), block.position() + block.length() - 1

    def caret(self, position: int) -> QRectF:
        block = self.document.findBlock(max(0, min(position, self.length())))
        line = block.layout().lineForTextPosition(position - block.position())
        if not line.isValid():
            return QRectF(self.origin(), QSizeF(0, fonts.line_height(fonts.BODY)))
        corner = self.origin() + self.document.documentLayout().blockBoundingRect(block).topLeft()
        x = _x(line.cursorToX(position - block.position()))
        return QRectF(corner.x() + x, corner.y() + line.y(), 0, line.height())

    def stepped(self, position: int, step: Step) -> int | None:
        cursor = self._cursor(position, position)
        if not cursor.movePosition(_MOVES[step]):
            return cursor.position() if step.startswith("line") else None
        while step in ("left", "right") and self._only_pad(position, cursor.position()):
            if not cursor.movePosition(_MOVES[step]):
                break
        return cursor.position()

    def _only_pad(self, start: int, end: int) -> bool:
        """Tell whether nothing but the room beside a code run lies between two places."""
        crossed = self._cursor(start, end).selectedText()
        return bool(crossed) and not crossed.strip(doc_build.CHIP_PAD)

    def link_at(self, at: QPointF) -> tuple[str, str] | None:
        layout = self.document.documentLayout()
        at = at - self.origin()
        href = layout.anchorAt(at)
        if not href:
            return None
        position = layout.hitTest(at, Qt.HitTestAccuracy.FuzzyHit)
        words = [f.text() for f in _fragments(self.document.findBlock(position)) if f.charFormat().anchorHref() == href]
        return href, "".join(words)

    def paint(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        origin = self.origin()
        p.translate(origin)
        self.paint_document(p, area.translated(-origin), scene)
        p.translate(-origin)

    def paint_document(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        """Draw with the painter at the document's corner."""
        layout = self.document.documentLayout()
        for number, runs in self._decorated:
            block = self.document.findBlockByNumber(number)
            box = layout.blockBoundingRect(block)
            if box.bottom() >= area.top() and box.top() <= area.bottom():
                self._paint_under(p, block, box, runs)
        context = QAbstractTextDocumentLayout.PaintContext()
        context.palette.setColor(QPalette.ColorRole.Text, theme.text)
        context.clip = area
        if scene.selection[0] < scene.selection[1]:
            context.selections = [self._painted_selection(*scene.selection)]
        layout.draw(p, context)
        if self.document.formulas:
            self._paint_formulas(p, area)

    def _paint_formulas(self, p: QPainter, area: QRectF) -> None:
        layout = self.document.documentLayout()
        for number, runs in self._decorated:
            block = self.document.findBlockByNumber(number)
            box = layout.blockBoundingRect(block)
            if box.bottom() < area.top() or box.top() > area.bottom():
                continue
            for run in runs:
                formula = self.document.formulas.get(run.formula)
                line = block.layout().lineForTextPosition(run.start)
                if formula is not None and line.isValid():
                    base = round(box.top() + line.y() + line.ascent())
                    ink = theme.muted if _quote_depth(block) else theme.text
                    formula.draw(p, box.left() + _x(line.cursorToX(run.start)) + 1, base, run.size, ink)

    def hint_at(self, at: QPointF) -> str:
        if not self._problems:
            return ""
        shown = self.text_between(0, self.length())
        return next((words for source, words in self._problems.items() if source in shown), "")

    def _painted_selection(self, start: int, end: int) -> QAbstractTextDocumentLayout.Selection:
        shown = QAbstractTextDocumentLayout.Selection()
        form = QTextCharFormat()
        ground = theme.accent
        ground.setAlpha(70)
        form.setBackground(QBrush(ground))
        shown.cursor = self._cursor(start, end)
        shown.format = form
        return shown

    def _paint_under(self, p: QPainter, block: QTextBlock, box: QRectF, runs: Sequence[Run]) -> None:
        form = block.blockFormat()
        for depth in range(_quote_depth(block)):
            _paint_quote_bar(p, block, box, depth)
        if form.property(doc_build.RULE):
            hline(p, form.leftMargin(), box.bottom() - fonts.line_height(fonts.META) / 2, self.width, theme.line2)
        for run in runs:
            if not run.formula:
                _paint_chip(p, block, box, run)
        marker = form.property(doc_build.MARKER)
        if marker and block.layout().lineCount():
            line = block.layout().lineAt(0)
            base = box.top() + line.y() + line.ascent()
            _paint_marker(p, str(marker), int(form.property(doc_build.LEVEL) or 0), form.leftMargin(), base)


def _alike(old: TextItem, new: TextItem) -> bool:
    """Tell whether a paragraph can be made out of another by changing its end."""
    return (old.style, old.place) == (new.style, new.place)


def _paint_chip(p: QPainter, block: QTextBlock, box: QRectF, run: Run) -> None:
    first, last = run.start, run.end
    high = fonts.scaled(19)
    for index in range(block.layout().lineCount()):
        line = block.layout().lineAt(index)
        start = max(first, line.textStart())
        end = min(last, line.textStart() + line.textLength())
        if start < end:
            left, right = _x(line.cursorToX(start)), _x(line.cursorToX(end))
            base = round(box.top() + line.y() + line.ascent())
            rr(p, QRectF(box.left() + left - 4, base - fonts.scaled(14), right - left + 8, high), 4, theme.icode)


def _x(at: object) -> float:
    """Return the x of ``cursorToX``, which PySide6 gives as (x, position)."""
    return float(at[0]) if isinstance(at, tuple) else float(at)  # type: ignore[arg-type]


def _fragments(block: QTextBlock) -> Iterator[QTextFragment]:
    step = block.begin()
    while not step.atEnd():
        yield step.fragment()
        step += 1


def _decorations(document: QTextDocument) -> Iterator[tuple[int, list[Run]]]:
    """Yield the number of each block that needs more than its text, with its code and picture runs."""
    block = document.begin()
    while block.isValid():
        runs: list[Run] = []
        for fragment in _fragments(block):
            look = fragment.charFormat()
            if look.property(doc_build.CODE_RUN) or look.property(doc_build.IMAGE_RUN):
                first = fragment.position() - block.position()
                runs.append(Run(first, first + fragment.length()))
            elif source := look.property(doc_build.FORMULA):
                first = fragment.position() - block.position()
                size = int(look.property(doc_build.FORMULA_SIZE))
                runs += (Run(at, at + 1, str(source), size) for at in range(first, first + fragment.length()))
        form = block.blockFormat()
        if runs or any(form.property(key) for key in (doc_build.MARKER, doc_build.QUOTE, doc_build.RULE)):
            yield block.blockNumber(), runs
        block = block.next()


def _quote_depth(block: QTextBlock) -> int:
    return int(block.blockFormat().property(doc_build.QUOTE) or 0) if block.isValid() else 0


def _paint_quote_bar(p: QPainter, block: QTextBlock, box: QRectF, depth: int) -> None:
    """Draw the bar beside a block's lines, joined to the block above when that is quoted as deeply."""
    form = block.blockFormat()
    joined = form.topMargin() + 2 if _quote_depth(block.previous()) > depth else 0
    top = box.top() + 3 - joined  # fixed line heights set text low in its line
    height = block.layout().lineCount() * form.lineHeight() + joined
    rr(p, QRectF(depth * QUOTE_INDENT, top, 3, height), 1.5, theme.line2)


def _paint_marker(p: QPainter, marker: str, level: int, left: float, base: float) -> None:
    middle = base - fonts.scaled(5)
    match marker:
        case markdown_items.BULLET:
            if level % 2:
                dot(p, QPointF(left - 12.5, middle), 2.5, theme.muted)
            else:
                rr(p, QRectF(left - 15, middle - 2.5, 5, 5), 2.5, None, theme.muted)
        case markdown_items.UNCHECKED | markdown_items.CHECKED:
            done = marker == markdown_items.CHECKED
            rr(p, QRectF(left - 20, middle - 7, 14, 14), 3, theme.accent if done else None, None if done else theme.off)
            if done:
                icons.draw(p, QRectF(left - 20, middle - 7, 14, 14), "check", theme.on_accent, 11)
        case _:
            area = QRectF(left - 60, base - fonts.scaled(16), 53, fonts.scaled(22))
            text(p, area, marker, fonts.BODY, colour=theme.muted, align=Qt.AlignmentFlag.AlignRight, tabular=True)
