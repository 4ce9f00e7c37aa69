"""The commands that ``/`` offers at the beginning of a message. A further source is one call of ``add_source``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from deepchat_desktop.ui.icons import IconName


@dataclass(frozen=True)
class Command:
    """A name as it is typed, what it does in the user's words, and the doing."""

    name: str
    words: str
    run: Callable[[], object]
    icon: IconName = "terminal-window"


Source = Callable[[], Sequence[Command]]


class Commands:
    """All that can be called by name."""

    def __init__(self) -> None:
        self._sources: list[Source] = []

    def add_source(self, source: Source) -> None:
        """Offer what a source gives each time it is asked."""
        self._sources.append(source)

    def matching(self, typed: str) -> list[Command]:
        """Return the commands whose name begins with what was typed; one of just that name comes first."""
        found = [command for source in self._sources for command in source() if command.name.startswith(typed)]
        return sorted(found, key=lambda command: command.name != typed)
