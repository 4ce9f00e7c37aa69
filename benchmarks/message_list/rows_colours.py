"""Colours for the rival's code: the same Pygments lexers and the same colours as the product's own."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtGui import QTextBlock, QTextCharFormat, QTextDocument, QTextFormat, QTextLayout

from deepchat_desktop.ui.theme import theme

if TYPE_CHECKING:
    from pygments.lexer import Lexer

MAX_CHARS = 20_000
"""Longer code stays plain, as it does in the product."""
TONES = (
    ("Comment", "syn_comment"), ("Keyword", "syn_keyword"), ("Operator.Word", "syn_keyword"),
    ("Operator", "syn_operator"), ("Name.Function", "syn_function"), ("Name.Decorator", "syn_function"),
    ("Name.Tag", "syn_keyword"), ("Name.Attribute", "syn_function"), ("Name.Builtin", "syn_number"),
    ("Name.Class", "syn_number"), ("Literal.String", "syn_string"), ("Literal.Number", "syn_number"),
)  # fmt: skip


@lru_cache(maxsize=64)
def _lexer(name: str) -> Lexer | None:
    from pygments.lexers import LEXERS, find_lexer_class

    proper = next((proper for _, proper, aliases, _, _ in LEXERS.values() if name in aliases), None)
    found = find_lexer_class(proper) if proper else None
    return found(stripnl=False, ensurenl=False) if found else None


@lru_cache(maxsize=256)
def _format(token: object) -> QTextCharFormat | None:
    name = str(token).removeprefix("Token.")
    tone = next((tone for kind, tone in TONES if name == kind or name.startswith(kind + ".")), None)
    if tone is None:
        return None
    made = QTextCharFormat()
    made.setForeground(getattr(theme, tone))
    return made


def colour_code(document: QTextDocument) -> None:
    """Colour every code block of a document; the text stays as it is."""
    block, run, language = document.begin(), list[QTextBlock](), ""
    while block.isValid():
        here = str(block.blockFormat().property(QTextFormat.Property.BlockCodeLanguage) or "")
        if run and here != language:
            _colour(document, run, language)
            run = []
        language = here
        if here:
            run.append(block)
        block = block.next()
    if run:
        _colour(document, run, language)


def _colour(document: QTextDocument, blocks: list[QTextBlock], language: str) -> None:
    if (ranges := _ranges("\n".join(block.text() for block in blocks), language)) is None:
        return
    for block, found in zip(blocks, ranges, strict=False):
        block.layout().setFormats(found)
    start, last = blocks[0].position(), blocks[-1]
    document.markContentsDirty(start, last.position() + last.length() - 1 - start)


@lru_cache(maxsize=256)
def _ranges(text: str, language: str) -> list[list[QTextLayout.FormatRange]] | None:
    """Return the formats of each line; kept, so that while an answer grows only the code that grows is read again."""
    if len(text) > MAX_CHARS or (lexer := _lexer(language)) is None:
        return None
    ranges: list[list[QTextLayout.FormatRange]] = [[]]
    column = 0
    for _, token, value in lexer.get_tokens_unprocessed(text):
        form = _format(token)
        for number, piece in enumerate(value.split("\n")):
            if number:
                ranges.append([])
                column = 0
            if form is not None and piece:
                ranges[-1].append(_range(column, len(piece), form))
            column += len(piece)
    return ranges


def _range(start: int, length: int, form: QTextCharFormat) -> QTextLayout.FormatRange:
    made = QTextLayout.FormatRange()
    made.start, made.length, made.format = start, length, form
    return made
