"""One block as the list stands it in a message: a height that is guessed until its shape is built.

Invariants: ``height`` includes ``gap``, the space above; a shape may be dropped at any time and made again; what the
reader chose (open, wrapped) is kept in ``Choices``, which outlives shapes and states of the block.
"""

from dataclasses import dataclass, field
from typing import Any

from deepchat_desktop.ui.blocks.shape import Shape


@dataclass
class Choices:
    """What is kept for one block of a message."""

    index: int
    """The block's place in its message."""
    folds: dict[str, bool] = field(default_factory=dict)
    memory: dict[str, Any] = field(default_factory=dict)
    active: bool = True
    """Whether its buttons would still act."""
    calls: frozenset[str] = frozenset()
    """The calls whose cards stand in the same message."""


class Cell:
    """The base: a kind says what it makes, how high that will be, and what copying gives."""

    def __init__(self, block: int = -1, gap: int = 0) -> None:
        self.block = block
        self.gap = gap
        self.height = 0
        self.width = 0
        """The width that ``height`` is for; 0 while it is a guess."""
        self.shape: Shape | None = None

    def make(self) -> Shape:
        """Build the shape."""
        return Shape()

    def guess(self, width: int) -> int:
        """Return a height without building anything."""
        return 22

    def markdown(self) -> str:
        """Return all of it as Markdown."""
        return ""

    def name(self) -> str:
        """Return what a screen reader reads out."""
        return self.markdown()

    def full_text(self) -> tuple[str, str] | None:
        """Return a title and all of a text that is shown cut, for a window of its own."""
        return None

    def set_gap(self, gap: int) -> None:
        """Change the space above."""
        self.height += gap - self.gap
        self.gap = gap

    def stale(self) -> None:
        """The content changed: fit before the next painting."""
        self.width = 0
        if self.shape is not None:
            self.shape.width = 0

    def drop(self) -> None:
        """Let go of the shape; the height stays."""
        self.shape = None

    def ensure(self, width: int) -> bool:
        """Have the shape ready for a width; True if it was built."""
        built = self.shape is None
        shape = self.shape if self.shape is not None else self.make()
        self.shape = shape
        if shape.width != width:
            shape.fit(width)
        self.height, self.width = shape.height + self.gap, width
        return built


def guessed_lines(length: int, width: int, *, wide: bool = False) -> int:
    """Return about how many lines a text of body size takes."""
    per_line = max(8, width * (70 if wide else 140) // 1000)
    return length // per_line + 1
