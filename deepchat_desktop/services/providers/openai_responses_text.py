"""The texts of a responses stream: pieces first, then the whole, which wins.

The newest piece of the open text is held until the next event, because the whole may correct it. What was handed
out cannot be taken back: a whole that contradicts it adds nothing. Only lengths and checksums are kept.
"""

import zlib
from typing import Literal

from deepchat_desktop.domain.stream import ProviderEvent, ReasoningDelta, TextDelta

Channel = Literal["text", "summary", "thought"]
Place = tuple[str, Channel, int]
"""The item, the kind of text, and which part of it."""


class PartTexts:
    """All texts of one answer."""

    def __init__(self) -> None:
        self._said: dict[Place, tuple[int, int]] = {}
        self._open: Place | None = None
        self._held = ""

    def more(self, place: Place, piece: str) -> list[ProviderEvent]:
        """Take a piece; what was held before it comes out."""
        if not piece:
            return []
        events = self.flush()
        self._open, self._held = place, piece
        return events

    def whole(self, place: Place, text: str) -> list[ProviderEvent]:
        """Take the whole text of a part and return what of it was not said yet."""
        events = [] if self._open == place else self.flush()
        length, checksum = self._said.get(place, (0, 0))
        if text and len(text) >= length and _checksum(text[:length]) == checksum:
            self._open, self._held = place, text[length:]
        return events + self.flush()

    def flush(self) -> list[ProviderEvent]:
        """Hand out what is held."""
        place, piece = self._open, self._held
        self._open, self._held = None, ""
        if place is None or not piece:
            return []
        length, checksum = self._said.get(place, (0, 0))
        self._said[place] = (length + len(piece), _checksum(piece, checksum))
        return [TextDelta(text=piece) if place[1] == "text" else ReasoningDelta(text=piece)]


def _checksum(text: str, start: int = 0) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass"), start)
