"""What a screen reader is told of the painted parts: the list, its items, their texts, the request.

Invariant: names stay with the widgets (``setAccessibleName``), so they are read when asked for and never go stale.
"""

from functools import lru_cache

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget, QWidget

from deepchat_desktop.ui.blocks.part import TextPart
from deepchat_desktop.ui.chat.assistant_message import AssistantMessage
from deepchat_desktop.ui.chat.message_column import MessageColumn
from deepchat_desktop.ui.chat.permission_card import PermissionCardView
from deepchat_desktop.ui.chat.user_message import UserMessage

_ROLES: tuple[tuple[type[QWidget], QAccessible.Role], ...] = (
    (UserMessage, QAccessible.Role.ListItem),
    (AssistantMessage, QAccessible.Role.ListItem),
    (MessageColumn, QAccessible.Role.List),
    (TextPart, QAccessible.Role.StaticText),
    (PermissionCardView, QAccessible.Role.AlertMessage),
)


def _interface(_class_name: str, thing: QObject | None) -> QAccessibleInterface | None:
    for kind, role in _ROLES:
        if isinstance(thing, kind):
            return QAccessibleWidget(thing, role)
    return None


@lru_cache(maxsize=1)
def install() -> None:
    """Tell Qt of the roles, once per process."""
    QAccessible.installFactory(_interface)
