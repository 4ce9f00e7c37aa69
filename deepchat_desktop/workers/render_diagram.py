"""Mermaid to PNG through mermaidx: mermaid.js without a browser, painted with a face that has Chinese.

Invariants: a picture and no SVG leaves this process, since mermaid's SVG holds HTML; a diagram that refers to
anything outside itself is refused before it is painted. The layout measures in the very face that is painted with.
"""

import base64
import re
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

MAX_SOURCE = 50_000
MAX_SIDE = 8_000
"""Pixels; a larger diagram is painted smaller."""
FAMILY = "Diagram"
_OUTSIDE = re.compile(r"<image\b|<script\b|<!ENTITY|(?:href|src)\s*=\s*[\"'](?!#)|url\(\s*[\"']?(?!#)", re.IGNORECASE)
_FACES = {
    "linux": (
        "/usr/share/fonts/opentype/noto/NotoSansCJK-{}.ttc",
        "/usr/share/fonts/noto-cjk/NotoSansCJK-{}.ttc",
        "/usr/share/fonts/google-noto-cjk/NotoSansCJK-{}.ttc",
        "/usr/share/fonts/google-noto-sans-cjk-fonts/NotoSansCJK-{}.ttc",
        "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc",
    ),
    "darwin": ("/System/Library/Fonts/Hiragino Sans GB.ttc", "/System/Library/Fonts/STHeiti Medium.ttc"),
    "win32": ("C:/Windows/Fonts/msyh.ttc", "C:/Windows/Fonts/simsun.ttc"),
}
_BOLD = {"C:/Windows/Fonts/msyh.ttc": "C:/Windows/Fonts/msyhbd.ttc"}


def draw(source: str, colours: dict[str, str], scale: float) -> dict[str, Any]:
    """Return ``{"png": base 64, "scale": pixels per px}``. Raises ValueError with one line for people.

    ``colours`` are mermaid's theme variables.
    """
    if len(source) > MAX_SOURCE:
        raise ValueError("The diagram is too long.")
    variables = {**colours, "fontFamily": FAMILY, "fontSize": "14px"}
    config = {
        "fontFamily": FAMILY,
        "themeVariables": variables,
        "securityLevel": "strict",
        "flowchart": {"htmlLabels": True},
        "maxTextSize": MAX_SOURCE,
        "secure": ["secure", "securityLevel", "startOnLoad", "maxTextSize", "fontFamily", "themeVariables", "themeCSS"],
    }
    try:
        svg = _engine()(source, theme="base", config=config).svg()
    except RuntimeError as error:  # mermaid's own words, or the end of the script engine's memory
        raise ValueError(_first_line(str(error))) from error
    if found := _OUTSIDE.search(svg):
        raise ValueError(f"The diagram refers to something outside itself ({found[0].strip()}).")
    return _paint(svg, scale, colours.get("background", "#FFFFFF"))


def _paint(svg: str, scale: float, background: str) -> dict[str, Any]:
    import novasvg
    from mermaidx.raster import render_png

    document = novasvg.Document.load_from_data(svg)
    wide, high = document.width, document.height
    if not (0 < wide < 100_000 and 0 < high < 100_000):
        raise ValueError("The diagram has no size.")
    scale = min(scale, MAX_SIDE / wide, MAX_SIDE / high)
    return {"png": base64.b64encode(render_png(svg, scale=scale, background=background)).decode(), "scale": scale}


def _first_line(words: str) -> str:
    """Return mermaid's complaint without its frame: what is wrong, and in which line."""
    words = words.removeprefix("Mermaid rendering failed: ").removeprefix("Error: ")
    if "produced no output" in words:
        return "The diagram could not be read."
    return words.partition("\n")[0].strip().rstrip(":")[:300] or "The diagram could not be read."


@lru_cache(maxsize=1)
def _engine() -> Any:
    import mermaidx
    import mermaidx.font_metrics as metrics
    from novasvg import fonts

    regular, bold = _face_files(Path(metrics.__file__).parent / "assets" / "fonts")
    fonts.add_font_face_from_file(FAMILY, False, False, str(regular))
    fonts.add_font_face_from_file(FAMILY, True, False, str(bold))
    for font, is_bold in ((metrics._REGULAR, False), (metrics._BOLD, True)):
        font._face = fonts.get_font_face(FAMILY, is_bold, False)
    metrics._FAMILY = FAMILY
    return mermaidx.render


def _face_files(bundled: Path) -> tuple[Path, Path]:
    """Return a regular and a bold face: the system's with Chinese if it is where it always is, else mermaidx's own."""
    for pattern in _FACES.get(sys.platform, ()):
        regular = Path(pattern.format("Regular"))
        if regular.is_file():
            bold = Path(_BOLD.get(pattern, pattern.format("Bold")))
            return regular, bold if bold.is_file() else regular
    return bundled / "DejaVuSans.ttf", bundled / "DejaVuSans-Bold.ttf"
