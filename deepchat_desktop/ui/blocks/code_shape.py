"""A code block: a head with the language, Wrap, Collapse and Copy, then coloured lines.

Lines are painted run by run, without a document; wide code scrolls inside unless it is wrapped.
"""

import time

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QPainter

from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.blocks import highlight
from deepchat_desktop.ui.blocks.code_lines import CodeLines
from deepchat_desktop.ui.blocks.line_block import LineBlock
from deepchat_desktop.ui.blocks.shape import Scene, Shape, Spot
from deepchat_desktop.ui.blocks.side_slide import SideSlide
from deepchat_desktop.ui.blocks.text_steps import Step
from deepchat_desktop.ui.paint import hline, rr, text
from deepchat_desktop.ui.theme import theme

HEAD, PAD_LEFT, PAD_TOP, PAD_BOTTOM = 34, 14, 10, 12
LONG_BLOCK, COLLAPSED = 30, 12
"""Lines from which a block can be collapsed, and lines that are left then."""
_COPIED_S = 1.5
Wanted = tuple[str, str, bool | None]


def _tr(words: str) -> str:
    return QCoreApplication.translate("CodeBlock", words)


class CodeChoices:
    """What the reader chose for one block; it outlives the block's painting."""

    def __init__(self) -> None:
        self.wrap = False
        self.collapsed = False
        self.slide = SideSlide()
        self.copied_at = 0.0
        self.drawn = False
        self.picture: object = None
        """The last picture of a diagram."""

    def chosen(self) -> bool:
        """Tell whether anything is other than at first."""
        return self.wrap or self.collapsed or self.drawn or bool(self.slide.offset)


class CodeShape(Shape):
    """One code block."""

    def __init__(self, code: str = "", language: str = "", choices: CodeChoices | None = None, *, open: bool = False):
        self.choices = choices if choices is not None else CodeChoices()
        self.lines = CodeLines()
        self.block = LineBlock(self.lines)
        self.set_code(code, language, open=open)

    def set_code(self, code: str, language: str, *, open: bool = False) -> None:
        """Show the text as it is now; ``open`` while more is to come. The owner fits anew."""
        self.lines.set_code(code, language, open=open)
        self.width = 0

    def fit(self, width: int) -> None:
        self.width = width
        self.block.wrap(width - 2 * PAD_LEFT if self.choices.wrap else 0)
        slide = self.choices.slide
        slide.view_width = float(width)
        slide.content_width = 0.0 if self.choices.wrap else self.block.content_width() + 2 * PAD_LEFT
        slide.to(slide.offset)
        self.height = HEAD + PAD_TOP + self._rows() * self.block.high + PAD_BOTTOM

    def _rows(self) -> int:
        rows = self.block.rows()
        return min(rows, COLLAPSED) if self.choices.collapsed else rows

    def name(self) -> str:
        """Return what a screen reader says first."""
        return _tr("Code, {language}").format(language=self._language())

    def _language(self) -> str:
        return highlight.language_name(self.lines.language) or _tr("Text")

    def _wanted(self) -> list[Wanted]:
        """Return what can be pressed in the head, from the right: action, words, whether it is on."""
        copied = time.monotonic() - self.choices.copied_at < _COPIED_S
        wanted: list[Wanted] = [("copy_code", _tr("Copied") if copied else _tr("Copy"), None)]
        wanted.append(("wrap", _tr("Wrap"), self.choices.wrap))
        if len(self.lines.lines) > LONG_BLOCK:
            words = _tr("Show all") if self.choices.collapsed else _tr("Collapse")
            wanted.append(("collapse", words, self.choices.collapsed))
        return wanted

    def spots(self) -> list[Spot]:
        made: list[Spot] = []
        right = self.width - 8.0
        for action, words, checked in self._wanted():
            wide = fonts.text_width(words, fonts.META, fonts.MEDIUM) + (34 if action == "copy_code" else 16)
            made.append(Spot(QRectF(right - wide, 4, wide, HEAD - 8), action, words, checked))
            right -= wide + 2
        return made

    def act(self, action: str) -> bool:
        match action:
            case "copy_code":
                QGuiApplication.clipboard().setText(self.lines.raw())
                self.choices.copied_at = time.monotonic()
            case "wrap":
                self.choices.wrap = not self.choices.wrap
            case "collapse":
                self.choices.collapsed = not self.choices.collapsed
            case _:
                return False
        self.width = 0
        return True

    def slide(self, at: QPointF, dx: float, dy: float) -> bool:
        return self.choices.slide.by(dx)

    def grip(self, at: QPointF) -> SideSlide | None:
        return self.choices.slide if self.choices.slide.gripped(at.y(), self.height) else None

    def length(self) -> int:
        return self.lines.length()

    def position_at(self, at: QPointF) -> int:
        return self.block.position_at(at.x() - PAD_LEFT + self.choices.slide.offset, at.y() - HEAD - PAD_TOP)

    def text_between(self, start: int, end: int) -> str:
        return self.lines.between(start, end)

    def markdown_between(self, start: int, end: int) -> str:
        words = self.lines.between(start, end)
        return f"```{self.lines.language}\n{words}\n```" if "\n" in words else words

    def html_between(self, start: int, end: int) -> str:
        from html import escape

        return f"<pre>{escape(self.text_between(start, end))}</pre>"

    def word_at(self, position: int) -> tuple[int, int]:
        return self.block.word_at(position)

    def paragraph_at(self, position: int) -> tuple[int, int]:
        return self.block.line_at(position)

    def caret(self, position: int) -> QRectF:
        return self.block.caret(position).translated(PAD_LEFT - self.choices.slide.offset, HEAD + PAD_TOP)

    def reveal(self, position: int) -> None:
        x, slide = self.block.caret(position).x(), self.choices.slide
        if not slide.offset <= x <= slide.offset + self.width - 2 * PAD_LEFT:
            slide.to(x - self.width / 2)

    def stepped(self, position: int, step: Step) -> int | None:
        return self.block.stepped(position, step)

    def paint(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        rr(p, QRectF(0, 0, self.width, self.height), 10, theme.code, theme.line)
        if area.top() < HEAD:
            self._paint_head(p, scene)
        inside = QRectF(1, max(HEAD + 1, area.top()), self.width - 2, 0)
        inside.setBottom(min(self.height - 1, area.bottom()))
        if inside.height() <= 0:
            return
        p.save()
        p.setClipRect(inside, Qt.ClipOperation.IntersectClip)
        p.translate(PAD_LEFT, HEAD + PAD_TOP)
        seen = inside.translated(-PAD_LEFT, -HEAD - PAD_TOP)
        seen.setBottom(min(seen.bottom(), self._rows() * self.block.high - 1.0))
        self.block.paint(p, seen, self.choices.slide.offset, scene.selection)
        p.restore()
        self.choices.slide.paint(p, self.height)

    def _paint_head(self, p: QPainter, scene: Scene) -> None:
        spots = self.spots()
        area = QRectF(PAD_LEFT, 0, spots[-1].area.left() - PAD_LEFT - 8, HEAD)
        text(p, area, self._language(), fonts.META, fonts.MEDIUM, theme.muted)
        for spot in spots:
            box = spot.area
            lit = scene.lit == spot.action
            if lit or spot.checked:
                rr(p, box, 6, theme.hover2 if theme.dark else theme.hover)
            ink = theme.text if lit or spot.checked else theme.muted
            left = box.left() + 8
            if spot.action == "copy_code":
                copied = time.monotonic() - self.choices.copied_at < _COPIED_S
                icon: icons.IconName = "check" if copied else "copy"
                icons.draw(p, QRectF(box.left() + 7, 0, 16, HEAD), icon, ink, 15)
                left += 19
            text(p, QRectF(left, 0, box.width(), HEAD), spot.name, fonts.META, fonts.MEDIUM, ink)
        hline(p, 1, HEAD, self.width - 2)
