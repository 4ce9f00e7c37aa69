"""Rendered Markdown: what a stream costs, and that nothing is ever loaded."""

import socket
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QUrl
from PySide6.QtGui import QGuiApplication, QTextDocument
from pytestqt.qtbot import QtBot

from deepchat_desktop.ui.blocks import highlight
from deepchat_desktop.ui.blocks.code_view import CodeView
from deepchat_desktop.ui.blocks.doc_build import SilentDocument
from deepchat_desktop.ui.blocks.doc_view import DocView
from deepchat_desktop.ui.blocks.markdown_view import MarkdownView
from deepchat_desktop.ui.blocks.plain_view import PlainView
from deepchat_desktop.ui.blocks.table_view import TableView
from deepchat_desktop.ui.theme import theme

GOLDEN = Path(__file__).parents[2] / "golden" / "markdown"


def view_of(qtbot: QtBot, text: str, *, open: bool = False) -> MarkdownView:
    view = MarkdownView()
    qtbot.addWidget(view)
    view.set_text(text, open=open)
    view.fit(600)
    return view


def plain(view: MarkdownView) -> str:
    return "\n".join(part.text_between(0, part.length()) for part in view.text_parts())


def test_a_stream_renders_only_its_open_piece(qtbot: QtBot) -> None:
    source = (GOLDEN / "answer.md").read_text(encoding="utf-8") * 3
    view = view_of(qtbot, "", open=True)
    pieces = costs = 0
    for end in range(0, len(source), 11):
        before = view.rendered
        view.set_text(source[:end], open=True)
        view.fit(600)
        pieces = max(pieces, len(view._pieces))
        costs = max(costs, view.rendered - before)
    assert pieces > 20
    assert costs <= 3, "a flush may read its open piece, the one it closed and the one it began"


def test_closed_pieces_keep_their_widgets(qtbot: QtBot) -> None:
    view = view_of(qtbot, "one\n\ntwo", open=True)
    first = view.text_parts()[0]
    view.set_text("one\n\ntwo and\n\nthree", open=True)
    view.set_text("one\n\ntwo and\n\nthree", open=False)
    assert view.text_parts()[0] is first
    assert plain(view) == "one\ntwo and\nthree"


def test_streamed_and_whole_are_the_same(qtbot: QtBot) -> None:
    for path in GOLDEN.glob("*.md"):
        source = path.read_text(encoding="utf-8")
        streamed = view_of(qtbot, "", open=True)
        for end in range(0, len(source), 5):
            streamed.set_text(source[:end], open=True)
        streamed.set_text(source)
        whole = view_of(qtbot, source)
        assert plain(streamed) == plain(whole), path.name
        assert [type(p) for p in streamed.text_parts()] == [type(p) for p in whole.text_parts()]


def test_a_long_open_code_block_is_coloured_in_linear_work(qtbot: QtBot) -> None:
    code = "x = 1  # comment\n" * 800
    view = CodeView()
    qtbot.addWidget(view)
    for end in range(0, len(code), 50):
        view.set_code(code[:end], "python", open=True)
    view.set_code(code, "python")
    assert view.coloured < 12 * len(code)
    assert view._lines == highlight.coloured_lines(code, "python")


def test_long_code_stays_plain_and_unknown_languages_too() -> None:
    long = "x = 1\n" * 5000
    assert highlight.coloured_lines(long, "python") == highlight.plain_lines(long)
    assert highlight.coloured_lines("x = 1", "no-such") == highlight.plain_lines("x = 1")
    coloured = highlight.coloured_lines("def f():\n    return 'x'", "py")
    assert ("def", "syn_keyword") in coloured[0]
    assert "".join(run[0] for line in coloured for run in line) == "def f():    return 'x'"


@pytest.mark.parametrize("open", [True, False])
def test_nothing_is_loaded(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, open: bool) -> None:
    reached: list[object] = []
    monkeypatch.setattr(socket.socket, "connect", lambda _self, address: reached.append(address))
    bait = tmp_path / "bait.png"
    bait.write_bytes(b"\x89PNG\r\n\x1a\n")
    source = (GOLDEN / "nasty.md").read_text(encoding="utf-8") + f"\n\n![bait]({bait}) ![bait](file://{bait})\n"
    view = view_of(qtbot, source, open=open)
    view.show()
    view.grab()
    documents = [part.document for part in view.text_parts() if isinstance(part, DocView)]
    assert documents
    assert [document.requested for document in documents] == [[]] * len(documents)
    assert reached == []
    assert "javascript:alert(1)" in plain(view)
    assert "<img src=" in plain(view)


def test_a_document_gives_nothing_when_asked(qtbot: QtBot, tmp_path: Path) -> None:
    document = SilentDocument()
    file = tmp_path / "x.png"
    file.write_bytes(b"data")
    kind = QTextDocument.ResourceType.ImageResource
    assert document.resource(kind.value, QUrl.fromLocalFile(str(file))) is None
    assert document.requested == [QUrl.fromLocalFile(str(file)).toString()]


def test_links_tell_target_and_words(qtbot: QtBot) -> None:
    view = view_of(qtbot, "[the *docs*](https://example.org/a) and more")
    part = view.text_parts()[0]
    assert part.link_at(QPoint(20, 12)) == ("https://example.org/a", "the docs")
    assert part.link_at(QPoint(560, 12)) is None


def test_a_wide_table_scrolls_and_a_narrow_one_fills(qtbot: QtBot) -> None:
    wide = "|" + "|".join("supercalifragilistic" for _ in range(12)) + "|\n" + "|---" * 12 + "|\n"
    view = view_of(qtbot, wide)
    table = view.text_parts()[0]
    assert isinstance(table, TableView)
    assert table.scrollable()
    table.scroll_to(10_000)
    assert table.offset == table.content_width - 600
    view = view_of(qtbot, "|a|b|\n|---|---|\n|1|2|")
    narrow = view.text_parts()[0]
    assert isinstance(narrow, TableView)
    assert not narrow.scrollable()
    assert narrow.text_between(0, narrow.length()) == "a\tb\n1\t2"


def test_lines_with_chinese_are_as_high_as_others(qtbot: QtBot) -> None:
    one = view_of(qtbot, "one line").height()
    assert view_of(qtbot, "一行中文").height() == one
    assert view_of(qtbot, "one line  \n一行中文  \n`code`").height() == 3 * one


def test_plain_text_grows_by_appending(qtbot: QtBot) -> None:
    view = PlainView()
    qtbot.addWidget(view)
    view.set_text("one\ntw")
    document = view.document
    view.set_text("one\ntwo\n<b>three</b>\u202e")
    assert view.document is document
    assert view.document.toPlainText() == "one\ntwo\n<b>three</b>‹U+202E›"


def test_a_theme_change_rebuilds_at_the_next_paint(qtbot: QtBot) -> None:
    view = view_of(qtbot, "text")
    part = view.text_parts()[0]
    assert isinstance(part, DocView)
    document = part.document
    theme.use("dark")
    try:
        assert part.document is document
        view.grab()
        assert part.document is not document
    finally:
        theme.use("light")


def test_copy_gives_the_code(qtbot: QtBot) -> None:
    view = view_of(qtbot, "```sh\nls -l\n```")
    code = view.text_parts()[0]
    assert isinstance(code, CodeView)
    code.copy()
    assert QGuiApplication.clipboard().text() == "ls -l"
