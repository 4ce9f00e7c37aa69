"""What a screen reader is told of the painted list: a list of messages, each with its blocks; and of the request.

Invariants: names are asked for when they are read, so they never go stale; a message or block has a small object of
its own only after a screen reader asked for it, and Qt keeps one interface for each. The text is the name: an interface
for text of our own cannot be given, since PySide6 6.11 hands what ``interface_cast`` returns to Qt as a pointer that Qt
cannot use, and the process dies when a screen reader follows it (seen over a real bus, with every way to give it).
"""

from functools import lru_cache

from PySide6.QtCore import QObject, QRect
from PySide6.QtGui import QAccessible, QAccessibleInterface, QAccessibleObject
from PySide6.QtWidgets import QAccessibleWidget, QWidget
from shiboken6 import isValid

from deepchat_desktop.ui.blocks.text_well import TextWell
from deepchat_desktop.ui.chat.permission_card import PermissionCardView
from deepchat_desktop.ui.message_list.message_list import MessageList
from deepchat_desktop.ui.message_list.spoken import Spoken

_ROLES: tuple[tuple[type[QWidget], QAccessible.Role], ...] = (
    (TextWell, QAccessible.Role.StaticText),
    (PermissionCardView, QAccessible.Role.AlertMessage),
)


class ListInterface(QAccessibleWidget):
    """The list; its children are the messages."""

    def __init__(self, view: MessageList) -> None:
        super().__init__(view, QAccessible.Role.List)
        self._view = view

    def childCount(self) -> int:
        return self._view.spoken.count() if isValid(self._view) else 0

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]  # C++ may say none
        return _of(self._view.spoken.child(index)) if 0 <= index < self.childCount() else None

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        thing = child.object()
        return thing.index() if isinstance(thing, Spoken) else -1


class SpokenInterface(QAccessibleObject):
    """A message or one of its blocks."""

    def __init__(self, thing: Spoken) -> None:
        super().__init__(thing)
        self._thing = thing

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.ListItem if self._thing.is_message() else QAccessible.Role.StaticText

    def state(self) -> QAccessible.State:
        return QAccessible.State()

    def text(self, kind: QAccessible.Text) -> str:
        return self._thing.words() if kind == QAccessible.Text.Name else ""

    def rect(self) -> QRect:
        return self._thing.rect()

    def parent(self) -> QAccessibleInterface | None:  # type: ignore[override]
        return _of(self._thing.parent())

    def childCount(self) -> int:
        return self._thing.count()

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]  # C++ may say none
        return _of(self._thing.child(index)) if 0 <= index < self.childCount() else None

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        thing = child.object()
        return thing.index() if isinstance(thing, Spoken) else -1


def _of(thing: QObject | None) -> QAccessibleInterface | None:
    return QAccessible.queryAccessibleInterface(thing) if thing is not None else None


def _interface(_class_name: str, thing: QObject | None) -> QAccessibleInterface | None:
    match thing:
        case MessageList():
            return ListInterface(thing)
        case Spoken():
            return SpokenInterface(thing)
    for kind, role in _ROLES:
        if isinstance(thing, kind):
            return QAccessibleWidget(thing, role)
    return None


@lru_cache(maxsize=1)
def install() -> None:
    """Tell Qt of the roles, once per process."""
    QAccessible.installFactory(_interface)
