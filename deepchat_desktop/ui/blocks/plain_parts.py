"""Long plain text as cells: cut at line ends or sentences, so that each is a small document.

Invariant: the parts lie side by side; only the last one changes when text is appended.
"""

from collections.abc import Callable

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks.cell import Cell, guessed_lines
from deepchat_desktop.ui.blocks.scanner import LIMIT, sentence_end
from deepchat_desktop.ui.blocks.shape import Shape


def cuts(text: str) -> list[tuple[int, int]]:
    """Return half-open ranges of at most ``LIMIT`` characters; an empty text is one range."""
    made: list[tuple[int, int]] = []
    at = 0
    while len(text) - at > LIMIT:
        line = text.rfind("\n", at, at + LIMIT) + 1
        end = line if line > at + LIMIT // 4 else sentence_end(text, at)
        made.append((at, end))
        at = end
    return [*made, (at, len(text))]


class PlainCell(Cell):
    """One range of a text. ``build`` makes its shape from the words of the range."""

    def __init__(
        self, block: int, text: str, cut: tuple[int, int], build: Callable[[str], Shape], pad: int = 0
    ) -> None:
        super().__init__(block)
        self._text, self.cut = text, cut
        self._build, self._pad = build, pad

    def words(self) -> str:
        """Return the range's words; a line end at its end is the next cell's beginning."""
        return self._text[self.cut[0] : self.cut[1]].removesuffix("\n")

    def make(self) -> Shape:
        return self._build(self.words())

    def guess(self, width: int) -> int:
        length = self.cut[1] - self.cut[0]
        lines = self._text.count("\n", *self.cut) + guessed_lines(length, width)
        return lines * fonts.line_height(fonts.BODY) + self._pad

    def markdown(self) -> str:
        return self.words()
