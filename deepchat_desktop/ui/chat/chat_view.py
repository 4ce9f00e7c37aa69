"""The conversation as one widget: messages, the request that waits, the composer.

Invariants: a request lies between messages and composer and never over another window; it takes no focus; the
messages end above whatever stands below them, under a soft fade.
"""

from collections import deque
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QHideEvent,
    QKeyEvent,
    QKeySequence,
    QLinearGradient,
    QPaintEvent,
    QResizeEvent,
    QShortcut,
)
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from deepchat_desktop.presenters.message_list_model import MessageListModel
from deepchat_desktop.ui.chat.composer import Composer
from deepchat_desktop.ui.chat.context_use import ContextUse
from deepchat_desktop.ui.chat.measures import COLUMN, EDGE, SIDE
from deepchat_desktop.ui.open_external import RefusedLink, open_external
from deepchat_desktop.ui.paint import painting
from deepchat_desktop.ui.theme import Theme, theme

if TYPE_CHECKING:
    from deepchat_desktop.domain.settings import ReadingPlace
    from deepchat_desktop.presenters.agent_runtime import AgentRuntimePresenter
    from deepchat_desktop.presenters.permission import PermissionPresenter
    from deepchat_desktop.presenters.session import SessionPresenter
    from deepchat_desktop.ui.chat.find_bar import FindBar
    from deepchat_desktop.ui.chat.minimap import Minimap
    from deepchat_desktop.ui.chat.permission_card import PermissionCardView
    from deepchat_desktop.ui.message_list.message_list import MessageList

FOOT = 14
FADE = 24
CARD_GAP = 14
SCROLL_BAR = 10
MAP_WIDTH = 56
FIND_INSET = 7
COMPOSER_SHARE, CARD_SHARE = 0.4, 0.62
WARM_UP_MS = 400


class Fade(QWidget):
    """The ground's colour, from nothing to full, over the end of the list."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def paintEvent(self, event: QPaintEvent) -> None:
        ground = QColor(theme.surface)
        clear = QColor(ground)
        clear.setAlpha(0)
        shade = QLinearGradient(QPointF(0, 0), QPointF(0, self.height()))
        shade.setColorAt(0, clear)
        shade.setColorAt(1, ground)
        with painting(self) as p:
            p.fillRect(self.rect(), shade)


class ChatView(QWidget):
    """Messages, request and composer of the open session. ``settings_asked`` comes from an error's button.

    The composer is there at once; messages and request, with all they import, are made right after the first paint.
    """

    settings_asked = Signal()

    def __init__(
        self,
        model: MessageListModel,
        agent: "AgentRuntimePresenter",
        permission: "PermissionPresenter",
        session: "SessionPresenter",
        theme: Theme = theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._model, self._agent, self._theme = model, agent, theme
        self._permission = permission
        self._list: MessageList | None = None
        self._places: tuple[ReadingPlace, ...] = ()
        self._card: PermissionCardView | None = None
        self._map: Minimap | None = None
        self._map_wanted = True
        self._find: FindBar | None = None
        self._before_find: QWidget | None = None
        self._empty: QWidget | None = None
        self._painted = False
        self._fade = Fade(self)
        self.composer = Composer(agent, session, self)
        self.composer.resized.connect(self._place)
        self._context = ContextUse(agent, model, self)
        self._context.changed.connect(self.composer.bar.show_context)
        self.composer.settings_asked.connect(self.settings_asked)
        self.composer.find_asked.connect(self.open_find)
        model.reset.connect(self._show_empty)
        model.message_added.connect(lambda _row: self._show_empty())
        model.message_changed.connect(lambda _row: self._fit_card())
        agent.notice.connect(lambda _code, words: self.composer.tell(words))
        permission.notice.connect(lambda _code, words: self.composer.tell(words))
        agent.send_refused.connect(self.composer.take_back)
        theme.changed.connect(self._on_theme)
        self._shortcuts()
        self._show_empty()

    @property
    def message_list(self) -> "MessageList":
        """The messages."""
        self._fill()
        assert self._list is not None
        return self._list

    @property
    def card(self) -> "PermissionCardView":
        """The request that waits."""
        self._fill()
        assert self._card is not None
        return self._card

    def _fill(self) -> None:
        """Make messages and request, once."""
        if self._list is not None:
            return
        from deepchat_desktop.ui.chat import accessible
        from deepchat_desktop.ui.chat.minimap import Minimap
        from deepchat_desktop.ui.chat.permission_card import PermissionCardView
        from deepchat_desktop.ui.message_list.message_list import MessageList

        accessible.install()
        self._list = MessageList(self._model, self, held=True)
        self._list.stackUnder(self._fade)
        self._list.take_places(self._places)
        self._list.asked.connect(self._on_asked)
        self._list.link_clicked.connect(self._open_link)
        self._list.notice.connect(self.composer.tell)
        self._map = Minimap(self._list, self._model, self)
        self._map.show_context(*self._context.figures())
        self._context.changed.connect(self._map.show_context)
        self._card = PermissionCardView(self._permission, self)
        self._card.stackUnder(self.composer)
        self._card.resized.connect(self._on_card)
        self._card.left.connect(self.focus_composer)
        self._on_card()
        self._show_empty()

    def set_empty_widget(self, widget: QWidget | None) -> None:
        """Show ``widget`` above the composer while the session has no message; the old one is let go of."""
        if self._empty is not None and self._empty is not widget:
            self._empty.hide()
            self._empty.setParent(None)
        self._empty = widget
        if widget is not None:
            widget.setParent(self)
            widget.lower()
        self._show_empty()

    def places(self) -> "tuple[ReadingPlace, ...]":
        """Return where each session stands or was left."""
        return self._list.places() if self._list is not None else self._places

    def take_places(self, places: "tuple[ReadingPlace, ...]") -> None:
        """Know where sessions were left before this start; call it before the first paint."""
        self._places = places
        if self._list is not None:
            self._list.take_places(places)

    def focus_regions(self) -> list[QWidget]:
        """Return what F6 goes to, in order; hidden ones are to be skipped."""
        listed = [self._list] if self._list is not None else []
        asked = [self._card] if self._card is not None else []
        return [*listed, self.composer.edit, *asked]

    # Finding

    def _shortcuts(self) -> None:
        keys = QKeySequence.StandardKey
        for key, act in (
            (keys.Find, self.open_find),
            (keys.FindNext, lambda: self._find_step(1)),
            (keys.FindPrevious, lambda: self._find_step(-1)),
        ):
            QShortcut(key, self).activated.connect(act)

    def open_find(self) -> None:
        """Show the bar that finds words in the session, with its field chosen; nothing in an empty session."""
        if not self._model.count():
            return
        if self._find is None:
            from deepchat_desktop.ui.chat.find_bar import FindBar

            self._find = FindBar(self.message_list, self)
            self._find.closed.connect(self._after_find)
        if not self._find.isVisible():
            self._before_find = QApplication.focusWidget()
        self._find.open()
        self._place()

    def _find_step(self, by: int) -> None:
        if self._find is not None and self._find.isVisible():
            self._find.step(by)
        else:
            self.open_find()

    def _after_find(self) -> None:
        """Give the focus back to where it was."""
        before, self._before_find = self._before_find, None
        if before is not None and isValid(before) and before.isVisible():
            before.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.focus_composer()

    def set_minimap(self, shown: bool) -> None:
        """Show or hide the map of the conversation."""
        self._map_wanted = shown
        self._show_empty()

    def _strip(self) -> int:
        """Return the width that the map takes; an empty session has none."""
        return MAP_WIDTH if self._map_wanted and self._model.count() else 0

    def focus_composer(self) -> None:
        """Put the caret into the composer."""
        self.composer.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_asked(self, step: str) -> None:
        match step:
            case "retry":
                self._agent.retry_last()
            case "continue":
                self._agent.continue_run()
            case "shorten":
                self.composer.bring_last()
                self.focus_composer()
            case "model":
                self.composer.bar.open_models()
            case "diagnostics":
                self._copy_diagnostics()
            case _:
                self.settings_asked.emit()

    def _copy_diagnostics(self) -> None:
        report = self._agent.diagnostics()
        if report:
            QGuiApplication.clipboard().setText(report)
            self.composer.tell(self.tr("Copied: the last request and its answer, without keys."))
        else:
            self.composer.tell(self.tr("Nothing was sent to this provider since the start."))

    def _open_link(self, url: str, words: str) -> None:
        try:
            open_external(url, shown=words, parent=self.window())
        except RefusedLink:
            self.composer.tell(self.tr("This link is not opened: only web and mail addresses are."))

    def _on_card(self) -> None:
        self.composer.set_waiting(self.card.card() is not None)
        self._place()

    def _on_theme(self) -> None:
        self._place()
        self.update()

    def _show_empty(self) -> None:
        empty = self._model.count() == 0 and self._empty is not None
        if self._list is not None:
            self._list.setVisible(not empty)
        if self._map is not None:
            self._map.setVisible(self._strip() > 0)
        if self._find is not None and not self._model.count():
            self._find.leave()
        self._fade.setVisible(not empty)
        if self._empty is not None:
            self._empty.setVisible(empty)
        self._place()

    def _place(self) -> None:
        """Lay out from the foot up: composer, request, messages."""
        high, across = self.height(), self.width() - self._strip()
        room = across - SCROLL_BAR
        column = max(120, min(COLUMN, room - 2 * SIDE))
        left = (room - column) // 2 - EDGE
        wide = column + 2 * EDGE
        tall = self.composer.fit(wide, round(high * COMPOSER_SHARE))
        top = high - FOOT - tall + EDGE
        self.composer.move(left, top)
        end = top + EDGE
        if self._card is not None and self._card.card() is not None:
            end = self._place_card(self._card, left, wide, end)
        if self._list is not None:
            self._list.setGeometry(0, 0, across, max(0, end - 4))
        if self._map is not None:
            self._map.setGeometry(across, 0, MAP_WIDTH, high)
        if self._find is not None:
            self._find.place(across - FIND_INSET, 0, room)
        self._fade.setGeometry(0, max(0, end - 4 - FADE), room, FADE)
        if self._empty is not None:
            self._empty.setGeometry(0, 0, self.width(), max(0, end - 4))

    def _release(self) -> None:
        self.message_list.release()

    def _fit_card(self) -> None:
        """The request came before the last block of its message: now it is known how much room there is."""
        if self._card is not None and self._card.card() is not None:
            self._place()

    def _place_card(self, card: "PermissionCardView", left: int, wide: int, end: int) -> int:
        """Put the request above ``end``; return where the messages end."""
        # What the messages leave free, the request may use.
        free = end + 2 * EDGE - CARD_GAP - 4 - self.message_list.content_height()
        limit = min(max(round(self.height() * CARD_SHARE), free), end - 40)
        top = end - card.fit(wide, limit) + EDGE - CARD_GAP
        if card.pos().x() != left or card.pos().y() != top:
            card.move(left, top)
        return top + EDGE

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Bring what is typed anywhere in the conversation to the composer; Space is left to scrolling."""
        keys = Qt.KeyboardModifier
        held = event.modifiers() & (keys.ControlModifier | keys.AltModifier | keys.MetaModifier)
        types = not held or held == keys.ControlModifier | keys.AltModifier  # both together are AltGr
        if types and event.text().isprintable() and event.text().strip():
            self.composer.type(event)
        elif event.key() == Qt.Key.Key_Escape and self._find is not None and self._find.isVisible():
            self._find.leave()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place()

    def hideEvent(self, event: QHideEvent) -> None:
        self.composer.save_now()
        super().hideEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            p.fillRect(self.rect(), theme.surface)
        if not self._painted:
            self._painted = True
            QTimer.singleShot(0, self, self._release)
            QTimer.singleShot(WARM_UP_MS, self, _warm_up)


def _warm_up() -> None:
    """Import the parser and the highlighter after the first paint, before the first answer needs them."""
    from deepchat_desktop.ui.blocks.highlight import lex
    from deepchat_desktop.ui.blocks.markdown_parse import parse

    parse("`x`")
    deque(lex("python", "x = 1"), maxlen=0)
