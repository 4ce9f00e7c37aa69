"""LaTeX to SVG through ziamath: paths only, in one ink that the window replaces by its own.

Invariant: what ziamath cannot set is an error and not a picture with holes: it writes unknown commands out letter by
letter, and its face has no Chinese, Japanese or Korean.
"""

import re
from functools import lru_cache
from typing import Any

INK = "#010203"
SIZE = 14
"""Font size in px that formulas are set in; they are scaled when drawn."""
MAX_TEX = 4_000
_COMMAND = re.compile(r"\\[A-Za-z]+")
_NO_GLYPH = re.compile("[\u0590-\u08ff\u0900-\u1fff\u2e80-\ud7ff\uf900-\ufaff\U0001f000-\U0003ffff]")


def draw(tex: str, *, display: bool) -> str:
    """Return an SVG; the y axis of its view box is 0 at the baseline. Raises ValueError with one line for people."""
    if len(tex) > MAX_TEX:
        raise ValueError("The formula is too long.")
    if found := _NO_GLYPH.search(tex):
        raise ValueError(f"There is no mathematical glyph for “{found[0]}”.")
    ziamath = _ziamath()
    try:
        made = ziamath.Latex(tex, size=SIZE, inline=not display, color=INK)
        unknown = next((found[0] for part in made.element.iter() if (found := _COMMAND.search(part.text or ""))), "")
        svg = str(made.svg())
    except (MemoryError, ValueError):
        raise
    except Exception as error:
        raise ValueError(f"This is no formula that can be set: {str(error) or type(error).__name__}") from error
    if unknown:
        raise ValueError(f"The command {unknown} is not known.")
    return svg


@lru_cache(maxsize=1)
def _ziamath() -> Any:
    import ziamath
    from ziamath.config import config

    config.svg2 = False  # QtSvg clips glyphs that are used by reference
    return ziamath
