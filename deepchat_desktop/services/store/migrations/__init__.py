"""The list of migrations: a new one is one new file and one line here. What was released is never edited."""

from collections.abc import Callable
from typing import Any, NamedTuple

from deepchat_desktop.services.store.migrations import m0001_initial, m0002_attachments


class Migration(NamedTuple):
    """One step: brings the schema from ``number - 1`` to ``number``, inside a transaction that the runner owns."""

    number: int
    name: str
    up: Callable[[Any], None]


MIGRATIONS: tuple[Migration, ...] = (
    Migration(1, "initial", m0001_initial.up),
    Migration(2, "attachments", m0002_attachments.up),
)
