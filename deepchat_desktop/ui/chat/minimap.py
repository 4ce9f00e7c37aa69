"""The strip beside the messages: where in the conversation one is, and the way to any place in it.

Invariants: it is drawn from an image that is made anew at a pace, and only after a change of a px or more; following
the list costs two sums and the painting of what is in view. It is a slider over the px of the conversation, for keys
and screen readers as well.
"""

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent, QImage, QKeyEvent, QMouseEvent, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractSlider, QApplication, QToolTip, QWidget

from deepchat_desktop.domain.visible_text import visible_prose
from deepchat_desktop.presenters.message_list_model import MessageListModel
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.chat import minimap_image
from deepchat_desktop.ui.chat.minimap_image import WIDTH
from deepchat_desktop.ui.chat.minimap_rows import MapRows
from deepchat_desktop.ui.message_list.message_list import MessageList
from deepchat_desktop.ui.paint import Align, hline, painting, rr, text, vline
from deepchat_desktop.ui.plain_tip import plain_tip
from deepchat_desktop.ui.theme import theme

FOOT = 34
PAD = 8
LEAST_VIEW, SMALL_VIEW = 12.0, 24.0
"""The least height of what is in view, and up to which it is outlined strongly, among many bars."""
PACE_MS, GROWING_MS = 150, 600
"""The rest before the bars are drawn again: after a change of places or marks, and while a message only grows."""
PREVIEW = 160


_Stamp = tuple[int, int, int, str, int]


class Minimap(QAbstractSlider):
    """The map of one list. ``drawn`` counts the images made."""

    ring_away = -2

    def __init__(self, view: MessageList, model: MessageListModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view, self._model = view, model
        self._rows = MapRows(model, self)
        self.drawn = 0
        self._image: QImage | None = None
        self._made_for: _Stamp | None = None
        self._box = QRectF()
        self._percent = ""
        self._made_total = 0
        self._grab = 0.0
        self._hovered = -1
        self._own = False
        self._later = QTimer(self, singleShot=True)
        self._later.timeout.connect(self._draw_again)
        self.setOrientation(Qt.Orientation.Vertical)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMouseTracking(True)
        self.setAccessibleName(self.tr("Map of the conversation"))
        self.show_context(0, 0)
        self.valueChanged.connect(self._on_value)
        view.geometry_changed.connect(self.follow)
        self._rows.changed.connect(self._changed)
        view.finding.session.changed.connect(self._changed)
        theme.changed.connect(self._on_theme)

    def show_context(self, used: int, window: int) -> None:
        """Show how full the window is; without figures it is unknown."""
        known = used > 0 and window > 0
        self._percent = f"{min(1.0, used / window):.0%}".replace("%", " %") if known else self.tr("unknown")
        if not known and fonts.text_width(self._percent, fonts.META) > WIDTH - 6:
            self._percent = "—"
        words = self.tr("Context: {percent}").format(percent=self._percent if known else self.tr("unknown"))
        self._context = words
        self._describe()
        self.update(0, self.height() - FOOT, WIDTH, FOOT)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 200)

    # Places

    def _track(self) -> float:
        return max(1.0, self.height() - FOOT - 2.0 * PAD)

    def _scale(self) -> float:
        return minimap_image.scale(self._view.heights, self._track())

    def view_box(self) -> QRectF:
        """Return where what is in view is shown."""
        top, bottom = self._view.visible_range()
        by = self._scale()
        high = max(LEAST_VIEW, (min(bottom, self._view.content_height()) - top) * by)
        y = min(top * by, self._track() - high)
        return QRectF(4.5, PAD + max(0.0, y), WIDTH - 9, high)

    def row_at(self, y: float) -> int:
        """Return the message at a height of the strip, -1 beyond the last one."""
        place = (y - PAD) / self._scale()
        heights = self._view.heights
        return heights.find(int(place))[0] if 0 <= place < heights.total() else -1

    # Following

    def follow(self) -> None:
        """The list scrolled or grew."""
        top, bottom = self._view.visible_range()
        self._own = True
        self.setRange(0, max(0, self._view.content_height() - (bottom - top)))
        self.setPageStep(max(1, bottom - top))
        self.setSingleStep(max(1, (bottom - top) // 10))
        self.setValue(top)
        self._own = False
        box = self.view_box()
        if box != self._box:
            self.update(box.united(self._box).toAlignedRect().adjusted(-1, -1, 1, 1))
            self._box = box
        self._changed()

    def _changed(self) -> None:
        """Draw the bars again in a while, if a px of them would be another one."""
        made = self._made_for
        if self._image is None or made is None:
            self.update()
            return
        now = self._stamp()
        moved = now[1:] != made[1:] or abs(self._view.heights.total() - self._made_total) * self._scale() >= 1
        if not moved and now[0] == made[0]:
            return
        wait = PACE_MS if moved else GROWING_MS
        if not self._later.isActive() or self._later.remainingTime() > wait:
            self._later.start(wait)

    def _stamp(self) -> _Stamp:
        """Return what the image depends on beside the heights, first what changes while a message grows."""
        finding, rows = self._view.finding.session, self._rows
        return rows.version, self._view.heights.count(), finding.total(), finding.needle.words, len(rows.marks)

    def _draw_again(self) -> None:
        self._image = None
        self._describe()
        self.update()

    def _on_theme(self) -> None:
        self._draw_again()

    def _describe(self) -> None:
        """Say in words what the strip shows, for those who do not see it."""
        marks = list(self._rows.marks.values())
        words = [self._context]
        if count := self._rows.count():
            first = self._view.heights.find(self._view.visible_range()[0])[0] if self._view.heights.count() else 0
            words.insert(0, self.tr("Message {row} of {count}").format(row=first + 1, count=count))
        if errors := marks.count("error"):
            words.append(self.tr("{count} with errors").format(count=errors))
        if waits := marks.count("waits"):
            words.append(self.tr("{count} waiting for you").format(count=waits))
        self.setAccessibleDescription(" · ".join(words))

    def _on_value(self, value: int) -> None:
        """A key or a screen reader set the value."""
        if not self._own:
            self._view.scroll_to(value)

    # Painting

    def _bars(self) -> QImage:
        if self._image is None:
            self._rows.refresh()
            self._made_for, self._made_total = self._stamp(), self._view.heights.total()
            hits, dpr = self._view.finding.session.counts, self.devicePixelRatioF()
            self._image = minimap_image.draw(self._view.heights, self._rows, hits, self._track(), dpr)
            self.drawn += 1
        return self._image

    def paintEvent(self, event: QPaintEvent) -> None:
        foot = QRectF(1, self.height() - FOOT, WIDTH - 1, FOOT)
        with painting(self) as p:
            p.setClipRect(event.rect())
            p.fillRect(event.rect(), theme.surface)
            vline(p, 0, 0, self.height())
            if self._view.heights.count():
                p.drawImage(QPointF(0, PAD), self._bars())
                box = self.view_box()
                rr(p, box, 4, theme.map_view, theme.map_view_line if box.height() > SMALL_VIEW else theme.accent)
            if event.rect().bottom() >= foot.top():
                p.fillRect(foot, theme.surface)
                hline(p, 1, foot.top(), WIDTH - 1)
                text(p, foot, self._percent, fonts.META, colour=theme.muted, align=Align.AlignHCenter, tabular=True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._draw_again()

    # Mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        y = event.position().y()
        if event.button() != Qt.MouseButton.LeftButton or y >= self.height() - FOOT:
            event.ignore()
            return
        box = self.view_box()
        self._grab = y - box.top() if box.top() <= y <= box.bottom() else -1.0
        self.setSliderDown(True)
        if self._grab < 0:
            self._go_to(y)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        y = event.position().y()
        if not self.isSliderDown():
            self._hover(y, event.globalPosition().toPoint())
        elif self._grab >= 0:
            self._view.scroll_to(round((y - self._grab - PAD) / self._scale()))
        else:
            self._go_to(y)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.setSliderDown(False)

    def _go_to(self, y: float) -> None:
        """Put what is shown at a height of the strip into the middle of the view."""
        place = max(0, min(round((y - PAD) / self._scale()), self._view.heights.total()))
        self._view.scroll_to(place, self._view.viewport().height() // 2)

    def wheelEvent(self, event: QWheelEvent) -> None:
        QApplication.sendEvent(self._view.viewport(), event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        event.ignore()

    def _hover(self, y: float, where: QPoint) -> None:
        if y >= self.height() - FOOT:
            self._hovered = -1
            QToolTip.showText(where, plain_tip(self._context), self)
            return
        row = self.row_at(y)
        if row != self._hovered:
            self._hovered = row
            tip = "<br>".join(map(plain_tip, self.preview(row).split("\n"))) if row >= 0 else ""
            QToolTip.showText(where, tip, self)

    def preview(self, row: int) -> str:
        """Return number, role and the first words of a message."""
        who = self.tr("You") if self._rows.known(row)[1] else self.tr("Answer")
        marks = {"error": self.tr("error"), "waits": self.tr("waits for you")}
        head = f"{row + 1} · {who}"
        if mark := self._rows.marks.get(row):
            head = f"{head} · {marks[mark]}"
        words = next((words for _, words in self._model.texts(row) if words.strip()), "")
        line = " ".join(visible_prose(words[: 4 * PREVIEW]).split())
        return f"{head}\n{line[:PREVIEW]}{'…' if len(line) > PREVIEW else ''}" if line else head

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = -1
        super().leaveEvent(event)

    # Keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """As in the list: down is further on, a page is what is in view."""
        page = self.pageStep() * 9 // 10
        steps = {
            Qt.Key.Key_Up: -self.singleStep(),
            Qt.Key.Key_Down: self.singleStep(),
            Qt.Key.Key_PageUp: -page,
            Qt.Key.Key_PageDown: page,
        }
        key = Qt.Key(event.key())
        if key == Qt.Key.Key_Home:
            self._view.to_start()
        elif key == Qt.Key.Key_End:
            self._view.to_end()
        elif key in steps:
            self._view.scroll_by(steps[key])
        else:
            event.ignore()
