"""Whether what is read stays where it is when something above it grows or the type's size changes.

Asks the list's geometry (tops of messages in px, the visible range), so it has no figures for a list without one.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QImage

from benchmarks.message_list.measure_frames import Result, loaded
from benchmarks.message_list.subject import Subject
from deepchat_desktop.domain.blocks import ImageBlock
from deepchat_desktop.domain.events import BlockSet

ROWS_ABOVE = 3
"""So many answers above the one that is read get a picture."""


def _picture() -> str:
    """Return a PNG of 640 x 400 px in base 64."""
    image = QImage(640, 400, QImage.Format.Format_RGB32)
    image.fill(0x3366AA)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return base64.b64encode(buffer.data().data()).decode()


def has_geometry(area: Any) -> bool:
    return all(hasattr(area, name) for name in ("heights", "visible_range", "scroll_to_message"))


def _top(area: Any, row: int) -> float:
    """Return where a message begins, in px below the top of the view."""
    return float(area.heights.prefix(row) - area.visible_range()[0])


def place(subject: Subject, path: Path) -> Result:
    """Stand at the start of an answer in the middle; pictures come above it, then the type grows."""
    from deepchat_desktop.ui import fonts
    from deepchat_desktop.ui.theme import theme

    messages = loaded(subject, path)
    area: Any = subject.area
    if not has_geometry(area):
        return {}
    row = len(messages) // 2 | 1
    area.scroll_to_message(row)
    subject.clock.settle(2.0)
    before, data = _top(area, row), _picture()
    for above in range(1, ROWS_ABOVE + 1):
        block = ImageBlock(media_type="image/png", data=data)
        event = BlockSet(session_id="bench", message_id=messages[row - 2 * above].id, index=1, block=block)
        subject.model.apply(event)
        subject.model.flush()
        subject.clock.settle(1.0)
    pictures = abs(_top(area, row) - before)
    fonts.set_text_size(16)
    theme.refresh()
    subject.clock.settle(3.0)
    return {"drift_image": pictures, "drift_font": abs(_top(area, row) - before)}
