"""A code block: a head with the language and Copy, then coloured lines that never wrap.

Lines are painted run by run, without a document. While the block still grows its colours are made anew only when
it has grown by a quarter, so colouring stays linear in its length; lines past that are plain until then.
"""

from bisect import bisect_left

from PySide6.QtCore import QPoint, QRectF, Qt, QTimer
from PySide6.QtGui import QFontMetricsF, QGuiApplication, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.blocks import highlight
from deepchat_desktop.ui.blocks.part import word_range
from deepchat_desktop.ui.blocks.side_scroll import SideScrollPart
from deepchat_desktop.ui.paint import hline, painting, rr, text
from deepchat_desktop.ui.theme import theme

HEAD, PAD_LEFT, PAD_TOP, PAD_BOTTOM = 34, 14, 10, 12
_SMALL = 2_000
_COPIED_MS = 1_500


class CodeView(SideScrollPart):
    """One code block. ``coloured`` counts the characters that went through the lexer."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMouseTracking(True)
        self.coloured = 0
        self._code = ""
        self._language = ""
        self._lines: list[highlight.Line] = []
        self._starts: list[int] = [0]
        self._lexed = 0
        self._copied = QTimer(self, singleShot=True, interval=_COPIED_MS)
        self._copied.timeout.connect(self.update)

    def set_code(self, code: str, language: str, *, open: bool = False) -> None:
        """Replace the content; ``open`` while more is to come. The owner fits anew."""
        code = code.expandtabs(4)
        if (code, language) == (self._code, self._language) and (open or self._lexed == len(code)):
            return
        grown = language == self._language and code.startswith(self._code)
        self._code, self._language = code, language
        if open and grown and len(code) > _SMALL and len(code) < self._lexed * 5 // 4:
            self._append_plain(code)
        else:
            self._lines = highlight.coloured_lines(code, language)
            self._lexed = len(code)
            self.coloured += len(code)
        self._measure()

    def _append_plain(self, code: str) -> None:
        known = code.count("\n", 0, self._lexed)
        tail = code[code.rfind("\n", 0, self._lexed) + 1 :]
        self._lines[known:] = highlight.plain_lines(tail)

    def _measure(self) -> None:
        measure = self._metrics()
        texts = self._code.split("\n")
        self._starts = [0]
        for line in texts:
            self._starts.append(self._starts[-1] + len(line) + 1)
        wide = max(texts, key=len, default="")
        widest = measure.horizontalAdvance(wide)
        if not self._code.isascii():
            widest = max(measure.horizontalAdvance(line) for line in texts)
        self.content_width = widest + 2 * PAD_LEFT
        name = highlight.language_name(self._language) or self.tr("Text")
        self.setAccessibleName(self.tr("Code, {language}").format(language=name))
        self.setAccessibleDescription(self._code)
        self.update()

    def _metrics(self) -> QFontMetricsF:
        return fonts.metrics(fonts.CONTROL, mono=True)

    def fit(self, width: int) -> int:
        line = fonts.line_height(fonts.CONTROL)
        self.resize(width, HEAD + PAD_TOP + len(self._lines) * line + PAD_BOTTOM)
        self.scroll_to(self.offset)
        return self.height()

    def copy(self) -> None:
        """Put the code on the clipboard."""
        QGuiApplication.clipboard().setText(self._code)
        self._copied.start()
        self.update()

    def position_at(self, point: QPoint) -> int:
        row = (point.y() - HEAD - PAD_TOP) // fonts.line_height(fonts.CONTROL)
        if row < 0:
            return 0
        if row >= len(self._starts) - 1:
            return len(self._code)
        line = self._code[self._starts[row] : self._starts[row + 1] - 1]
        x = point.x() - PAD_LEFT + self.offset
        measure = self._metrics()
        column = bisect_left(range(len(line)), x, key=lambda n: measure.horizontalAdvance(line[: n + 1]))
        if column < len(line):
            left, right = (measure.horizontalAdvance(line[:n]) for n in (column, column + 1))
            column += x > (left + right) / 2
        return self._starts[row] + column

    def length(self) -> int:
        return len(self._code)

    def text_between(self, start: int, end: int) -> str:
        return self._code[start:end]

    def word_at(self, position: int) -> tuple[int, int]:
        return word_range(self._code, position)

    def _copy_area(self) -> QRectF:
        words = fonts.text_width(self._copy_words(), fonts.META, fonts.MEDIUM)
        return QRectF(self.width() - 12 - words - 24, 4, words + 30, HEAD - 8)

    def _copy_words(self) -> str:
        return self.tr("Copied") if self._copied.isActive() else self.tr("Copy")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._copy_area().contains(event.position()) and event.button() == Qt.MouseButton.LeftButton:
            self.copy()
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        over = self._copy_area().contains(event.position())
        if over:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        elif event.position().y() > HEAD:
            self.setCursor(Qt.CursorShape.IBeamCursor)
        else:
            self.unsetCursor()
        super().mouseMoveEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            rr(p, self.rect(), 10, theme.code, theme.line)
            self._paint_head(p)
            p.setClipRect(QRectF(1, HEAD + 1, self.width() - 2, self.height() - HEAD - 2))
            self._paint_lines(p, event.rect().top(), event.rect().bottom())
            self.paint_handle(p)

    def _paint_head(self, p: QPainter) -> None:
        name = highlight.language_name(self._language) or self.tr("Text")
        copy = self._copy_area()
        area = QRectF(PAD_LEFT, 0, copy.left() - PAD_LEFT - 8, HEAD)
        text(p, area, name, fonts.META, fonts.MEDIUM, theme.muted)
        icon: icons.IconName = "check" if self._copied.isActive() else "copy"
        icons.draw(p, QRectF(copy.left() + 2, 0, 16, HEAD), icon, theme.muted, 15)
        area = QRectF(copy.left() + 24, 0, copy.width(), HEAD)
        text(p, area, self._copy_words(), fonts.META, fonts.MEDIUM, theme.muted)
        hline(p, 1, HEAD, self.width() - 2)

    def _paint_lines(self, p: QPainter, top: int, bottom: int) -> None:
        high = fonts.line_height(fonts.CONTROL)
        measure = self._metrics()
        rise = (high + measure.ascent() - measure.descent()) / 2
        first = max(0, (top - HEAD - PAD_TOP) // high)
        last = min(len(self._lines), (bottom - HEAD - PAD_TOP) // high + 1)
        p.setFont(fonts.font(fonts.CONTROL, mono=True))
        for row in range(first, last):
            y = HEAD + PAD_TOP + row * high
            self._paint_selection(p, row, y, high)
            x = PAD_LEFT - self.offset
            for words, tone in self._lines[row]:
                p.setPen(getattr(theme, tone))
                p.drawText(round(x), round(y + rise), words)
                x += measure.horizontalAdvance(words)

    def _paint_selection(self, p: QPainter, row: int, y: int, high: int) -> None:
        start, end = max(self.selection[0], self._starts[row]), min(self.selection[1], self._starts[row + 1])
        if start >= end:
            return
        line = self._code[self._starts[row] : self._starts[row + 1]]
        measure = self._metrics()
        left = measure.horizontalAdvance(line[: start - self._starts[row]])
        right = measure.horizontalAdvance(line[: end - self._starts[row]].rstrip("\n"))
        ground = theme.accent
        ground.setAlpha(70)
        p.fillRect(QRectF(PAD_LEFT - self.offset + left, y, max(4.0, right - left), high), ground)
