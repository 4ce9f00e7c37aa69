"""The base of everything that stands in a message: it is told its width and answers with its height.

Invariants: a part never asks for layout by itself; when its height changes it says so by ``resized`` and its
owner lays out anew. Positions within a part are character offsets, 0 to ``length()``.
"""

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QWidget

TEXT_INDENT = 24
QUOTE_INDENT = 18


class Part(QWidget):
    """A painted or composed piece of a message."""

    resized = Signal()

    def fit(self, width: int) -> int:
        """Take a width in px and return the height that this needs."""
        self.resize(width, self.sizeHint().height())
        return self.height()


class TextPart(Part):
    """A part whose text can be selected. What it holds is told by the four methods that a kind overrides."""

    def position_at(self, point: QPoint) -> int:
        """Return the offset of the gap between characters that is nearest to a point."""
        return 0

    def length(self) -> int:
        """Return how many characters can be selected."""
        return len(self.text_between(0, 1 << 30))

    def text_between(self, start: int, end: int) -> str:
        """Return text as it reads; ``end`` may lie beyond the end."""
        return ""

    def word_at(self, position: int) -> tuple[int, int]:
        """Return the range of the word around a position."""
        return position, position

    def link_at(self, point: QPoint) -> tuple[str, str] | None:
        """Return the target and the words of the link under a point."""
        return None

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.selection = (0, 0)

    def select(self, start: int, end: int) -> None:
        """Show a selection; an empty one clears it."""
        wanted = (min(start, end), max(start, end)) if start != end else (0, 0)
        if wanted != self.selection:
            self.selection = wanted
            self.update()

    def selected_text(self) -> str:
        """Return the selected text as it reads."""
        return self.text_between(*self.selection)


def word_range(text: str, position: int) -> tuple[int, int]:
    """Return the run of word characters around a position in a line of text."""
    start = end = max(0, min(position, len(text)))
    while start > 0 and _in_word(text[start - 1]):
        start -= 1
    while end < len(text) and _in_word(text[end]):
        end += 1
    return start, end


def _in_word(char: str) -> bool:
    return char.isalnum() or char == "_"
