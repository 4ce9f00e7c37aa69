"""The base of everything painted in a message: it is told its width and says how high it is.

Invariants: a shape is no widget and asks for nothing; what can be pressed in it is a ``Spot``; positions are
character offsets, 0 to ``length()``. Points and areas are in px from its own corner.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from deepchat_desktop.ui.blocks.side_slide import SideSlide
from deepchat_desktop.ui.blocks.text_steps import Step

TEXT_INDENT = 24
QUOTE_INDENT = 18


@dataclass(frozen=True)
class Spot:
    """Something that can be pressed. ``name`` is what a screen reader says; ``checked`` None means no toggle."""

    area: QRectF
    action: str
    name: str
    checked: bool | None = None


@dataclass(frozen=True)
class Scene:
    """What a painting depends on beside the content."""

    selection: tuple[int, int] = (0, 0)
    lit: str = ""
    """The action of the spot under the pointer."""
    hovered: bool = False
    """Whether the pointer is over the message."""
    degrees: float = 0.0
    """Where the running mark has turned to."""


class Shape:
    """One painted piece; this base is an empty one."""

    width = 0
    height = 0
    turning = False
    """Whether it shows something that moves by itself."""

    def fit(self, width: int) -> None:
        """Take a width in px and set ``height``."""
        self.width = width

    def paint(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        """Draw what meets ``area``; the painter stands at the shape's corner."""

    def spots(self) -> Sequence[Spot]:
        """Return what can be pressed."""
        return ()

    def act(self, action: str) -> bool:
        """Do what a spot asks where that concerns this shape alone; False leaves it to the list."""
        return False

    def slide(self, at: QPointF, dx: float, dy: float) -> bool:
        """Scroll inside by px at a point; False where there is nothing to scroll that way."""
        return False

    def grip(self, at: QPointF) -> SideSlide | None:
        """Return what a handle under a point scrolls."""
        return None

    def length(self) -> int:
        """Return how many characters can be selected."""
        return 0

    def position_at(self, at: QPointF) -> int:
        """Return the offset of the gap between characters that is nearest to a point."""
        return 0

    def text_between(self, start: int, end: int) -> str:
        """Return text as it reads; ``end`` may lie beyond the end."""
        return ""

    def plain_between(self, start: int, end: int) -> str:
        """Return text for other programs, with the markers of entries, which take up no place here."""
        return self.text_between(start, end)

    def markdown_between(self, start: int, end: int) -> str:
        """Return text as Markdown."""
        return self.text_between(start, end)

    def html_between(self, start: int, end: int) -> str:
        """Return text as HTML made here, never read from a message."""
        from html import escape

        return "<p>" + escape(self.text_between(start, end)).replace("\n", "<br>") + "</p>"

    def word_at(self, position: int) -> tuple[int, int]:
        """Return the range of the word around a position."""
        return position, position

    def paragraph_at(self, position: int) -> tuple[int, int]:
        """Return the range of the line or paragraph around a position."""
        return 0, self.length()

    def caret(self, position: int) -> QRectF:
        """Return where the gap before a character stands; its width is 0."""
        return QRectF(0, 0, 0, self.height)

    def reveal(self, position: int) -> None:
        """Scroll inside so that a place can be seen."""

    def stepped(self, position: int, step: Step) -> int | None:
        """Return where a step leads, None where it leaves the shape."""
        return None

    def link_at(self, at: QPointF) -> tuple[str, str] | None:
        """Return the target and the words of the link under a point."""
        return None

    def hint_at(self, at: QPointF) -> str:
        """Return one plain line to show while the pointer rests at a point."""
        return ""

    def table_at(self, at: QPointF) -> "Shape | None":
        """Return the table under a point."""
        return None

