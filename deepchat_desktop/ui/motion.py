"""Whether things may move: the one place that decides, by the system's wish for reduced motion.

Qt tells it from 6.12 on; before that Windows is asked itself, and elsewhere nothing is known, so things move.
"""

import sys
from typing import Any

from PySide6.QtGui import QGuiApplication

_SPI_GETCLIENTAREAANIMATION = 0x1042


def reduced() -> bool:
    """Tell whether the user asked the system for less motion. Asked anew each time: it can change while we run."""
    preference = _preference()
    if preference is not None:
        return "Reduced" in preference.name
    return sys.platform == "win32" and not _windows_animates()


def _preference() -> Any:
    """Return Qt's enumerator, or None from a Qt that has none."""
    accessibility = getattr(QGuiApplication.styleHints(), "accessibility", None)
    ask = getattr(accessibility(), "motionPreference", None) if accessibility is not None else None
    return ask() if ask is not None else None


def _windows_animates() -> bool:
    if sys.platform != "win32":
        return True
    import ctypes

    on = ctypes.c_int(1)
    ctypes.windll.user32.SystemParametersInfoW(_SPI_GETCLIENTAREAANIMATION, 0, ctypes.byref(on), 0)
    return bool(on.value)
