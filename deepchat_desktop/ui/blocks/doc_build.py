"""Text items to a ``QTextDocument``: fixed line heights, no lists, no HTML, and a document that loads nothing.

``FixedHeight`` and not a percentage: Qt's percentage follows each line's own font, and lines with Chinese
would stand further apart. Markers, quote bars and code chips are properties that the view paints.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QRect, QRectF, QSizeF, QUrl
from PySide6.QtGui import (
    QBrush,
    QFontMetricsF,
    QPainter,
    QPyTextObject,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextOption,
)

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks.markdown_gaps import gap
from deepchat_desktop.ui.blocks.markdown_items import FORMULA_MARK, RuleItem, Span, TextItem
from deepchat_desktop.ui.blocks.rendering import Formula
from deepchat_desktop.ui.blocks.shape import QUOTE_INDENT, TEXT_INDENT
from deepchat_desktop.ui.blocks.text_steps import units
from deepchat_desktop.ui.theme import theme

CODE_RUN = QTextFormat.Property.UserProperty.value + 1
IMAGE_RUN = QTextFormat.Property.UserProperty.value + 2
MARKER = QTextFormat.Property.UserProperty.value + 3
LEVEL = QTextFormat.Property.UserProperty.value + 4
QUOTE = QTextFormat.Property.UserProperty.value + 5
RULE = QTextFormat.Property.UserProperty.value + 6
FORMULA = QTextFormat.Property.UserProperty.value + 7
"""The source of a formula that is drawn where an object stands."""
ROOM = QTextFormat.Property.UserProperty.value + 8
FORMULA_SIZE = QTextFormat.Property.UserProperty.value + 9
_FORMULA_OBJECT = QTextFormat.ObjectTypes.UserObject.value + 1
TALL = (16, 7)
"""Above and below the baseline a line of body text has so much room, in px; a higher formula gets a higher line."""
CHIP_PAD = "\u2005\u200a"
"""Room beside a code run, in the sans face: mono faces have no narrow blanks."""
_STYLE = {"p": (fonts.BODY, fonts.REGULAR), "h1": (fonts.HEADING, fonts.SEMIBOLD),
          "h2": (fonts.HEADING, fonts.SEMIBOLD), "h3": (fonts.BODY, fonts.SEMIBOLD)}  # fmt: skip


LookUp = Callable[[Span], Formula | None]
"""The formula of a run, where it has been drawn."""


class _FormulaRoom(QPyTextObject):
    """Keeps the room of a formula in its line; the view draws the formula itself, at the line's baseline."""

    def intrinsicSize(self, document: QTextDocument, position: int, form: QTextFormat) -> QSizeF:
        room = form.property(ROOM)
        return room if isinstance(room, QSizeF) else QSizeF(1, 1)

    def drawObject(
        self, p: QPainter, area: QRectF | QRect, document: QTextDocument, position: int, form: QTextFormat
    ) -> None:
        """Draw nothing."""


class SilentDocument(QTextDocument):
    """A document that answers every request for a resource with nothing, and keeps the list of requests."""

    def __init__(self, look_up: LookUp | None = None) -> None:
        super().__init__()
        self.requested: list[str] = []
        self.formulas: dict[str, Formula] = {}
        """The formulas that stand in it as objects, by their source."""
        self._look_up = look_up
        self._room: _FormulaRoom | None = None
        self.setDocumentMargin(0)
        self.setUndoRedoEnabled(False)
        self.setDefaultFont(fonts.font(fonts.BODY))
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setDefaultTextOption(option)

    def formula(self, span: Span) -> Formula | None:
        """Return what is drawn for a run, if anything is."""
        if span.math in self.formulas:
            return self.formulas[span.math]
        found = self._look_up(span) if self._look_up is not None and span.math else None
        if found is not None:
            self.formulas[span.math] = found
            if self._room is None:
                self._room = _FormulaRoom(self)
                self.documentLayout().registerHandler(_FORMULA_OBJECT, self._room)
        return found

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        self.requested.append(name if isinstance(name, str) else name.toString())
        return None


def build(items: Sequence[TextItem | RuleItem], look_up: LookUp | None = None) -> SilentDocument:
    """Return a document of the items; its first block has no space above."""
    document = SilentDocument(look_up)
    add(document, items, None)
    return document


def add(
    document: SilentDocument, items: Sequence[TextItem | RuleItem], before: TextItem | RuleItem | None
) -> None:
    """Append items. ``before`` is the last one that is there; without one the document is empty."""
    cursor = QTextCursor(document)
    cursor.movePosition(QTextCursor.MoveOperation.End)
    cursor.beginEditBlock()  # laid out once, not after every run
    for item in items:
        if before is not None:
            cursor.insertBlock()
        cursor.setBlockFormat(_block_format(item, gap(before, item), tall=_is_tall(document, item)))
        if isinstance(item, TextItem):
            size, weight = _STYLE[item.style]
            insert_spans(cursor, item.spans, size, weight, quoted=item.place.quote > 0)
        before = item
    cursor.endEditBlock()


def cut_after(document: SilentDocument, blocks: int) -> None:
    """Drop all but the first ``blocks`` items' paragraphs; at least one is kept."""
    cursor = QTextCursor(document)
    last = document.findBlockByNumber(blocks - 1)
    cursor.setPosition(last.position() + last.length() - 1)
    cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
    cursor.removeSelectedText()


def replace_tail(document: SilentDocument, item: TextItem, old: TextItem) -> None:
    """Turn the last paragraph, which shows ``old``, into ``item``: what both begin with stays as it is."""
    keep, chars = _shared(old.spans, item.spans)
    at = sum(_places(document, span) for span in old.spans[:keep])
    at += units(item.spans[keep].text[:chars]) if chars else 0
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    cursor.setPosition(document.lastBlock().position() + at)
    cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
    cursor.removeSelectedText()
    rest = item.spans[keep:]
    if chars:
        rest = (replace(rest[0], text=rest[0].text[chars:]), *rest[1:])
    size, weight = _STYLE[item.style]
    insert_spans(cursor, rest, size, weight, quoted=item.place.quote > 0)
    if _is_tall(document, item):
        form = cursor.blockFormat()
        form.setLineHeight(fonts.line_height(size), QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
        cursor.setBlockFormat(form)
    cursor.endEditBlock()


def _shared(old: Sequence[Span], new: Sequence[Span]) -> tuple[int, int]:
    """Return how many runs are the same, and how many characters of the next, where only its words differ."""
    keep = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    if keep == len(old) or keep == len(new):
        return keep, 0
    before, now = old[keep], new[keep]
    if now.code or now.image or now.math or replace(now, text=before.text) != before:
        return keep, 0
    if now.text.startswith(before.text):
        return keep, len(before.text)
    same = (i for i, (a, b) in enumerate(zip(before.text, now.text, strict=False)) if a != b)
    return keep, next(same, len(now.text))


def _places(document: SilentDocument, span: Span) -> int:
    shown = shown_span(span, document.formulas)
    return units(shown.text) + (2 * len(CHIP_PAD) if (shown.code or shown.image) else 0)


def insert_spans(
    cursor: QTextCursor, spans: Sequence[Span], size: int, weight: int, *, quoted: bool = False, muted: bool = False
) -> None:
    """Insert runs at the cursor. ``size`` and ``weight`` are the surrounding text's."""
    document = cursor.document()
    for span in spans:
        formula = document.formula(span) if span.math and isinstance(document, SilentDocument) else None
        if formula is not None:
            cursor.insertText(FORMULA_MARK, _formula_format(span, formula, size))
            continue
        if span.math:
            span = shown_span(span, {})
        form = _char_format(span, size, weight)
        if (quoted or muted) and not span.link:
            form.setForeground(QBrush(theme.muted))
        if span.code or span.image:
            pad = QTextCharFormat()
            pad.setFont(fonts.font(size))
            cursor.insertText(CHIP_PAD, pad)
            cursor.insertText(span.text, form)
            cursor.insertText(CHIP_PAD, pad)
        else:
            cursor.insertText(span.text, form)


def line_format(height: int, top: int = 0, left: int = 0) -> QTextBlockFormat:
    """Return a block format with a fixed line height."""
    form = QTextBlockFormat()
    form.setLineHeight(height, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
    form.setTopMargin(top)
    form.setLeftMargin(left)
    return form


def shown_span(span: Span, drawn: Mapping[str, Formula]) -> Span:
    """Return a run as it stands in the document: a formula is one character where it is drawn, else its source."""
    if not span.math:
        return span
    return replace(span, text=FORMULA_MARK) if span.math in drawn else Span(span.math, code=True, math=span.math)


def formula_size(size: int) -> int:
    """Return the px size of formulas beside text of one of the sizes: their letters are a little smaller."""
    return fonts.scaled(size * 15 / 14)


def _is_tall(document: SilentDocument, item: TextItem | RuleItem) -> bool:
    if not isinstance(item, TextItem):
        return False
    size = formula_size(_STYLE[item.style][0])
    found = (document.formula(span) for span in item.spans if span.math)
    extents = [formula.extent(size) for formula in found if formula is not None]
    return any(above > fonts.scaled(TALL[0]) or below > fonts.scaled(TALL[1]) for _, above, below in extents)


def _formula_format(span: Span, formula: Formula, size: int) -> QTextCharFormat:
    wide, above, below = formula.extent(formula_size(size))
    form = QTextCharFormat()
    form.setFont(fonts.font(size))
    form.setObjectType(_FORMULA_OBJECT)
    # Qt stands an object in the middle of small letters: so high that it reaches as far up and down as needed.
    form.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignMiddle)
    half = QFontMetricsF(form.font()).xHeight() / 2
    form.setProperty(ROOM, QSizeF(wide + 2, max(2 * above - half, 2 * below + half)))
    form.setProperty(FORMULA, span.math)
    form.setProperty(FORMULA_SIZE, formula_size(size))
    form.setForeground(QBrush(theme.text))
    return form


def _block_format(item: TextItem | RuleItem, top: int, *, tall: bool = False) -> QTextBlockFormat:
    size = _STYLE[item.style][0] if isinstance(item, TextItem) else fonts.META
    place = item.place
    form = line_format(fonts.line_height(size), top, place.level * TEXT_INDENT + place.quote * QUOTE_INDENT)
    if tall:
        form.setLineHeight(fonts.line_height(size), QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
    form.setProperty(MARKER, place.marker)
    form.setProperty(LEVEL, place.level)
    form.setProperty(QUOTE, place.quote)
    form.setProperty(RULE, isinstance(item, RuleItem))
    return form


def _char_format(span: Span, size: int, weight: int) -> QTextCharFormat:
    form = QTextCharFormat()
    if span.code:
        inner = fonts.CONTROL if size >= fonts.BODY else fonts.META
        form.setFont(fonts.font(inner, fonts.REGULAR, mono=True))
        form.setProperty(CODE_RUN, True)
    elif span.image:
        form.setFont(fonts.font(fonts.META, fonts.MEDIUM))
        form.setProperty(IMAGE_RUN, True)
    else:
        form.setFont(fonts.font(size, fonts.SEMIBOLD if span.bold else weight, italic=span.italic))
    form.setFontStrikeOut(span.strike)
    if span.raised:
        form.setFont(fonts.font(fonts.META, fonts.MEDIUM))
        form.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignSuperScript)
    form.setForeground(QBrush(theme.muted if span.image else theme.accent_text if span.link else theme.text))
    if span.link:
        form.setAnchor(True)
        form.setAnchorHref(span.link)
    return form
