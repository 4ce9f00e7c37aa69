"""Draws the blocks in view, with selection, hover and the keyboard's place."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from deepchat_desktop.ui.blocks.shape import Scene
from deepchat_desktop.ui.message_list.layout import Placed
from deepchat_desktop.ui.paint import rr
from deepchat_desktop.ui.theme import theme

if TYPE_CHECKING:
    from deepchat_desktop.ui.message_list.message_list import MessageList


def paint(p: QPainter, view: "MessageList", area: QRectF) -> None:
    """Draw what meets ``area`` of the viewport."""
    left = view.column().left()
    for placed in view.layout_.placed:
        shape = placed.cell.shape
        if shape is None or placed.y > area.bottom() or placed.bottom < area.top():
            continue
        p.save()
        p.translate(left, placed.y)
        shape.paint(p, area.translated(-left, -placed.y), _scene(view, placed))
        if view.finding.session.needle:
            view.finding.paint(p, placed, area.translated(-left, -placed.y))
        p.restore()
    caret = view.caret.rect()
    if caret is not None:
        p.fillRect(QRectF(round(caret.x()), caret.y(), 2, caret.height()), theme.accent)
    ring = view.keyboard.ring()
    if ring is not None:
        rr(p, ring, 8, None, theme.accent, 2)


def _scene(view: "MessageList", placed: Placed) -> Scene:
    shape = placed.cell.shape
    length = shape.length() if shape is not None and view.selection.bounds() is not None else 0
    chosen = view.selection.within(placed.row, placed.index, length)
    lit = view.pointer.lit(placed) or view.keyboard.lit(placed)
    hovered = view.pointer.row == placed.row or view.keyboard.row() == placed.row
    return Scene(chosen, lit, hovered, view.degrees())
