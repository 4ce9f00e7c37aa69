"""One message as cells, made when it first meets the view.

Invariants: a block's cells are asked for anew only when the block changed; what the reader chose is kept here. The
space between messages belongs to the first cell.
"""

from collections.abc import Iterator, Sequence

from deepchat_desktop.domain.blocks import ToolCallBlock
from deepchat_desktop.presenters.message_list_model import MessageView, Size
from deepchat_desktop.ui.blocks.cell import Cell, Choices
from deepchat_desktop.ui.blocks.registry import BLOCK_CELLS
from deepchat_desktop.ui.blocks.text_block import MarkdownText
from deepchat_desktop.ui.message_list import groups, tail_cells, user_cells

BETWEEN = 20
_PX_OF_A_BYTE = 330
"""A byte of text takes so many px of height in a column 1 px wide: measured over long conversations."""
_CARD_KINDS = frozenset({"tool_call", "plan", "search", "error"})
_FOLDED_KINDS = frozenset({"reasoning", "tool_call", "search", "compaction"})


class Entry:
    """The cells of one message and the height they take."""

    def __init__(self, message: MessageView, width: int, *, last: bool) -> None:
        self.cells: list[Cell] = []
        self.height = 0
        self._blocks: list[list[Cell]] = []
        self._choices: list[Choices] = []
        self._groups: dict[int, bool] = {}
        self._last = last
        self.set_message(message, width)

    def set_message(self, message: MessageView, width: int) -> None:
        """Take a message anew."""
        if message.role == "user":
            self._take(user_cells.cells(message), width)
            return
        self._calls = frozenset(block.call_id for block in message.blocks if isinstance(block, ToolCallBlock))
        del self._blocks[len(message.blocks) :], self._choices[len(message.blocks) :]
        for index in range(len(message.blocks)):
            self._read(message, index)
        self._compose(message, width)

    def set_block(self, message: MessageView, index: int, width: int) -> None:
        """Take a block's new state."""
        if message.role == "user" or index > len(self._blocks):
            self.set_message(message, width)
            return
        block = message.blocks[index]
        if isinstance(block, ToolCallBlock):
            self._calls |= {block.call_id}
        self._read(message, index)
        self._compose(message, width)

    def set_last(self, message: MessageView, width: int, *, last: bool) -> bool:
        """Only the last answer can be continued or answered again; True if this changes anything."""
        if last == self._last or message.role == "user":
            return False
        self._last = last
        self.set_message(message, width)
        return True

    def toggle(self, message: MessageView, block: int, action: str, width: int) -> None:
        """Open or close a block or a group."""
        if action == "group":
            self._groups[block] = not self._groups.get(block, False)
        else:
            choices = self._choices[block]
            shown = getattr(message.blocks[block], "open", False)
            choices.folds["open"] = not choices.folds.get("open", shown)
            self._read(message, block)
        self._compose(message, width)

    def reveal(self, message: MessageView, block: int, width: int) -> bool:
        """Open what hides a block, a group or its own fold; True if something opened."""
        if message.role == "user":
            return False
        group = next((start for start, end in groups.runs(message.blocks) if start <= block < end), None)
        opened = group is not None and not self._groups.get(group, False)
        if group is not None:
            self._groups[group] = True
        folds, shown = self._choices[block].folds, message.blocks[block]
        if shown.kind in _FOLDED_KINDS and not folds.get("open", getattr(shown, "open", False)):
            folds["open"] = opened = True
            self._read(message, block)
        if opened:
            self._compose(message, width)
        return opened

    def chosen(self) -> bool:
        """Tell whether the reader chose anything in it: then it cannot be made again from the message alone."""
        wells = any(choices.folds or choices.memory.get("offsets") for choices in self._choices)
        return bool(self._groups) or wells or any(text.chosen() for text in self._texts())

    def due(self) -> bool:
        """Tell whether a text is still to be compared with a reading of it as a whole."""
        return any(text.due() for text in self._texts())

    def check(self, message: MessageView, width: int) -> bool:
        """Compare the next text with a reading of it as a whole; True if it is shown otherwise now."""
        text = next(text for text in self._texts() if text.due())
        if not text.check():
            return False
        self._blocks[text.index] = list(text.cells)
        self._compose(message, width)
        return True

    def _texts(self) -> Iterator[MarkdownText]:
        found = (choices.memory.get("text") for choices in self._choices)
        return (text for text in found if isinstance(text, MarkdownText))

    def _read(self, message: MessageView, index: int) -> None:
        if index == len(self._blocks):
            self._blocks.append([])
            self._choices.append(Choices(index))
        choices = self._choices[index]
        choices.calls, choices.active = self._calls, self._last
        make = BLOCK_CELLS[message.blocks[index].kind]
        self._blocks[index] = make(message.blocks[index], choices, self._blocks[index]) if make is not None else []

    def _compose(self, message: MessageView, width: int) -> None:
        made: list[Cell] = []
        before = ""
        folded = {start: end for start, end in groups.runs(message.blocks)}
        hidden_to = 0
        for index, block in enumerate(message.blocks):
            if index in folded:
                head = self._group(message, index, folded[index])
                head.set_gap(_gap(before, "reasoning"))
                made.append(head)
                before = "reasoning"
                hidden_to = 0 if head.open else folded[index]
            found = self._blocks[index] if index >= hidden_to or block.kind == "text" else []
            if found:
                found[0].set_gap(_gap(before, block.kind))
                made += found
                before = block.kind
        self._take([*made, *self._tail(message, before)], width)

    def _group(self, message: MessageView, start: int, end: int) -> groups.GroupCell:
        calls = [block for block in message.blocks[start:end] if isinstance(block, ToolCallBlock)]
        return groups.GroupCell(start, calls, open=self._groups.get(start, False))

    def _tail(self, message: MessageView, before: str) -> list[Cell]:
        note = tail_cells.note_of(message, active=self._last)
        footer = tail_cells.footer_of(message, last=self._last)
        if note is not None and before:
            note.set_gap(12 if before in _CARD_KINDS else 4)
        return [cell for cell in (note, footer) if cell is not None]

    def _take(self, cells: list[Cell], width: int) -> None:
        self.cells = cells or [Cell()]
        self.cells[0].set_gap(self.cells[0].gap + BETWEEN if self.cells[0].block < 0 else BETWEEN)
        for cell in self.cells:
            if not cell.height or cell.height == cell.gap:
                cell.height = cell.guess(width) + cell.gap
        self.measure()

    def set_heights(self, heights: Sequence[int]) -> None:
        """Take the heights that the same cells had before, as better guesses."""
        if len(heights) == len(self.cells):
            for cell, height in zip(self.cells, heights, strict=True):
                cell.height = height
            self.measure()

    def measure(self) -> None:
        """Sum the heights anew."""
        self.height = sum(cell.height for cell in self.cells)


def _gap(before: str, after: str) -> int:
    if not before:
        return 0
    if before == "reasoning":
        return 4 if after in ("text", "reasoning") else 8
    if before in _CARD_KINDS and after in _CARD_KINDS:
        return 8
    return 20 if before in _CARD_KINDS else 12


def guess(size: Size, width: int) -> int:
    """Return about how high a message will be, without reading it."""
    text, others = size
    return BETWEEN + 36 + text * _PX_OF_A_BYTE // width + 40 * others
