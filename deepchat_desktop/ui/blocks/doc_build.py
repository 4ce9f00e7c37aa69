"""Text items to a ``QTextDocument``: fixed line heights, no lists, no HTML, and a document that loads nothing.

``FixedHeight`` and not a percentage: Qt's percentage follows each line's own font, and lines with Chinese
would stand further apart. Markers, quote bars and code chips are properties that the view paints.
"""

from collections.abc import Sequence

from PySide6.QtCore import QUrl
from PySide6.QtGui import (
    QBrush,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextOption,
)

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks.markdown_gaps import gap
from deepchat_desktop.ui.blocks.markdown_items import RuleItem, Span, TextItem
from deepchat_desktop.ui.blocks.shape import QUOTE_INDENT, TEXT_INDENT
from deepchat_desktop.ui.theme import theme

CODE_RUN = QTextFormat.Property.UserProperty.value + 1
IMAGE_RUN = QTextFormat.Property.UserProperty.value + 2
MARKER = QTextFormat.Property.UserProperty.value + 3
LEVEL = QTextFormat.Property.UserProperty.value + 4
QUOTE = QTextFormat.Property.UserProperty.value + 5
RULE = QTextFormat.Property.UserProperty.value + 6
CHIP_PAD = "\u2005\u200a"
"""Room beside a code run, in the sans face: mono faces have no narrow blanks."""
_STYLE = {"p": (fonts.BODY, fonts.REGULAR), "h1": (fonts.HEADING, fonts.SEMIBOLD),
          "h2": (fonts.HEADING, fonts.SEMIBOLD), "h3": (fonts.BODY, fonts.SEMIBOLD)}  # fmt: skip


class SilentDocument(QTextDocument):
    """A document that answers every request for a resource with nothing, and keeps the list of requests."""

    def __init__(self) -> None:
        super().__init__()
        self.requested: list[str] = []
        self.setDocumentMargin(0)
        self.setUndoRedoEnabled(False)
        self.setDefaultFont(fonts.font(fonts.BODY))
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setDefaultTextOption(option)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        self.requested.append(name if isinstance(name, str) else name.toString())
        return None


def build(items: Sequence[TextItem | RuleItem]) -> SilentDocument:
    """Return a document of the items; its first block has no space above."""
    document = SilentDocument()
    add(document, items, None)
    return document


def add(
    document: SilentDocument, items: Sequence[TextItem | RuleItem], before: TextItem | RuleItem | None
) -> None:
    """Append items. ``before`` is the last one that is there; without one the document is empty."""
    cursor = QTextCursor(document)
    cursor.movePosition(QTextCursor.MoveOperation.End)
    for item in items:
        if before is not None:
            cursor.insertBlock()
        cursor.setBlockFormat(_block_format(item, gap(before, item)))
        if isinstance(item, TextItem):
            size, weight = _STYLE[item.style]
            insert_spans(cursor, item.spans, size, weight, quoted=item.place.quote > 0)
        before = item


def cut_after(document: SilentDocument, blocks: int) -> None:
    """Drop all but the first ``blocks`` items' paragraphs; at least one is kept."""
    cursor = QTextCursor(document)
    last = document.findBlockByNumber(blocks - 1)
    cursor.setPosition(last.position() + last.length() - 1)
    cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
    cursor.removeSelectedText()


def extend_last(document: SilentDocument, item: TextItem, spans: Sequence[Span]) -> None:
    """Append runs to the last paragraph, which shows ``item``."""
    cursor = QTextCursor(document)
    cursor.movePosition(QTextCursor.MoveOperation.End)
    size, weight = _STYLE[item.style]
    insert_spans(cursor, spans, size, weight, quoted=item.place.quote > 0)


def insert_spans(
    cursor: QTextCursor, spans: Sequence[Span], size: int, weight: int, *, quoted: bool = False, muted: bool = False
) -> None:
    """Insert runs at the cursor. ``size`` and ``weight`` are the surrounding text's."""
    for span in spans:
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


def _block_format(item: TextItem | RuleItem, top: int) -> QTextBlockFormat:
    size = _STYLE[item.style][0] if isinstance(item, TextItem) else fonts.META
    place = item.place
    form = line_format(fonts.line_height(size), top, place.level * TEXT_INDENT + place.quote * QUOTE_INDENT)
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
    form.setForeground(QBrush(theme.muted if span.image else theme.accent_text if span.link else theme.text))
    if span.link:
        form.setAnchor(True)
        form.setAnchorHref(span.link)
    return form
