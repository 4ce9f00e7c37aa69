"""How far apart the items of an answer stand, in px at the body size."""

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks.markdown_items import Item, TextItem


def gap(before: Item | None, after: Item) -> int:
    """Return the space above ``after`` when it follows ``before``; the first item has none."""
    if before is None:
        return 0
    return fonts.scaled(_gap(before, after))


def _gap(before: Item, after: Item) -> int:
    if isinstance(before, TextItem) and before.style != "p":
        return 6 if isinstance(after, TextItem) else 10
    if isinstance(after, TextItem) and after.style != "p":
        return 20
    if not (isinstance(before, TextItem) and isinstance(after, TextItem)):
        return 16
    if before.place.level and after.place.level:
        return 4 if after.place.marker else 6
    return 8 if after.place.level else 12
