"""What stands under an answer: the line that says how it stands, then the actions and facts."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QRectF
from PySide6.QtGui import QPainter

from deepchat_desktop.domain.blocks import OPEN_TOOL_STATUSES, Block, ToolCallBlock, text_of
from deepchat_desktop.domain.messages import MessageMeta
from deepchat_desktop.domain.usage import Usage
from deepchat_desktop.domain.visible_text import visible_exact
from deepchat_desktop.presenters.message_list_model import MessageView
from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.blocks import plain_write
from deepchat_desktop.ui.blocks.cell import Cell
from deepchat_desktop.ui.blocks.fold_paint import button, button_width
from deepchat_desktop.ui.blocks.shape import Scene, Shape, Spot
from deepchat_desktop.ui.icons import IconName
from deepchat_desktop.ui.paint import Align, rr, spinner, text
from deepchat_desktop.ui.theme import theme

NOTE_HEIGHT, FOOTER_HEIGHT = 32, 28


def _tr(words: str) -> str:
    return QCoreApplication.translate("AssistantMessage", words)


class NoteShape(Shape):
    """One line; a stopped answer may have a button to go on."""

    def __init__(self, words: str, *, running: bool, button: bool) -> None:
        self.words, self._button = words, button
        self.turning = running

    def fit(self, width: int) -> None:
        self.width, self.height = width, NOTE_HEIGHT

    def spots(self) -> list[Spot]:
        if not self._button:
            return []
        label = _tr("Continue")
        left = round(26 + fonts.text_width(self.words, fonts.CONTROL) + 12)
        return [Spot(QRectF(left, 1, button_width(label), 30), "continue", label)]

    def paint(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        if self.turning:
            spinner(p, QRectF(2, NOTE_HEIGHT / 2 - 7, 14, 14), scene.degrees)
        else:
            icons.draw(p, QRectF(0, 0, 18, NOTE_HEIGHT), "info", theme.muted, 16)
        text(p, QRectF(26, 0, self.width - 26, NOTE_HEIGHT), self.words, fonts.CONTROL, colour=theme.muted)
        for spot in self.spots():
            button(p, spot.area, spot.name, lit=scene.lit == spot.action)


class NoteCell(Cell):
    """How an unfinished answer stands."""

    def __init__(self, words: str, *, running: bool, active: bool) -> None:
        super().__init__()
        self.words, self._running, self._active = words, running, active

    def make(self) -> Shape:
        return NoteShape(self.words, running=self._running, button=self._active and not self._running)

    def guess(self, width: int) -> int:
        return NOTE_HEIGHT

    def name(self) -> str:
        return self.words


def note_of(message: MessageView, *, active: bool) -> NoteCell | None:
    """Return the note under an answer, None where there is nothing to say."""
    stops = {
        "max_tokens": _tr("The answer reached the output limit."),
        "max_tool_calls": _tr("The answer reached the limit of tool calls."),
    }
    match message.status:
        case "streaming" if not _shows_life(message.blocks):
            return NoteCell(_tr("Thinking…"), running=True, active=active)
        case "interrupted":
            by_user = message.stop_reason == "user_stop"
            words = _tr("You stopped this answer.") if by_user else _tr("This answer was interrupted.")
            return NoteCell(words, running=False, active=active)
        case "done" if message.stop_reason in stops:
            return NoteCell(stops[message.stop_reason], running=False, active=active)
    return None


def _shows_life(blocks: Sequence[Block]) -> bool:
    """Tell whether the last block shows by itself that the answer goes on."""
    last = next((block for block in reversed(blocks) if block.kind not in ("permission", "carry")), None)
    if last is None:
        return False
    if isinstance(last, ToolCallBlock):
        return last.status in OPEN_TOOL_STATUSES
    return last.kind in ("text", "reasoning") and last.open


class FooterShape(Shape):
    """Actions on the left, seen on hover and under the last answer; faint facts on the right."""

    def __init__(self, facts: str, *, last: bool, copyable: bool) -> None:
        self._facts, self._last, self._copyable = facts, last, copyable

    def fit(self, width: int) -> None:
        self.width, self.height = width, FOOTER_HEIGHT

    def spots(self) -> list[Spot]:
        wanted = [("copy", _tr("Copy as Markdown"))] if self._copyable else []
        wanted += [("retry", _tr("Answer again"))] if self._last else []
        return [Spot(QRectF(-5 + 28 * i, 1, 26, 26), action, name) for i, (action, name) in enumerate(wanted)]

    def paint(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        if self._last or scene.hovered or scene.lit:
            for spot in self.spots():
                lit = scene.lit == spot.action
                if lit:
                    rr(p, spot.area, 6, theme.hover2 if theme.dark else theme.hover)
                icon: IconName = "copy" if spot.action == "copy" else "arrow-clockwise"
                icons.draw(p, spot.area, icon, theme.text if lit else theme.muted, 16)
        facts = QRectF(62, 0, self.width - 62, FOOTER_HEIGHT)
        text(p, facts, self._facts, fonts.META, colour=theme.subtle, align=Align.AlignRight, tabular=True)


class FooterCell(Cell):
    """Actions and facts of one answer."""

    def __init__(self, message: MessageView, *, last: bool) -> None:
        super().__init__(gap=8)
        self.facts = facts_of(message.meta, message.usage)
        self._last = last
        self._copyable = any(block.kind == "text" and block.text.strip() for block in message.blocks)

    def make(self) -> Shape:
        return FooterShape(self.facts, last=self._last, copyable=self._copyable)

    def guess(self, width: int) -> int:
        return FOOTER_HEIGHT

    def name(self) -> str:
        return self.facts or _tr("Actions")


def footer_of(message: MessageView, *, last: bool) -> FooterCell | None:
    """Return the footer; an answer that goes on has none, nor one that is nothing but an error."""
    blocks = message.blocks
    only_errors = bool(blocks) and all(block.kind in ("error", "carry") for block in blocks)
    if message.status in ("streaming", "paused") or only_errors:
        return None
    return FooterCell(message, last=last)


def facts_of(meta: MessageMeta, usage: Usage) -> str:
    """Return how an answer came to be; what is not known is left out."""
    tokens = usage.output or meta.token_estimate
    parts = [visible_exact(meta.model, multiline=False)]
    if tokens:
        parts.append(_tr("{count} tokens").format(count=f"{tokens:,}"))
    if meta.duration_ms is not None:
        parts.append(_tr("{seconds} s").format(seconds=f"{meta.duration_ms / 1000:.1f}"))
    if meta.tokens_per_second:
        parts.append(_tr("{speed} tok/s").format(speed=f"{meta.tokens_per_second:.0f}"))
    if meta.cost is not None:
        parts.append(_money(meta.cost))
    return "  ·  ".join(part for part in parts if part)


def _money(dollars: float) -> str:
    """Return an amount with the digits that say something."""
    if 0 < dollars < 0.0001:
        return "<$0.0001"
    return f"${dollars:.2g}" if 0 < dollars < 0.995 else f"${dollars:.2f}"


def name_of(message: MessageView) -> str:
    """Return what a screen reader is told of a message: its first words; its blocks say the rest."""
    words = text_of(tuple(message.blocks))
    if message.role == "user":
        return _tr("You: {text}").format(text=words[: plain_write.MOST_SPOKEN])
    return _tr("Answer: {text}").format(text=plain_write.spoken(words))
