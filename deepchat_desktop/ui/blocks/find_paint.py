"""Paints the marks of a search over a shape that is painted already.

Marks darken a light ground and lighten a dark one, so text stays as it is; the current hit is a strong mark with its
text drawn once more, and a bar beside the block where what was found is not shown as text.
"""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QAbstractTextDocumentLayout, QBrush, QPainter, QPalette, QTextCharFormat, QTextCursor

from deepchat_desktop.domain.find import Needle, Range
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks.code_shape import CodeShape
from deepchat_desktop.ui.blocks.doc_shape import DocShape
from deepchat_desktop.ui.blocks.find_places import CardName, Leaf, boxes, frame, hits, leaves
from deepchat_desktop.ui.blocks.fold_paint import CARD_HEIGHT, NAME_LEFT, NAME_WIDTH
from deepchat_desktop.ui.blocks.line_block import LineBlock
from deepchat_desktop.ui.blocks.shape import Shape
from deepchat_desktop.ui.blocks.well_shape import WellShape
from deepchat_desktop.ui.paint import rr, text
from deepchat_desktop.ui.theme import theme

_RADIUS = 3
_BAR = 3


def marks(p: QPainter, shape: Shape, area: QRectF, needle: Needle, now: tuple[int, Range] | None) -> int:
    """Draw the hits that meet ``area``; ``now`` is the leaf and the place of the current one. Return how many."""
    drawn = 0
    for index, leaf in enumerate(leaves(shape)):
        seen = area.translated(-leaf.corner).intersected(frame(leaf.shape))
        if seen.isEmpty():
            continue
        current = now[1] if now is not None and now[0] == index else None
        p.save()
        p.translate(leaf.corner)
        p.setClipRect(seen, Qt.ClipOperation.IntersectClip)
        drawn += _leaf(p, leaf, seen, needle, current)
        p.restore()
    return drawn


def _leaf(p: QPainter, leaf: Leaf, seen: QRectF, needle: Needle, current: Range | None) -> int:
    mode = QPainter.CompositionMode
    drawn = 0
    for place in hits(leaf.shape, needle, seen):
        drawn += 1
        for box in boxes(leaf.shape, place):
            if place == current:
                rr(p, box, _RADIUS, theme.hit_now)
                _ink(p, leaf.shape, box, place)
            else:
                p.setCompositionMode(mode.CompositionMode_Lighten if theme.dark else mode.CompositionMode_Darken)
                rr(p, box, _RADIUS, theme.hit)
                p.setCompositionMode(mode.CompositionMode_SourceOver)
    return drawn


def bar(p: QPainter, shape: Shape) -> None:
    """Mark a whole block: the current hit is in it, but not among the text that is shown."""
    rr(p, QRectF(-10, 2, _BAR, max(8, shape.height - 4)), 1.5, theme.hit_now)


def _ink(p: QPainter, shape: Shape, box: QRectF, place: Range) -> None:
    """Draw the text of the current hit in the colour that its mark asks for."""
    p.save()
    p.setClipRect(box, Qt.ClipOperation.IntersectClip)
    match shape:
        case DocShape():
            _document_ink(p, shape, box, place)
        case CardName():
            area = QRectF(NAME_LEFT, 0, NAME_WIDTH, CARD_HEIGHT)
            text(p, area, shape.words, fonts.CONTROL, fonts.MEDIUM, theme.on_hit)
        case CodeShape() | WellShape():
            _line_ink(p, shape.block, box, place, shape.text_between(*place))
    p.restore()


def _document_ink(p: QPainter, shape: DocShape, box: QRectF, place: Range) -> None:
    origin = shape.origin()
    p.translate(origin)
    form = QTextCharFormat()
    form.setForeground(QBrush(theme.on_hit))
    chosen = QAbstractTextDocumentLayout.Selection()
    chosen.format = form
    chosen.cursor = QTextCursor(shape.document)
    chosen.cursor.setPosition(place[0])
    chosen.cursor.setPosition(place[1], QTextCursor.MoveMode.KeepAnchor)
    context = QAbstractTextDocumentLayout.PaintContext()
    context.palette.setColor(QPalette.ColorRole.Text, theme.on_hit)
    context.clip = box.translated(-origin)
    context.selections = [chosen]
    shape.document.documentLayout().draw(p, context)


def _line_ink(p: QPainter, block: LineBlock, box: QRectF, place: Range, words: str) -> None:
    start, end = block.caret(place[0]), block.caret(place[1])
    if start.y() != end.y():  # a hit that wraps keeps the ink of its lines
        return
    rise = (block.high + block.metrics.ascent() - block.metrics.descent()) / 2
    p.setFont(fonts.font(block.size, mono=True))
    p.setPen(theme.on_hit)
    p.drawText(QPointF(round(box.left() + 1), round(box.top() + rise)), words)
