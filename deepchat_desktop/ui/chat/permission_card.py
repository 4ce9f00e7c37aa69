"""The request that waits for the user, above the composer.

Invariants (DLG-1 to DLG-4): our words come first, the exact call whole below them, the model's last and labelled; it
never takes the focus when it appears; nothing counts in the first 500 ms; Allow is off until the end of the call
was in view; Escape within the card, and only there, denies; everything is plain text.
"""

import time
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QWidget

from deepchat_desktop.domain.visible_text import visible_exact
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks.text_well import TextWell
from deepchat_desktop.ui.chat.card_parts import DenyButton, ModelQuote, ToolDisc
from deepchat_desktop.ui.chat.input_guard import InputGuard
from deepchat_desktop.ui.chat.measures import EDGE
from deepchat_desktop.ui.controls import Button, IconButton
from deepchat_desktop.ui.controls_shown import Field, Glyph, Label
from deepchat_desktop.ui.paint import hline, painting, rr, shadow
from deepchat_desktop.ui.theme import theme

if TYPE_CHECKING:
    from deepchat_desktop.presenters.permission import PermissionCard, PermissionPresenter

_PAD = 16
_GAP = 12
_LEFT = 32 + 12


class PermissionCardView(QWidget):
    """One card at a time of those that wait. ``resized`` asks the owner to fit it anew."""

    resized = Signal()
    left = Signal()
    """The focus was inside when the last request went."""

    def __init__(
        self, permission: "PermissionPresenter", parent: QWidget, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(parent)
        self._permission = permission
        self._cards: list[PermissionCard] = []
        self._index = 0
        self._shown_id = ""
        self._read: set[str] = set()
        self._rule = 0
        self._make_parts()
        deciders: list[QWidget] = [self.deny, self.once, self.session, self.stop, self.before, self.after, self.why]
        self.guard = InputGuard(self, deciders, clock)
        self._connect()
        self._reload()

    def _make_parts(self) -> None:
        self.setAccessibleName(self.tr("Request for permission"))
        self._disc = ToolDisc(self)
        self.title = Label("", fonts.BODY, fonts.SEMIBOLD, wrap=True, parent=self)
        self._consequence = Label("", fonts.META, tone="muted", wrap=True, parent=self)
        self.well = TextWell(220, fonts.CONTROL, exact=True, parent=self)
        self._folder_mark = Glyph("folder-simple", "subtle", 14, self)
        self._folder = Label("", fonts.META, tone="muted", wrap=True, parent=self)
        self.unread = Label("", fonts.META, fonts.MEDIUM, "warn", parent=self)
        self._quote = ModelQuote(self)
        self.deny = DenyButton(self.tr("Deny"), parent=self)
        self.once = Button(self.tr("Allow once"), parent=self)
        self.session = Button(self.tr("Allow for this session"), parent=self)
        self.why = Field(self.tr("Why not"), self.tr("Tell it why (optional)"), self)
        self._count = Label("", fonts.META, fonts.MEDIUM, "muted", parent=self)
        self.before = IconButton("caret-left", self.tr("Previous request"), 24, 12, self)
        self.after = IconButton("caret-right", self.tr("Next request"), 24, 12, self)
        self.stop = Button(self.tr("Stop"), "ghost", parent=self)
        self._lock = Glyph("lock-simple", "subtle", 14, self)
        self._remember = Label("", fonts.META, tone="muted", wrap=True, parent=self)
        self.setFocusProxy(self.deny)
        order = (self.deny, self.once, self.session, self.why, self.stop, self.before, self.after)
        for first, second in pairwise(order):
            QWidget.setTabOrder(first, second)

    def _connect(self) -> None:
        self.deny.clicked.connect(lambda: self._answer(allow=False))
        self.once.clicked.connect(lambda: self._answer(allow=True))
        self.session.clicked.connect(lambda: self._answer(allow=True, scope="session"))
        self.stop.clicked.connect(self._stop)
        self.why.returnPressed.connect(lambda: self._answer(allow=False))
        self.before.clicked.connect(lambda: self._turn(-1))
        self.after.clicked.connect(lambda: self._turn(1))
        self.well.end_seen.connect(self._on_end_seen)
        self.well.scrolled.connect(self._show_unread)
        self._permission.changed.connect(self._reload)

    # What is shown

    def card(self) -> "PermissionCard | None":
        """Return the request in sight."""
        return self._cards[self._index] if self._cards else None

    def _reload(self) -> None:
        self._cards = self._permission.cards()
        ids = [card.id for card in self._cards]
        self._index = ids.index(self._shown_id) if self._shown_id in ids else min(self._index, max(0, len(ids) - 1))
        self._read &= set(ids)
        inside = self._has_focus()
        if not self._cards:
            self._shown_id = ""
            self.hide()
            if inside:
                self.left.emit()
        else:
            self._show_card(inside)
        self.resized.emit()

    def _show_card(self, inside: bool) -> None:
        card = self._cards[self._index]
        fresh = card.id != self._shown_id
        self._shown_id = card.id
        if fresh:
            self.guard.begin()
            self.why.clear()
            if inside:
                self.deny.setFocus(Qt.FocusReason.OtherFocusReason)
        self._disc.set_tool(card.tool)
        self.title.setText(visible_exact(card.title, multiline=False))
        self._consequence.setText(visible_exact(card.consequence))
        self.well.set_text(card.detail)
        self._folder.setText(visible_exact(card.folder, multiline=False))
        self._quote.set_words(card.model_says)
        self._remember.setText(visible_exact(card.remember_text))
        self.session.setVisible(bool(card.remember_text))
        self._show_count()
        if fresh:
            self.well.to_top()
        self.setVisible(True)

    def _show_count(self) -> None:
        several = len(self._cards) > 1
        words = self.tr("{number} of {count} waiting").format(number=self._index + 1, count=len(self._cards))
        self._count.setText(words)
        for part in (self._count, self.before, self.after):
            part.setVisible(several)
        self.before.setEnabled(self._index > 0)
        self.after.setEnabled(self._index < len(self._cards) - 1)

    def _turn(self, by: int) -> None:
        self._index = max(0, min(len(self._cards) - 1, self._index + by))
        self._show_card(inside=self._has_focus())
        self.resized.emit()

    def _on_end_seen(self) -> None:
        if self.isVisible() and self._shown_id:
            self._read.add(self._shown_id)
            self._show_unread()

    def _show_unread(self) -> None:
        lines = self.well.hidden_lines()
        read = self._shown_id in self._read
        words = self.tr("{count} more lines below: scroll to the end to allow").format(count=lines)
        self.unread.setText("" if read else words)
        self.unread.setVisible(not read)
        self.once.setEnabled(read)
        self.session.setEnabled(read)

    # Answers

    def _answer(self, *, allow: bool, scope: str = "once") -> None:
        card = self.card()
        if card is None or not self.guard.open() or (allow and card.id not in self._read):
            return
        why = "" if allow else self.why.text().strip()
        self._permission.answer(card.id, allow, "session" if scope == "session" else "once", why)

    def _stop(self) -> None:
        if self.guard.open():
            self._permission.stop()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Escape if not event.isAutoRepeat():
                self._answer(allow=False)
            case Qt.Key.Key_PageDown:
                self.well.scroll_lines(8)
            case Qt.Key.Key_PageUp:
                self.well.scroll_lines(-8)
            case _:
                super().keyPressEvent(event)

    def _has_focus(self) -> bool:
        focus = self.window().focusWidget()
        return focus is not None and (focus is self or self.isAncestorOf(focus)) and self.isVisible()

    # Places

    def fit(self, width: int, limit: int) -> int:
        """Take a width and the most height, both with the shadow's edge; return the height."""
        inner = width - 2 * EDGE - 2 * _PAD
        left = EDGE + _PAD
        y = self._fit_head(left, EDGE + _PAD, inner)
        self.unread.setVisible(self._shown_id not in self._read)
        below = self._fit_below(left, 0, inner)
        self.well.max_height = max(76, limit - y - below - EDGE)
        self.well.move(left, y)
        y += self.well.fit(inner)
        if self.well.fits():
            self._read.add(self._shown_id)
        self._show_unread()
        y = self._fit_below(left, y, inner)
        self.resize(width, y + EDGE)
        return self.height()

    def _fit_head(self, left: int, y: int, inner: int) -> int:
        self._disc.move(left, y + 2)
        room = inner - _LEFT
        if not self._count.isHidden():
            wide = self._count.sizeHint().width()
            right = left + inner
            self.after.move(right - 24, y - 2)
            self.before.move(right - 44, y - 2)
            self._count.setGeometry(right - 48 - wide, y, wide, 20)
            room -= wide + 60
        high = self.title.heightForWidth(room)
        self.title.setGeometry(left + _LEFT, y, room, high)
        more = self._consequence.heightForWidth(room)
        self._consequence.setGeometry(left + _LEFT, y + high + 1, room, more)
        return max(y + 36, y + high + 1 + more) + _GAP

    def _fit_below(self, left: int, y: int, inner: int) -> int:
        """Place what stands below the call from ``y`` on; return where it ends."""
        y = self._fit_notes(left, y, inner)
        y = self._fit_buttons(left, y + _GAP, inner)
        return self._fit_foot(left, y, inner)

    def _fit_notes(self, left: int, y: int, inner: int) -> int:
        if not self.unread.isHidden():
            self.unread.setGeometry(left, y + 6, inner, 18)
            y += 22
        has_folder = bool(self._folder.text())
        self._folder.setVisible(has_folder)
        self._folder_mark.setVisible(has_folder)
        if has_folder:
            high = self._folder.heightForWidth(inner - 22)
            self._folder_mark.move(left, y + 7)
            self._folder.setGeometry(left + 22, y + 7, inner - 22, high)
            y += 7 + high
        if not self._quote.isHidden():
            self._quote.move(left, y + 10)
            y += 10 + self._quote.fit(inner)
        return y

    def _fit_buttons(self, left: int, y: int, inner: int) -> int:
        buttons = [b for b in (self.deny, self.once, self.session) if not b.isHidden()]
        high = self.deny.sizeHint().height()
        needed = sum(b.sizeHint().width() + 8 for b in buttons) + self.stop.sizeHint().width() + 8
        room = inner - needed
        if room < 140:
            self.why.setGeometry(left, y, inner, high)
            y += high + 8
        else:
            self.why.setGeometry(left, y, min(220, room), high)
        x = left + inner
        for button in reversed((self.stop, *buttons)):
            wide = button.sizeHint().width()
            x -= wide
            button.setGeometry(x, y, wide, high)
            x -= 8
        return y + high

    def _fit_foot(self, left: int, y: int, inner: int) -> int:
        shown = bool(self._remember.text())
        self._remember.setVisible(shown)
        self._lock.setVisible(shown)
        self._rule = y + _GAP if shown else 0
        if not shown:
            return y + _PAD
        high = self._remember.heightForWidth(inner - 22)
        self._lock.move(left, self._rule + 10)
        self._remember.setGeometry(left + 22, self._rule + 10, inner - 22, high)
        return self._rule + 10 + high + 12

    def paintEvent(self, event: QPaintEvent) -> None:
        box = QRectF(self.rect()).adjusted(EDGE, EDGE, -EDGE, -EDGE)
        with painting(self) as p:
            shadow(p, box, 12, blur=10, dy=2)
            rr(p, box, 12, theme.raised, theme.line2)
            if self._rule:
                hline(p, EDGE + _PAD, self._rule, self.width() - 2 * (EDGE + _PAD))
