"""Cards and marks in an answer: every state of a call, diffs, output, pictures, searches, summaries."""

from typing import get_args

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from deepchat_desktop.domain.blocks import (
    CompactionBlock,
    ImageBlock,
    SearchBlock,
    SearchSource,
    TextBlock,
    ToolCallBlock,
    ToolStatus,
)
from deepchat_desktop.domain.events import BlockSet
from deepchat_desktop.domain.messages import Message
from deepchat_desktop.presenters.message_list_model import MessageListModel
from deepchat_desktop.ui.blocks import diff_lines
from deepchat_desktop.ui.blocks.diff_shape import DiffShape
from deepchat_desktop.ui.blocks.tool_block import ToolShape
from deepchat_desktop.ui.blocks.well_shape import MAX_SHOWN, WellShape
from deepchat_desktop.ui.dialogs.text_window import TextWindow
from deepchat_desktop.ui.message_list.message_list import MessageList
from tests.ui.chat.conftest import make_message
from tests.ui.chat.test_message_list import cells_of, names, placed_of, press

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
DIFF = """--- a/retry.py
+++ b/retry.py
@@ -41,4 +41,4 @@ def send():
 for attempt in range(3):
-    await sleep(2 ** attempt)
-    return
+    await sleep(backoff(attempt))
 raise Lost()
"""


@pytest.fixture
def view(view: MessageList) -> MessageList:
    view.resize(900, 700)
    return view


def call(name: str = "exec", **facts: object) -> ToolCallBlock:
    given = {"call_id": "c", "name": name, "arguments": {"path": "a.py"}, "status": "success", **facts}
    return ToolCallBlock.model_validate(given)


def card(view: MessageList) -> ToolShape:
    shape = placed_of(view, 0)[0].cell.shape
    assert isinstance(shape, ToolShape)
    return shape


def test_every_state_is_told_by_an_icon_and_words(view: MessageList, model: MessageListModel) -> None:
    said = set()
    for status in get_args(ToolStatus):
        model.load([make_message("a", call(status=status, started_at=0, ended_at=1_500))])
        said.add(cells_of(view, 0)[0].name())
        assert card(view).turning == (status in ("streaming", "running"))
        view.grab()
    assert len(said) == len(get_args(ToolStatus))


def test_a_diff_has_numbers_and_signs(view: MessageList, model: MessageListModel, qtbot: QtBot) -> None:
    model.load([make_message("a", call("edit", diff=DIFF, result="Done."))])
    press(view, 0, "toggle")
    (diff, _arguments_or_result) = card(view).shapes
    assert isinstance(diff, DiffShape)
    assert [(line.sign, line.old, line.new) for line in diff.diff] == [
        ("@", None, None), (" ", 41, 41), ("-", 42, None), ("-", 43, None), ("+", None, 42), (" ", 44, 43),
    ]  # fmt: skip
    assert diff.text_between(0, diff.length()).split("\n")[1:] == [
        " for attempt in range(3):", "-    await sleep(2 ** attempt)", "-    return",
        "+    await sleep(backoff(attempt))", " raise Lost()",
    ]  # fmt: skip
    assert diff.text_between(diff.length() - 6, diff.length()) == "Lost()"
    qtbot.waitUntil(lambda: diff.lines.coloured)
    tones = [{tone for _, tone in diff.lines.runs(line)} for line in range(6)]
    assert tones[0] == {"syn_comment"}
    assert all("syn_keyword" in line for line in tones[1:])
    view.grab()


@pytest.mark.parametrize(
    ("name", "arguments", "counts"),
    [
        ("write", {"path": "n.py", "content": "one\ntwo\n"}, (2, 0)),
        ("edit", {"path": "n.py", "old_string": "one\ntwo", "new_string": "1"}, (1, 2)),
        ("edit", {"path": "n.py", "edits": [{"old_text": "a", "new_text": "b"}, {"old": "c", "new": ""}]}, (1, 2)),
        ("exec", {"command": "ls"}, (0, 0)),
    ],
)
def test_what_a_call_would_change_is_read_from_its_arguments(
    name: str, arguments: dict[str, object], counts: tuple[int, int]
) -> None:
    assert diff_lines.changed(diff_lines.lines_of(call(name, arguments=arguments))) == counts


def test_lines_of_code_that_look_like_heads_stay_lines() -> None:
    lines = list(diff_lines.unified("@@ -1,2 +1,2 @@\n--- a comment\n+++ more\n"))
    assert [(line.sign, line.text) for line in lines] == [
        ("@", "@@ -1,2 +1,2 @@"), ("-", "-- a comment"), ("+", "++ more"),
    ]  # fmt: skip


def test_live_output_shows_its_end_until_it_is_scrolled(view: MessageList, model: MessageListModel) -> None:
    def show(lines: int, status: str = "running") -> WellShape:
        block = call(status=status, result="\n".join(f"line {i}" for i in range(lines)))
        model.apply(BlockSet(session_id="s", message_id="a", index=0, block=block))
        model.flush()
        well = card(view).shapes[-1]
        assert isinstance(well, WellShape)
        return well

    model.load([make_message("a", call(status="running"), status="streaming")])
    press(view, 0, "toggle")
    assert show(100).at_end()
    well = show(200)
    assert well.at_end()
    assert well.offset > 0
    shape = card(view)
    at = QPointF(60, shape.places[-1][1] + 20)
    assert shape.slide(at, 0, -400)
    kept = well.offset
    assert show(300).offset == kept
    assert card(view).slide(at, 0, 1e6)
    assert show(400).at_end()
    assert show(400, "success").at_end()


def test_a_long_output_is_bounded_and_opens_in_a_window(view: MessageList, model: MessageListModel) -> None:
    result = "".join(f"line {i}\u202e\n" for i in range(20_000))
    assert len(result) > MAX_SHOWN
    model.load([make_message("a", call(result=result))])
    assert "open_text" not in names(view, 0)
    press(view, 0, "toggle")
    assert cells_of(view, 0)[0].height < 600
    press(view, 0, "open_text")
    (window,) = view.window().findChildren(TextWindow)
    shown = window.text.toPlainText()
    assert shown.startswith("line 0‹U+202E›\n")
    assert shown.endswith("line 19999‹U+202E›\n")
    assert window.text.isReadOnly()
    window.findChild(type(window._copy)).click()
    assert QGuiApplication.clipboard().text() == result
    window.close()


def test_pictures_of_a_result_stand_in_the_card(view: MessageList, model: MessageListModel) -> None:
    images = (ImageBlock(media_type="image/png", data=PNG), ImageBlock(media_type="image/svg+xml", data="PHN2Zz4="))
    model.load([make_message("a", call(result="two", images=images))])
    press(view, 0, "toggle")
    assert card(view).parts == ["arguments", "result", "picture", "picture"]
    view.grab()


def test_a_search_opens_to_its_sources(view: MessageList, model: MessageListModel) -> None:
    sources = (
        SearchSource(url="https://www.example.org/a?b=1", title="<b>Retry</b>\u202e-After", snippet="How long\n wait"),
        SearchSource(url="https://münchen.example/", title=""),
        SearchSource(url="javascript:alert(1)", title="Bad"),
    )
    model.load([make_message("a", SearchBlock(query="retry\u200bafter", sources=sources), TextBlock(text="x"))])
    cell = cells_of(view, 0)[0]
    assert cell.name() == "Search retry‹U+200B›after 3 sources"
    assert view.selection.bounds() is None
    press(view, 0, "toggle")
    shape = placed_of(view, 0)[0].cell.shape
    assert shape.text_between(0, shape.length()) == (
        "retry‹U+200B›after\n<b>Retry</b>‹U+202E›-After\nwww.example.org  ·  How long wait\n"
        "xn--mnchen-3ya.example\nBad"
    )
    top = shape.places[1][1] + 10
    assert shape.link_at(QPointF(30, top)) == ("https://www.example.org/a?b=1", "<b>Retry</b>‹U+202E›-After")
    assert shape.link_at(QPointF(30, shape.places[-1][1] + 10)) is None
    view.selection.select_all()
    assert view.selection.markdown().startswith("**Search** retry‹U+200B›after · 3 sources\n\n- [<b>Retry</b>")
    assert "javascript" not in view.selection.markdown()
    view.grab()


@pytest.mark.parametrize(
    ("block", "words"),
    [
        (SearchBlock(query="q", status="running"), "Search q Searching"),
        (SearchBlock(query="q"), "Search q Nothing found"),
        (SearchBlock(query="q", status="failed", why="no key"), "Search q Failed · no key"),
        (CompactionBlock(status="running"), "Summarising earlier turns…"),
        (CompactionBlock(turns=1), "An earlier turn was summarised"),
        (CompactionBlock(turns=14, tokens_before=9_000, tokens_after=800),
         "14 earlier turns were summarised · 9,000 → 800 tokens"),
        (CompactionBlock(status="failed", why="no answer"),
         "Earlier turns could not be summarised; all were sent · no answer"),
    ],
)  # fmt: skip
def test_searches_and_summaries_say_how_they_stand(
    view: MessageList, model: MessageListModel, block: SearchBlock | CompactionBlock, words: str
) -> None:
    model.load([make_message("a", block, TextBlock(text="x"))])
    assert cells_of(view, 0)[0].name() == words
    assert placed_of(view, 0)[0].cell.shape.turning == (block.status == "running")
    view.grab()


def test_a_summary_unfolds_as_markdown(view: MessageList, model: MessageListModel) -> None:
    summary = "## Goal\n\n- one\n- two"
    model.load([make_message("a", CompactionBlock(turns=14, summary=summary), TextBlock(text="answer"))])
    assert "toggle" in names(view, 0)
    press(view, 0, "toggle")
    texts = [placed.cell.shape.text_between(0, 99) for placed in placed_of(view, 0)]
    assert texts[1:] == ["Goal\none\ntwo", "answer", ""]
    press(view, 0, "toggle")
    assert len(placed_of(view, 0)) == 3


@pytest.mark.parametrize("part", ["query", "snippet", "summary", "content"])
def test_what_is_folded_is_found_and_opened(view: MessageList, model: MessageListModel, part: str) -> None:
    blocks = {
        "query": SearchBlock(query="needle", sources=(SearchSource(url="https://e.org", title="a", snippet="b"),)),
        "snippet": SearchBlock(query="q", sources=(SearchSource(url="https://e.org", title="a", snippet="my needle"),)),
        "summary": CompactionBlock(turns=2, summary="# Goal\n\nthe needle"),
        "content": call("write", arguments={"path": "n.py", "content": "one\nneedle\n"}),
    }
    model.load([make_message("a", TextBlock(text="before"), blocks[part])])
    height = view.layout_.entry(0).height
    assert view.find_all("needle") == 1
    assert view.layout_.entry(0).height > height
    view.grab()
    assert view.finding.drawn >= 1


def test_new_blocks_are_kept_as_they_are() -> None:
    blocks = (
        SearchBlock(query="q", sources=(SearchSource(url="u", title="t", snippet="s"),)),
        CompactionBlock(turns=3, summary="s", tokens_before=5, tokens_after=1),
        call(images=(ImageBlock(media_type="image/png", data=PNG),), diff=DIFF),
    )
    message = make_message("a", *blocks)
    assert Message.model_validate_json(message.model_dump_json()) == message
