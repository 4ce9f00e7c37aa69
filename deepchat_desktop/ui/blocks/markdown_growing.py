"""Reads a part that grows: what cannot change any more is kept, so that a flush costs what came and not what is there.

Invariants: the items are those that ``parse_part`` gives for the part as it is. Kept are a table's rows, a list's
entries, and of a paragraph what stands before its last words once all marks there have met their partners. A place is
kept only when what was read after it, read alone, gives the same; where anything is in doubt the part is read whole.
"""

import re
from dataclasses import replace

from deepchat_desktop.ui.blocks.markdown_items import Item, Span, TableItem, TextItem
from deepchat_desktop.ui.blocks.markdown_parse import References, parse_part
from deepchat_desktop.ui.blocks.markdown_rules import made_of_marks
from deepchat_desktop.ui.blocks.scanner import Kind, Part, following, last_entry

_WINDOW = 200
"""Characters from the end in which the last word of a paragraph is looked for."""
_WORD = re.compile(r"(?<= )[^\W_]|(?<=[，。；：！？、])[\u3400-\u9fff]")
_NEW_LINE = re.compile(r"\n(?![^\W\d_])")
"""A line that may be something else than the paragraph's next one."""
_WAITING = re.compile(r"(?<!\s)\*|\*(?!\s)|[`$\\]|~~|(?<![^\W_])_|_(?![^\W_])|\[(?![^\[\]]*\])")
"""A mark that was shown as it is and may still find its partner."""


class GrowingPart:
    """The part at the end of a text that only grows. ``read`` counts the characters that were parsed."""

    def __init__(self) -> None:
        self.read = 0
        self._part: Part | None = None
        self._kept: tuple[Item, ...] = ()
        self._rest: Part | None = None
        """What is read again, as a part of its own; None for the whole."""

    def items(self, text: str, part: Part, references: References) -> tuple[Item, ...]:
        """Return the part's items. ``references`` may be added to."""
        before, self._part = self._part, part
        if before is None or before != part._replace(end=before.end) or part.end < before.end:
            self._rest = None
        if text.find("]:", part.start, part.end) >= 0:  # it may define a link for all that is there
            self._rest = None
            return self._read(text, part, references)
        items = self._grown(text, part, references)
        if items is None:
            self._rest = None
            items = self._read(text, part, references)
        self._keep(text, part, items)
        return items

    def _read(self, text: str, part: Part, references: References) -> tuple[Item, ...]:
        self.read += part.end - part.start
        return parse_part(text, part, references)

    def _grown(self, text: str, part: Part, references: References) -> tuple[Item, ...] | None:
        """Return the items by reading the rest alone, None where that may not be."""
        if self._rest is None:
            return None
        self._rest = self._rest._replace(end=part.end)
        if part.kind == "lines" and not _goes_on(text, part, self._rest):
            return None
        return _joined(part.kind, self._kept, self._read(text, self._rest, references.copy()))

    def _keep(self, text: str, part: Part, items: tuple[Item, ...]) -> None:
        """Move the place from where is read again on, if there is a later one."""
        start = self._rest.start if self._rest is not None else part.start
        at = _place(text, part, start)
        if at <= start:
            return
        first = self._rest if self._rest is not None else part
        rest = following(text, first._replace(end=at), part.end, flow=part.kind == "lines")
        kept = _before(part.kind, items, self._read(text, rest, References()))
        if kept is not None:
            self._kept, self._rest = kept, rest


def _goes_on(text: str, part: Part, rest: Part) -> bool:
    """Tell whether the rest can be but more words of the paragraph."""
    tail = text[rest.start : rest.end].rstrip()
    return not _NEW_LINE.search(tail) and not made_of_marks(text[part.start : part.end])


def _place(text: str, part: Part, start: int) -> int:
    """Return the last place from where a part could be read alone; ``start`` or less for none."""
    match part.kind:
        case "table":
            # The head and the delimiters are two lines of the first part.
            lines = text.count("\n", part.start, part.end) if part.first else 3
            return text.rfind("\n", start, len(text[: part.end].rstrip())) + 1 if lines > 2 else 0
        case "list":
            return last_entry(text, start, part.end)
        case "lines":
            low = max(start, part.end - _WINDOW)
            return max((found.start() for found in _WORD.finditer(text, low, part.end)), default=0)
        case _:
            return 0


def _joined(kind: Kind, kept: tuple[Item, ...], rest: tuple[Item, ...]) -> tuple[Item, ...] | None:
    """Return all items, None if the rest is not what must follow."""
    last, first = kept[-1], rest[0] if len(rest) == 1 else None
    match kind, last, first:
        case "list", _, _:
            return kept + rest
        case "table", TableItem(), TableItem() if _head(first) == _head(last):
            return (replace(last, rows=last.rows + first.rows[1:]),)
        case "lines", TextItem(), TextItem():
            return (*kept[:-1], replace(last, spans=_together(last.spans, first.spans)))
    return None


def _before(kind: Kind, items: tuple[Item, ...], rest: tuple[Item, ...]) -> tuple[Item, ...] | None:
    """Return the items without ``rest`` at their end, None where they do not end so."""
    last, tail = items[-1] if items else None, rest[0] if len(rest) == 1 else None
    match kind, last, tail:
        case "list", _, _:
            return items[: -len(rest)] or None if rest and items[-len(rest) :] == rest else None
        case "table", TableItem(), TableItem():
            kept = replace(last, rows=last.rows[: len(last.rows) - len(tail.rows) + 1])
            return (kept,) if kept.rows and _joined(kind, (kept,), rest) == items else None
        case "lines", TextItem(style="p"), TextItem() if last.spans and tail.spans:
            words = last.spans[-1].text.removesuffix(tail.spans[0].text)
            kept_spans = (*last.spans[:-1], replace(last.spans[-1], text=words))
            shown = "".join(span.text for span in kept_spans if not span.code and not span.math)
            paragraph = (*items[:-1], replace(last, spans=kept_spans))
            same = words and not _WAITING.search(shown) and _joined(kind, paragraph, rest) == items
            return paragraph if same else None
    return None


def _head(table: TableItem) -> tuple[object, object]:
    return table.rows[0], table.aligns


def _together(kept: tuple[Span, ...], more: tuple[Span, ...]) -> tuple[Span, ...]:
    """Return runs one after the other; plain ones that meet are one."""
    if kept and more and kept[-1] == Span(kept[-1].text) and more[0] == Span(more[0].text):
        return (*kept[:-1], Span(kept[-1].text + more[0].text), *more[1:])
    return kept + more
