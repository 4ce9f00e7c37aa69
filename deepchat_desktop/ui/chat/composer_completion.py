"""Completion in the composer: what is being typed, what is offered for it, what accepting does.

Invariants: nothing is offered for a path (``/etc``), an address (``a@b``) or while an input method composes; what was
dismissed with Escape stays away until another word is begun; with nothing typed after ``@`` or ``/`` no line is
chosen, so that Enter still sends.
"""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QWidget

from deepchat_desktop.presenters.completion import CompletionPresenter, Suggestion
from deepchat_desktop.ui.chat.completion_popup import EDGE, CompletionPopup, Entry
from deepchat_desktop.ui.chat.composer_commands import Command, Commands

if TYPE_CHECKING:
    from deepchat_desktop.ui.chat.composer_edit import ComposerEdit
    from deepchat_desktop.ui.icons import IconName

_LOOK_BACK = 200
_MENTION = re.compile(r"(?:^|[\s(\[{“\"'])@([^\s@]*)$")
_COMMAND = re.compile(r"/([a-z-]*)$")
_ICONS: "dict[str, IconName]" = {"file": "file-text", "session": "chat-teardrop"}


@dataclass(frozen=True)
class _Token:
    """What is being typed: ``start`` is where its sign stands in the text."""

    kind: Literal["mention", "command"]
    start: int
    query: str


class ComposerCompletion(QObject):
    """Drives the popup. ``mentioned`` comes with the suggestion whose name was put into the text."""

    mentioned = Signal(object)

    def __init__(
        self, edit: "ComposerEdit", box: QWidget, over: QWidget, found: CompletionPresenter, commands: Commands
    ) -> None:
        """``box`` is what the popup stands above, within ``over``."""
        super().__init__(edit)
        self._box, self._over = box, over
        self._edit, self._presenter, self._commands = edit, found, commands
        self.popup = CompletionPopup(over, self.tr("Suggestions"))
        self._token: _Token | None = None
        self._dismissed: tuple[str, int] | None = None
        self._asking = False
        self.popup.chosen.connect(self._accept)
        edit.textChanged.connect(self._look)
        edit.cursorPositionChanged.connect(self._look)
        edit.focus_changed.connect(self._on_focus)
        edit.composing_changed.connect(self._look)
        found.found.connect(self._on_found)

    # What is typed

    def _look(self) -> None:
        token = None if self._edit.preedit else self._typed()
        if token is not None and self._dismissed == (token.kind, token.start):
            token = None
        else:
            self._dismissed = None
        if token == self._token:
            return
        self._token = token
        if token is None:
            self.close()
        elif token.kind == "command":
            self._offer_commands(token)
        else:
            self._asking = True
            self._presenter.ask(token.query)

    def _typed(self) -> _Token | None:
        cursor = self._edit.textCursor()
        if cursor.hasSelection() or not self._edit.hasFocus():
            return None
        place = cursor.positionInBlock()
        before = cursor.block().text()[max(0, place - _LOOK_BACK) : place]
        if cursor.blockNumber() == 0 and place <= _LOOK_BACK and (match := _COMMAND.fullmatch(before)):
            return _Token("command", 0, match[1])
        if match := _MENTION.search(before):
            return _Token("mention", cursor.position() - len(match[1]) - 1, match[1])
        return None

    # What is offered

    def _offer_commands(self, token: _Token) -> None:
        entries = [
            Entry(command.icon, f"/{command.name}", command.words, command)
            for command in self._commands.matching(token.query)
        ]
        self._offer(entries, token)

    def _on_found(self, query: str, suggestions: tuple[Suggestion, ...]) -> None:
        token = self._token
        if token is not None and token.kind == "mention" and token.query == query:
            self._offer([Entry(_ICONS[one.kind], one.label, one.detail, one) for one in suggestions], token)

    def _offer(self, entries: list[Entry], token: _Token) -> None:
        if not entries:
            self.popup.hide()
            return
        self.popup.offer(entries, first=bool(token.query))
        self.place()

    def place(self) -> None:
        """Stand right above the composer, at the sign that was typed where there is room."""
        if self.popup.isHidden() or self._token is None:
            return
        cursor = QTextCursor(self._edit.document())
        cursor.setPosition(min(self._token.start, self._edit.document().characterCount() - 1))
        over = self._over
        x = self._edit.viewport().mapTo(over, self._edit.cursorRect(cursor).topLeft()).x() - EDGE - 40
        top = self._box.mapTo(over, QPoint(0, EDGE)).y() - self.popup.height() + EDGE - 4
        self.popup.move(max(8 - EDGE, min(x, over.width() - self.popup.width() + EDGE - 8)), max(-EDGE, top))

    def close(self) -> None:
        """Go away, and ask for nothing more."""
        self.popup.hide()
        if self._asking:
            self._asking = False
            self._presenter.forget()

    def _on_focus(self) -> None:
        if not self._edit.hasFocus():
            self._token = None
            self.close()

    # Keys

    def take(self, event: QKeyEvent) -> bool:
        """Take a key of the text's; False leaves it to the text."""
        if self.popup.isHidden() or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        match event.key():
            case Qt.Key.Key_Up | Qt.Key.Key_Down:
                self.popup.step(1 if event.key() == Qt.Key.Key_Down else -1)
            case Qt.Key.Key_Escape if self._token is not None:
                self._dismissed = (self._token.kind, self._token.start)
                self._token = None
                self.close()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if self.popup.value() is not None:
                self._accept(self.popup.value())
            case _:
                return False
        return True

    def take_tab(self) -> bool:
        """Accept what is chosen, or the first; False where nothing is offered."""
        if self.popup.isHidden():
            return False
        if self.popup.value() is None:
            self.popup.step(1)
        self._accept(self.popup.value())
        return True

    def _accept(self, value: object) -> None:
        token = self._token
        if token is None:
            return
        cursor = self._edit.textCursor()
        cursor.setPosition(token.start, QTextCursor.MoveMode.KeepAnchor)
        match value:
            case Command():
                cursor.removeSelectedText()
                self.close()
                value.run()
            case Suggestion():
                cursor.insertText(value.insert)
                self.close()
                self.mentioned.emit(value)
