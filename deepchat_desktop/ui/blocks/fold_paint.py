"""Paints what opens, closes and acts in a message: a fold line, the head of a card, a button."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.icons import IconName
from deepchat_desktop.ui.paint import rr, spinner, text
from deepchat_desktop.ui.theme import theme

FOLD_HEIGHT, CARD_HEIGHT, BUTTON_HEIGHT = 28, 38, 30
NAME_LEFT, NAME_WIDTH = 38, 200
"""Where a card's name stands, in px."""


def fold_line(
    p: QPainter, width: float, icon: IconName | None, words: str, *, open: bool, lit: bool, degrees: float = 0.0
) -> float:
    """Draw an icon (None: the spinner), words, and a caret right after them; return where that ends."""
    end = mark_line(p, width, icon, words, lit=lit, degrees=degrees)
    caret: IconName = "caret-down" if open else "caret-right"
    icons.draw(p, QRectF(end + 6, 0, 12, FOLD_HEIGHT), caret, theme.faint, 11)
    return end + 18


def mark_line(
    p: QPainter, width: float, icon: IconName | None, words: str, *, lit: bool = False, degrees: float = 0.0
) -> float:
    """Draw an icon (None: the spinner) and words; return where they end."""
    ink = theme.text if lit else theme.muted
    if icon is None:
        spinner(p, QRectF(2, FOLD_HEIGHT / 2 - 7, 14, 14), degrees)
    else:
        icons.draw(p, QRectF(0, 0, 18, FOLD_HEIGHT), icon, ink, 16)
    return 26 + text(p, QRectF(26, 0, width - 50, FOLD_HEIGHT), words, fonts.CONTROL, colour=ink)


@dataclass(frozen=True)
class Card:
    """What the head of a card says; all of it must be visible text already. No state icon: the spinner."""

    icon: IconName
    name: str
    argument: str
    state_icon: IconName | None
    state: str
    tone: str
    changed: tuple[int, int] | None = None
    """Lines added and taken away."""


def card_head(p: QPainter, width: float, card: Card, *, open: bool, lit: bool, degrees: float) -> None:
    """Draw icon, name, the argument that matters (mono, elided in the middle), and the state as icon and words."""
    high = CARD_HEIGHT
    if lit:
        rr(p, QRectF(1, 1, width - 2, high - 2), 9, theme.hover if theme.dark else theme.hover2)
    icons.draw(p, QRectF(12, 0, 18, high), card.icon, theme.muted, 17)
    used = text(p, QRectF(NAME_LEFT, 0, NAME_WIDTH, high), card.name, fonts.CONTROL, fonts.MEDIUM)
    caret: IconName = "caret-up" if open else "caret-down"
    icons.draw(p, QRectF(width - 26, 0, 14, high), caret, theme.faint, 12)
    ink: QColor = getattr(theme, card.tone)
    wide = fonts.metrics(fonts.META, fonts.MEDIUM, tabular=True).horizontalAdvance(card.state)
    left = width - 36 - wide
    text(p, QRectF(left, 0, wide + 1, high), card.state, fonts.META, fonts.MEDIUM, ink, tabular=True)
    if card.state_icon is not None:
        icons.draw(p, QRectF(left - 21, 0, 16, high), card.state_icon, ink, 15)
    else:
        spinner(p, QRectF(left - 20, high / 2 - 6.5, 13, 13), degrees)
    if card.changed is not None:
        left = _changed(p, left - 34, card.changed) + 34
    area = QRectF(38 + used + 10, 0, left - 34 - (38 + used + 10), high)
    text(p, area, card.argument, fonts.META, colour=theme.muted, mono=True, elide=Qt.TextElideMode.ElideMiddle)


def _changed(p: QPainter, right: float, changed: tuple[int, int]) -> float:
    """Draw how many lines came and went; return where that begins."""
    for count, sign, tone in ((changed[1], "−", theme.danger), (changed[0], "+", theme.ok)):
        words = f"{sign}{count}"
        wide = fonts.metrics(fonts.META, mono=True).horizontalAdvance(words)
        text(p, QRectF(right - wide, 0, wide + 1, CARD_HEIGHT), words, fonts.META, colour=tone, mono=True)
        right -= wide + 8
    return right


def button_width(words: str) -> float:
    """Return how wide a button is."""
    return round(fonts.text_width(words, fonts.CONTROL, fonts.MEDIUM) + 0.5) + 26


def button(p: QPainter, area: QRectF, words: str, *, lit: bool) -> None:
    """Draw a button as the window's other buttons look."""
    rr(p, area, 6, theme.hover2 if lit else theme.raised, theme.line2)
    text(p, area, words, fonts.CONTROL, fonts.MEDIUM, align=Qt.AlignmentFlag.AlignHCenter)
