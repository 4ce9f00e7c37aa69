"""An answer: its blocks one below the other over the full width, then how it stands or how it came to be.

Invariants: a block keeps its widget for life and gets new states; only the block that changed is given one.
"""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QEvent, Signal
from PySide6.QtGui import QEnterEvent, QGuiApplication
from PySide6.QtWidgets import QWidget

from deepchat_desktop.domain.blocks import OPEN_TOOL_STATUSES, Block, ToolCallBlock, text_of
from deepchat_desktop.presenters.message_list_model import MessageView
from deepchat_desktop.ui.blocks.block_part import BlockPart
from deepchat_desktop.ui.blocks.part import Part, TextPart
from deepchat_desktop.ui.blocks.registry import BLOCK_VIEWS
from deepchat_desktop.ui.chat import message_footer, run_note
from deepchat_desktop.ui.chat.message_footer import MessageFooter
from deepchat_desktop.ui.chat.run_note import RunNote

_CARD_KINDS = frozenset({"tool_call", "plan", "error"})


class AssistantMessage(Part):
    """One answer."""

    asked = Signal(str)

    def __init__(self, message: MessageView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._message = message
        self._views: list[BlockPart | None] = []
        self._last = True
        self.footer = MessageFooter(self)
        self.footer.copy.connect(self.copy_markdown)
        self.footer.retry.connect(lambda: self.asked.emit("retry"))
        self.note = RunNote(self)
        self.note.go_on.connect(lambda: self.asked.emit("continue"))
        self.set_message(message)

    def set_message(self, message: MessageView) -> None:
        """Show a message anew: blocks that are there already get their state."""
        self._message = message
        for index in range(len(message.blocks)):
            self.set_block(message, index)
        for view in self._views[len(message.blocks) :]:
            if view is not None:
                view.deleteLater()
        del self._views[len(message.blocks) :]
        self.set_status(message)

    def set_block(self, message: MessageView, index: int) -> None:
        """Show a block's state. The owner fits anew."""
        self._message = message
        while len(self._views) <= index:
            self._views.append(self._make(message.blocks[len(self._views)]))
        view = self._views[index]
        if view is not None:
            view.set_block(message.blocks[index])
        self._show_note()

    def set_status(self, message: MessageView) -> None:
        """Show status and facts, not blocks."""
        self._message = message
        self._show_last()
        self.footer.set_facts(message.meta, message.usage)
        words = text_of(tuple(message.blocks))
        self.footer.set_copyable(bool(words.strip()))
        self.footer.setVisible(message.status not in ("streaming", "paused") and not _only_errors(message.blocks))
        self.setAccessibleName(self.tr("Answer: {text}").format(text=words))
        self._show_note()

    def set_last(self, last: bool) -> None:
        """Only the last answer can be continued or answered again."""
        self._last = last
        self._show_last()

    def is_last(self) -> bool:
        """Tell whether it is shown as the last answer."""
        return self._last

    def _show_last(self) -> None:
        self.footer.set_last(self._last)
        self.note.set_active(self._last)
        for view in self._views:
            if view is not None:
                view.set_active(self._last)

    def view_of(self, index: int) -> BlockPart | None:
        """Return the widget of a block, None for kinds that are not shown."""
        return self._views[index]

    def text_parts(self) -> Sequence[TextPart]:
        """Return what can be selected, in reading order."""
        return [part for view in self._views if view is not None for part in view.text_parts()]

    def copy_markdown(self) -> None:
        """Put the answer's Markdown on the clipboard."""
        texts = [block.text for block in self._message.blocks if block.kind == "text"]
        QGuiApplication.clipboard().setText("\n\n".join(text.strip("\n") for text in texts))

    def fit(self, width: int) -> int:
        y = 0
        before = ""
        for block, view in zip(self._message.blocks, self._views, strict=False):
            if view is None:
                continue
            y += _gap(before, block.kind)
            view.move(0, y)
            y += view.fit(width)
            before = block.kind
        if not self.note.isHidden():
            y += (12 if before in _CARD_KINDS else 4) if before else 0
            self.note.setGeometry(0, y, width, run_note.HEIGHT)
            y += run_note.HEIGHT
        if not self.footer.isHidden():
            y += 8
            self.footer.setGeometry(0, y, width, message_footer.HEIGHT)
            y += message_footer.HEIGHT
        self.resize(width, y)
        return y

    def enterEvent(self, event: QEnterEvent) -> None:
        self.footer.set_hovered(True)
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self.footer.set_hovered(False)
        super().leaveEvent(event)

    def _make(self, block: Block) -> BlockPart | None:
        factory = BLOCK_VIEWS[block.kind]
        if factory is None:
            return None
        view = factory(self)
        view.asked.connect(self.asked)
        view.resized.connect(self.resized)
        view.set_active(self._last)
        view.show()
        return view

    def _show_note(self) -> None:
        match self._message.status:
            case "streaming" if not _shows_life(self._message.blocks):
                self.note.show_running(self.tr("Thinking…"))
            case "interrupted":
                self.note.show_stopped(_stop_words(self._message.stop_reason))
            case "done" if self._message.stop_reason == "max_tokens":
                self.note.show_stopped(self.tr("The answer reached the output limit."))
            case "done" if self._message.stop_reason == "max_tool_calls":
                self.note.show_stopped(self.tr("The answer reached the limit of tool calls."))
            case _:
                self.note.hide()


def _shows_life(blocks: Sequence[Block]) -> bool:
    """Tell whether the last block shows by itself that the answer goes on."""
    last = next((block for block in reversed(blocks) if block.kind not in ("permission", "carry")), None)
    if last is None:
        return False
    if isinstance(last, ToolCallBlock):
        return last.status in OPEN_TOOL_STATUSES
    return last.kind in ("text", "reasoning") and last.open


def _only_errors(blocks: Sequence[Block]) -> bool:
    """Tell whether nothing came but an error, which says all there is to say and holds the buttons."""
    return bool(blocks) and all(block.kind in ("error", "carry") for block in blocks)


def _stop_words(reason: str | None) -> str:
    if reason == "user_stop":
        return QCoreApplication.translate("AssistantMessage", "You stopped this answer.")
    return QCoreApplication.translate("AssistantMessage", "This answer was interrupted.")


def _gap(before: str, after: str) -> int:
    if not before:
        return 0
    if before == "reasoning" and after == "reasoning":
        return 4
    if before in _CARD_KINDS and after in _CARD_KINDS:
        return 8
    if before in _CARD_KINDS:
        return 20
    if before == "reasoning":
        return 4 if after == "text" else 8
    return 12
