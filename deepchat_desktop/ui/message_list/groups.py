"""Finished calls that follow each other, folded into one line: "Read 4 files, ran 2 commands"."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QRectF
from PySide6.QtGui import QPainter

from deepchat_desktop.domain.blocks import Block, ToolCallBlock
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks.cell import Cell
from deepchat_desktop.ui.blocks.fold_paint import FOLD_HEIGHT, fold_line
from deepchat_desktop.ui.blocks.shape import Scene, Shape, Spot

LEAST = 2
_KINDS = {
    "read": "read", "ls": "search", "list_directory": "search", "find": "search", "glob": "search", "grep": "search",
    "write": "write", "edit": "write", "delete": "write", "move": "write",
    "exec": "run", "process": "run", "web_fetch": "web", "web_search": "web",
}  # fmt: skip


def _tr(words: str) -> str:
    return QCoreApplication.translate("ToolGroup", words)


def runs(blocks: Sequence[Block]) -> list[tuple[int, int]]:
    """Return half-open ranges of blocks whose finished calls fold into one line each."""
    found: list[tuple[int, int]] = []
    start, calls, end = -1, 0, 0
    for index, block in enumerate(blocks):
        if isinstance(block, ToolCallBlock) and block.status == "success":
            start = index if calls == 0 else start
            calls, end = calls + 1, index + 1
        elif block.kind not in ("permission", "carry"):
            found += [(start, end)] if calls >= LEAST else []
            calls = 0
    return [*found, (start, end)] if calls >= LEAST else found


def words_of(calls: Sequence[ToolCallBlock]) -> str:
    """Return the line's words, in the order in which the kinds came."""
    counts: dict[str, int] = {}
    for call in calls:
        kind = _KINDS.get(call.name, "other")
        counts[kind] = counts.get(kind, 0) + 1
    words = {
        "read": (_tr("read a file"), _tr("read {count} files")),
        "search": (_tr("searched once"), _tr("searched {count} times")),
        "write": (_tr("changed a file"), _tr("changed {count} files")),
        "run": (_tr("ran a command"), _tr("ran {count} commands")),
        "web": (_tr("asked the web once"), _tr("asked the web {count} times")),
        "other": (_tr("used a tool"), _tr("used {count} tools")),
    }
    line = ", ".join(words[kind][count > 1].format(count=count) for kind, count in counts.items())
    return line[:1].upper() + line[1:]


class GroupShape(Shape):
    """The line."""

    def __init__(self, words: str, *, open: bool) -> None:
        self._words, self._open = words, open

    def fit(self, width: int) -> None:
        self.width, self.height = width, FOLD_HEIGHT

    def spots(self) -> list[Spot]:
        wide = min(fonts.text_width(self._words, fonts.CONTROL) + 50, self.width)
        return [Spot(QRectF(0, 0, wide, FOLD_HEIGHT), "group", self._words, self._open)]

    def paint(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        fold_line(p, self.width, "wrench", self._words, open=self._open, lit=scene.lit == "group")


class GroupCell(Cell):
    """The line that stands for some calls. ``block`` is the first of them."""

    def __init__(self, first: int, calls: Sequence[ToolCallBlock], *, open: bool) -> None:
        super().__init__(first)
        self.words, self.open = words_of(calls), open

    def make(self) -> Shape:
        return GroupShape(self.words, open=self.open)

    def guess(self, width: int) -> int:
        return FOLD_HEIGHT

    def markdown(self) -> str:
        return self.words
