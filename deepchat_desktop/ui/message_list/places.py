"""Where each session was left: the block at the top of the view, for coming back to it, after a restart too.

Invariant: a session that was left at its end has no place, so it opens at its end; the ``KEPT`` last ones are kept.
"""

from collections.abc import Iterable, Sequence

from deepchat_desktop.domain.settings import ReadingPlace
from deepchat_desktop.ui.message_list.layout import Anchor

KEPT = 200


class Places:
    """The places by session. One is given away once: from then on the view itself stands there."""

    def __init__(self) -> None:
        self._places: dict[str, ReadingPlace] = {}

    def take(self, places: Iterable[ReadingPlace]) -> None:
        """Add places of an earlier start; newer ones win."""
        self._places = {place.session_id: place for place in places} | self._places

    def keep(self, session: str, message: str, anchor: Anchor) -> None:
        """Keep where a session stands."""
        self._places.pop(session, None)
        self._places[session] = ReadingPlace(
            session_id=session, message_id=message, cell=anchor.cell, px=anchor.px
        )
        while len(self._places) > KEPT:
            del self._places[next(iter(self._places))]

    def give(self, session: str, ids: Sequence[str]) -> Anchor | None:
        """Return where a session was left; None for its end, also when that message is gone."""
        place = self._places.pop(session, None)
        if place is None or place.message_id not in ids:
            return None
        return Anchor(ids.index(place.message_id), place.cell, place.px)

    def all(self) -> tuple[ReadingPlace, ...]:
        """Return all, the last kept one last."""
        return tuple(self._places.values())
