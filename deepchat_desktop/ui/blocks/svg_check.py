"""Whether an SVG that another process made may be drawn: shapes and colours, and nothing that could reach outside.

Invariant: what is not listed is refused. No document type, so no entities; no references, styles, scripts or text.
"""

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

MAX_SVG = 1_000_000
MAX_SIDE = 20_000.0
_SPACE = "{http://www.w3.org/2000/svg}"
_ATTRIBUTES = frozenset({"d", "x", "y", "x1", "y1", "x2", "y2", "width", "height", "rx", "viewBox"})
_PAINTS = frozenset({"fill", "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin"})
_TAGS = frozenset({f"{_SPACE}{tag}" for tag in ("svg", "g", "path", "rect", "line")})
_PAINT = re.compile(r"#[0-9A-Fa-f]{3,8}|[A-Za-z]{1,24}|[\d.]{1,12}")
_GEOMETRY = re.compile(r"[MmLlHhVvCcSsQqTtAaZz\d\s,.eE+-]*")

Box = tuple[float, float, float, float]


def checked_box(svg: str) -> Box:
    """Return the view box (x, y, width, height) of an SVG that may be drawn. Raises ValueError with the reason."""
    if len(svg) > MAX_SVG:
        raise ValueError("the picture is too large")
    if "<!" in svg or "<?" in svg:
        raise ValueError("the picture holds declarations")
    from xml.etree import ElementTree as ET

    try:
        root = ET.fromstring(svg)
    except ET.ParseError as error:
        raise ValueError("the picture is no XML") from error
    for element in root.iter():
        _check(element)
    return _box(root.get("viewBox", ""))


def _check(element: "Element") -> None:
    if element.tag not in _TAGS or (element.text or "").strip() or (element.tail or "").strip():
        raise ValueError(f"the picture holds {str(element.tag).removeprefix(_SPACE)[:40]}")
    for name, value in element.attrib.items():
        pattern = _GEOMETRY if name in _ATTRIBUTES else _PAINT if name in _PAINTS else None
        if pattern is None or not pattern.fullmatch(value):
            raise ValueError(f"the picture has {name[:40]}")


def _box(words: str) -> Box:
    try:
        x, y, wide, high = (float(word) for word in words.split())
    except ValueError:
        raise ValueError("the picture has no size") from None
    if not all(map(math.isfinite, (x, y, wide, high))):
        raise ValueError("the picture has no size")
    if not (0 < wide <= MAX_SIDE and 0 < high <= MAX_SIDE and abs(x) <= MAX_SIDE and abs(y) <= MAX_SIDE):
        raise ValueError("the picture has no usable size")
    return x, y, wide, high
