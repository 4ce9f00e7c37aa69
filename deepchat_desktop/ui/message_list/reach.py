"""Selecting with the mouse by character, word or paragraph, as one, two or three clicks began it."""

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QElapsedTimer, QPointF
from PySide6.QtWidgets import QApplication

from deepchat_desktop.ui.blocks.shape import Shape
from deepchat_desktop.ui.message_list.selection import Place, Selection

Unit = Literal["character", "word", "paragraph"]


class Reach:
    """What a press began to select."""

    def __init__(self, selection: Selection, shape_of: Callable[[Place], Shape]) -> None:
        self._selection, self._shape_of = selection, shape_of
        self._unit: Unit = "character"
        self._origin: tuple[Place, Place] | None = None
        self._since = QElapsedTimer()
        self._where = QPointF()

    def begin(self, place: Place, unit: Unit, at: QPointF) -> None:
        """Select the unit at a place and go on from there."""
        self._unit = unit
        self._origin = self._range(place)
        self._selection.set(*self._origin)
        if unit == "word":
            self._since.start()
            self._where = at

    def third(self, at: QPointF) -> bool:
        """Tell whether a press follows a double click closely enough to be its third."""
        soon = self._since.isValid() and self._since.elapsed() <= QApplication.doubleClickInterval()
        return soon and (at - self._where).manhattanLength() < QApplication.startDragDistance()

    def extend(self, place: Place) -> None:
        """Select up to a place, whole units where whole units were begun."""
        if self._unit == "character" or self._origin is None:
            anchor = self._selection.anchor
            self._selection.set(anchor if anchor is not None else place, place)
            return
        low, high = self._range(place)
        first, last = self._origin
        self._selection.set(*((first, max(last, high)) if place >= first else (last, low)))

    def _range(self, place: Place) -> tuple[Place, Place]:
        if self._unit == "character":
            return place, place
        shape = self._shape_of(place)
        low, high = (shape.word_at if self._unit == "word" else shape.paragraph_at)(place.position)
        return place._replace(position=low), place._replace(position=high)
