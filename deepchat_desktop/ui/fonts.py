"""Families and the five sizes of type, in px, and the user's text size that scales them together.

Invariants: nothing bolder than 600; CJK and emoji families are named, or a Chinese reader gets Japanese glyph
forms; hinting is never full, because full hinting changes the widths of text.
"""

import sys
from functools import lru_cache

from PySide6.QtGui import QFont, QFontDatabase, QFontMetricsF

META = 12
"""Captions, pills, group heads, key caps."""
CONTROL = 13
"""Controls, rows, tables, code."""
BODY = 14
"""Messages and card titles."""
HEADING = 18
HERO = 24

REGULAR = 400
MEDIUM = 500
SEMIBOLD = 600

TEXT_SIZES = (12, 13, 14, 16, 18)
"""The body sizes a user may choose; everything else keeps its proportion to it."""
_LINE_HEIGHTS = {META: 18, CONTROL: 20, BODY: 22, HEADING: 26, HERO: 32}

_text_size = BODY


def set_text_size(px: int) -> None:
    """Choose the body size (one of ``TEXT_SIZES``). The caller tells the theme to refresh."""
    if px not in TEXT_SIZES:
        raise ValueError(f"text size {px} is not one of {TEXT_SIZES}")
    global _text_size  # noqa: PLW0603  one text size per process, like the application font
    _text_size = px
    font.cache_clear()
    metrics.cache_clear()


def text_size() -> int:
    """Return the body size in px."""
    return _text_size


def scaled(px: float) -> int:
    """Return a measure of type at the user's text size, in whole px."""
    return round(px * _text_size / BODY)


def line_height(size: int) -> int:
    """Return the line height of one of the five sizes, in px at the user's text size."""
    return scaled(_LINE_HEIGHTS[size])


@lru_cache(maxsize=1)
def sans_families() -> list[str]:
    """Return the interface families: Inter where installed on Linux, else the system's, then CJK and emoji."""
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).families()
    if sys.platform == "win32":
        return ["Segoe UI Variable Text", "Segoe UI", "Microsoft YaHei UI", "Segoe UI Emoji"]
    if sys.platform == "darwin":
        return [*system, "PingFang SC", "Apple Color Emoji"]
    preferred = ["Inter"] if QFontDatabase.hasFamily("Inter") else []
    return [*preferred, *system, "Noto Sans CJK SC", "Noto Color Emoji"]


@lru_cache(maxsize=1)
def mono_families() -> list[str]:
    """Return the families for code, with CJK of the same width."""
    fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).families()
    if sys.platform == "win32":
        return ["Cascadia Mono", "Consolas", "Microsoft YaHei UI", "Segoe UI Emoji"]
    if sys.platform == "darwin":
        return ["SF Mono", "Menlo", *fixed, "PingFang SC", "Apple Color Emoji"]
    preferred = ["JetBrains Mono"] if QFontDatabase.hasFamily("JetBrains Mono") else []
    return [*preferred, *fixed, "Noto Sans Mono CJK SC", "Noto Color Emoji"]


@lru_cache(maxsize=256)
def font(
    size: int = CONTROL, weight: int = REGULAR, *, mono: bool = False, italic: bool = False, tabular: bool = False
) -> QFont:
    """Return a font. ``size`` is a px size before the user's scaling; ``tabular`` gives digits one width.

    The object is shared: copy it before changing it.
    """
    made = QFont()
    made.setFamilies(mono_families() if mono else sans_families())
    made.setPixelSize(scaled(size))
    made.setWeight(QFont.Weight(weight))
    made.setItalic(italic)
    made.setHintingPreference(QFont.HintingPreference.PreferVerticalHinting)
    if size >= HEADING:
        made.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, -0.2 if size < HERO else -0.4)
    if mono:
        made.setStyleHint(QFont.StyleHint.Monospace)
        made.setFeature(QFont.Tag("calt"), 0)  # ligatures would draw two characters as one
    if tabular:
        made.setFeature(QFont.Tag("tnum"), 1)
    return made


@lru_cache(maxsize=256)
def metrics(
    size: int = CONTROL, weight: int = REGULAR, *, mono: bool = False, italic: bool = False, tabular: bool = False
) -> QFontMetricsF:
    """Return the metrics of ``font`` with the same arguments."""
    return QFontMetricsF(font(size, weight, mono=mono, italic=italic, tabular=tabular))


def text_width(text: str, size: int = CONTROL, weight: int = REGULAR, *, mono: bool = False) -> float:
    """Return the width of one line of text in px."""
    return metrics(size, weight, mono=mono).horizontalAdvance(text)
