"""The painted blocks of an answer: what a stream costs, what is shown, and that nothing is ever loaded."""

import socket
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, QRectF, QUrl
from PySide6.QtGui import QImage, QTextDocument

from deepchat_desktop.domain.blocks import TextBlock
from deepchat_desktop.presenters.message_list_model import COSTLY_S, FLUSH_MS, pace
from deepchat_desktop.ui.blocks import highlight
from deepchat_desktop.ui.blocks.cell import Cell, Choices
from deepchat_desktop.ui.blocks.code_lines import CodeLines
from deepchat_desktop.ui.blocks.code_shape import CodeShape
from deepchat_desktop.ui.blocks.doc_build import SilentDocument
from deepchat_desktop.ui.blocks.doc_shape import DocShape
from deepchat_desktop.ui.blocks.line_block import LONG, LineBlock
from deepchat_desktop.ui.blocks.markdown_items import TextItem
from deepchat_desktop.ui.blocks.markdown_parse import parse
from deepchat_desktop.ui.blocks.markdown_rules import MOST_MARKS
from deepchat_desktop.ui.blocks.plain_shape import PlainShape
from deepchat_desktop.ui.blocks.scanner import LIMIT, scan
from deepchat_desktop.ui.blocks.stack_shape import StackShape
from deepchat_desktop.ui.blocks.table_shape import TableShape
from deepchat_desktop.ui.blocks.text_block import SLICE, SLICE_BLANKS, SLICE_LINES, MarkdownText, cells
from deepchat_desktop.ui.paint import painting

GOLDEN = Path(__file__).parents[2] / "golden" / "markdown"
pytestmark = pytest.mark.usefixtures("qapp")


class Text:
    """A text block as the list keeps it."""

    def __init__(self, text: str = "", *, open: bool = False) -> None:
        self.choices = Choices(0)
        self.cells: list[Cell] = []
        self.set(text, open=open)

    def set(self, text: str, *, open: bool = False) -> None:
        self.cells = cells(TextBlock(text=text, open=open), self.choices, self.cells)
        for cell in self.cells:
            cell.ensure(600)

    @property
    def text(self) -> MarkdownText:
        found = self.choices.memory["text"]
        assert isinstance(found, MarkdownText)
        return found

    def plain(self) -> str:
        return "\n".join(cell.shape.text_between(0, 1 << 30) for cell in self.cells if cell.shape is not None)


def test_a_stream_reads_only_its_open_part() -> None:
    source = (GOLDEN / "answer.md").read_text(encoding="utf-8") * 3
    text = Text("", open=True)
    costs = []
    for end in range(0, len(source), 11):
        before = text.text.read
        text.set(source[:end], open=True)
        costs.append(text.text.read - before)
    assert len(text.cells) > 20
    assert max(costs) <= 3, "a flush may read its open part, the one it closed and the one it began"


def test_a_growing_paragraph_changes_only_its_end() -> None:
    source = "One **bold** word, `code`, [a link](https://example.org) and *more* of it; " * 8
    text = Text("One", open=True)
    shape = text.cells[0].shape
    assert isinstance(shape, StackShape)
    (inner,) = shape.shapes
    assert isinstance(inner, DocShape)
    document = inner.document
    for end in range(4, len(source), 3):
        text.set(source[:end], open=True)
        fresh = Text(source[:end], open=True)
        assert inner.document is document, "it was built anew"
        assert text.plain() == fresh.plain()
        assert text.cells[0].height == fresh.cells[0].height


def test_closed_parts_keep_their_shapes() -> None:
    text = Text("one\n\ntwo", open=True)
    first = text.cells[0].shape
    text.set("one\n\ntwo and\n\nthree", open=True)
    text.set("one\n\ntwo and\n\nthree")
    assert text.cells[0].shape is first
    assert text.plain() == "one\ntwo and\nthree"


@pytest.mark.parametrize("name", sorted(path.stem for path in GOLDEN.glob("*.md")))
def test_streamed_and_whole_are_the_same(name: str) -> None:
    source = (GOLDEN / f"{name}.md").read_text(encoding="utf-8")
    streamed = Text("", open=True)
    for end in range(0, len(source), 5):
        streamed.set(source[:end], open=True)
    streamed.set(source)
    whole = Text(source)
    assert streamed.plain() == whole.plain()
    assert [cell.height for cell in streamed.cells] == [cell.height for cell in whole.cells]


@pytest.mark.parametrize(
    "row", ["A sentence of some words. ", "- an entry of the list\n", "1. an entry\n", "| 1 | 2 |\n", "> quoted\n"]
)
def test_an_endless_block_is_read_in_bounded_parts(row: str) -> None:
    head = "| a | b |\n|---|---|\n" if row.startswith("|") else ""
    text = Text("", open=True)
    source = head + row * (40_000 // len(row))
    most = 0
    for end in range(0, len(source), 400):
        scanned = text.text.scanner.scanned
        text.set(source[:end], open=True)
        most = max(most, text.text.scanner.scanned - scanned)
    assert most <= 3 * LIMIT
    text.set(source)
    assert len(text.cells) >= 8
    assert "".join(text.plain().split()).count("entry") == source.count("entry")
    if row.startswith("1."):
        assert last_marker(text) == f"{source.count('entry')}."


def last_marker(text: Text) -> str:
    shape = text.cells[-1].shape
    assert isinstance(shape, StackShape)
    (doc,) = shape.shapes
    assert isinstance(doc, DocShape)
    return doc.items[-1].place.marker


def test_an_open_table_gets_rows_without_being_built_again() -> None:
    text = Text("| a | b |\n|---|---|\n| 1 | 2 |\n", open=True)
    shape = text.cells[0].shape
    assert isinstance(shape, StackShape)
    (table,) = shape.shapes
    assert isinstance(table, TableShape)
    document = table.document
    text.set("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n", open=True)
    assert table.document is document
    assert table.text_between(0, 99) == "a\tb\n1\t2\n3\t4"


def test_open_code_is_lexed_from_its_last_line() -> None:
    code = "x = 1  # comment\n" * 800
    lines = CodeLines()
    most = 0
    for end in range(0, len(code), 50):
        lines.set_code(code[:end], "python", open=True)
        before = lines.lexed
        lines.colour(time.perf_counter() + 60)
        most = max(most, lines.lexed - before)
    assert most <= 50 + 2 * len("x = 1  # comment\n")
    lines.set_code(code, "python")
    lines.colour(time.perf_counter() + 60)
    whole = CodeLines()
    whole.set_code(code, "python")
    whole.colour(time.perf_counter() + 60)
    assert lines.tones == whole.tones


def test_colouring_stops_at_its_deadline_and_goes_on() -> None:
    lines = CodeLines()
    lines.set_code("def f():\n    return 'x'\n" * 200, "py")
    slices = 0
    while lines.colour(0.0):
        slices += 1
    assert slices > 20
    assert ("def", "syn_keyword") in (lines.tones[0] or ())
    assert "".join(run[0] for line in map(lines.runs, range(len(lines.lines))) for run in line) == lines.text().replace(
        "\n", ""
    )


def test_colouring_stops_below_what_can_be_seen_and_goes_on() -> None:
    line = "x = 'y'\n"
    lines = CodeLines()
    lines.set_code(line * 1_000, "python")
    assert lines.waits(0)
    assert lines.colour(time.perf_counter() + 60, 20)
    assert not lines.waits(20)
    assert lines.waits(21)
    assert lines.lexed <= 22 * len(line)
    assert not lines.colour(time.perf_counter() + 60)
    assert lines.lexed == lines.length()


def test_unknown_languages_stay_plain() -> None:
    lines = CodeLines()
    lines.set_code("x = 1", "no-such")
    assert lines.coloured
    assert not highlight.lexable("python", highlight.MAX_CHARS + 1)


def test_of_a_very_long_line_only_what_is_seen_is_painted() -> None:
    lines = CodeLines()
    lines.set_code("x" * (LONG * 100), "")
    block = LineBlock(lines)
    with painting(QImage(600, 40, QImage.Format.Format_ARGB32_Premultiplied)) as p:
        block.paint(p, QRectF(0, 0, 600, 40), 50_000.0, (0, 0))
    assert 0 < block.painted < 200


@pytest.mark.parametrize("open", [True, False])
def test_nothing_is_loaded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, open: bool) -> None:
    reached: list[object] = []
    monkeypatch.setattr(socket.socket, "connect", lambda _self, address: reached.append(address))
    bait = tmp_path / "bait.png"
    bait.write_bytes(b"\x89PNG\r\n\x1a\n")
    source = (GOLDEN / "nasty.md").read_text(encoding="utf-8") + f"\n\n![bait]({bait}) ![bait](file://{bait})\n"
    text = Text(source, open=open)
    stacks = [cell.shape for cell in text.cells if isinstance(cell.shape, StackShape)]
    documents = [inner.document for stack in stacks for inner in stack.shapes if isinstance(inner, DocShape)]
    assert documents
    assert [document.requested for document in documents] == [[]] * len(documents)
    assert reached == []
    assert "javascript:alert(1)" in text.plain()
    assert "<img src=" in text.plain()


def test_a_document_gives_nothing_when_asked(tmp_path: Path) -> None:
    document = SilentDocument()
    file = tmp_path / "x.png"
    file.write_bytes(b"data")
    kind = QTextDocument.ResourceType.ImageResource
    assert document.resource(kind.value, QUrl.fromLocalFile(str(file))) is None
    assert document.requested == [QUrl.fromLocalFile(str(file)).toString()]


def test_links_tell_target_and_words() -> None:
    shape = Text("[the *docs*](https://example.org/a) and more").cells[0].shape
    assert shape is not None
    assert shape.link_at(QPointF(20, 12)) == ("https://example.org/a", "the docs")
    assert shape.link_at(QPointF(560, 12)) is None


def test_a_wide_table_scrolls_and_a_narrow_one_fills() -> None:
    wide = Text("|" + "|".join("supercalifragilistic" for _ in range(12)) + "|\n" + "|---" * 12 + "|\n").cells[0].shape
    assert isinstance(wide, StackShape)
    (table,) = wide.shapes
    assert isinstance(table, TableShape)
    assert wide.slide(QPointF(5, 5), 10_000, 0)
    assert table.columns.slide.offset == table.columns.slide.content_width - 600
    narrow = Text("|a|b|\n|---|---|\n|1|2|").cells[0].shape
    assert narrow is not None
    assert not narrow.slide(QPointF(5, 5), 10, 0)
    assert narrow.text_between(0, 99) == "a\tb\n1\t2"


def test_lines_with_chinese_are_as_high_as_others() -> None:
    one = Text("one line").cells[0].height
    assert Text("一行中文").cells[0].height == one
    assert Text("one line  \n一行中文  \n`code`").cells[0].height == 3 * one


def test_plain_text_grows_by_appending() -> None:
    shape = PlainShape("one\ntw")
    document = shape.document
    shape.set_text("one\ntwo\n<b>three</b>\u202e")
    assert shape.document is document
    assert document.toPlainText() == "one\ntwo\n<b>three</b>‹U+202E›"


def test_code_wraps_and_collapses() -> None:
    code = CodeShape("x = 1\n" * 60 + "y" * 500, "python")
    code.fit(600)
    plain = code.height
    assert code.act("wrap")
    code.fit(600)
    assert code.height > plain
    assert code.act("collapse")
    code.fit(600)
    assert code.height < plain
    assert code.text_between(0, 5) == "x = 1"


def test_the_whole_is_read_once_more_where_the_scanner_saw_other_blocks() -> None:
    source = "- a\n\n\n  \n- b\n\ntext"
    text = Text(source)
    text.text.check()
    assert text.plain() == "\n".join(words.strip() for words in ("a", "b", "text"))
    assert not text.text.check(), "once is enough"
    assert parse(source)


@pytest.mark.parametrize(
    ("cost", "rest", "shown", "wanted"),
    [(0.001, 33, True, 16), (0.004, 33, True, FLUSH_MS), (COSTLY_S * 2, 33, True, 66), (COSTLY_S * 2, 66, True, 100),
     (0.0, 33, False, 100)],
)  # fmt: skip
def test_the_pace_follows_cost_and_sight(cost: float, rest: int, shown: bool, wanted: int) -> None:
    assert pace(cost, rest, shown=shown) == wanted


HUGE = {
    "one line": "x" * 3_000_000,
    "tiny paragraphs": "p\n\n" * 30_000,
    "list entries": "- item\n" * 60_000,
    "rows": "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 20_000,
    "an unclosed fence": "text\n\n```py\n" + "x = 1\n" * 40_000,
    "formulas": "$$\n" * 30_000,
    "definitions": "[^a]: x\n" * 20_000,
    "a heading at last": "line\n" * 30_000 + "===\n",
    "a lazy quote": "> a\n" + "lazy\n" * 30_000,
}


@pytest.mark.parametrize("name", HUGE)
def test_a_huge_text_is_cut_in_slices_and_nothing_is_lost(name: str) -> None:
    source = HUGE[name]
    choices = Choices(0)
    cells(TextBlock(text=source), choices, [])
    text: MarkdownText = choices.memory["text"]
    slices = [len(text.scanner.text)]
    while text.due():
        text.check()
        slices.append(len(text.scanner.text))
    cut = [source[a:b] for a, b in zip([0, *slices], slices, strict=False)]
    assert max(map(len, cut)) <= SLICE
    assert max(part.count("\n\n") for part in cut) <= SLICE_BLANKS + 1
    assert max(part.count("\n") for part in cut) <= SLICE_LINES
    assert "".join(cell.markdown_exact() for cell in text.cells) == source
    assert text.scanner.parts == scan(source)


@pytest.mark.parametrize(
    "source", ["[" * 50_000, "![" * 20_000, "**a" * 20_000, "`a ``b " * 9_000, "$$a " * 15_000, "[a](b) " * 9_000,
               "_a_" * 20_000, ">" * 200 + " x", "> " * 20_000 + "x", "<div>" * 20_000, "a\x00b" * 9_000, "a\ud800b"]
)  # fmt: skip
def test_no_paragraph_has_more_runs_than_can_be_drawn_at_once(source: str) -> None:
    text = Text(source)
    runs = [len(item.spans) for part in text.text.scanner.parts for item in text.text.items(part)
            if isinstance(item, TextItem)]  # fmt: skip
    assert 0 < max(runs) <= 2 * MOST_MARKS
    assert "".join(cell.markdown_exact() for cell in text.text.cells) == source
