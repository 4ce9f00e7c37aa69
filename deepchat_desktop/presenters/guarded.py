"""Work started from a click: what fails is told in the user's words, never lost in a task."""

from collections.abc import Callable, Coroutine
from typing import Any

from deepchat_desktop.domain.errors import DeepChatError
from deepchat_desktop.presenters.words import words_of


async def guarded(work: Coroutine[Any, Any, object], tell: Callable[[str, str], object]) -> None:
    """Await ``work``; call ``tell(code, words)`` when it raises a ``DeepChatError``."""
    try:
        await work
    except DeepChatError as error:
        tell(error.code, words_of(error))
