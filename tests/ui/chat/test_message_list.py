"""The conversation list: following, keeping the place, lazy building, selection, actions."""


import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from deepchat_desktop.domain.blocks import (
    ErrorBlock,
    ImageBlock,
    PermissionBlock,
    PlanBlock,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
)
from deepchat_desktop.domain.events import BlockSet, BlockText, MessageAdded, MessageFinished
from deepchat_desktop.domain.messages import Message, MessageMeta
from deepchat_desktop.domain.usage import Usage
from deepchat_desktop.presenters.message_list_model import MessageListModel
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks.cell import Cell
from deepchat_desktop.ui.blocks.text_block import TextCell
from deepchat_desktop.ui.message_list.layout import Placed
from deepchat_desktop.ui.message_list.message_list import MessageList
from deepchat_desktop.ui.message_list.tail_cells import FooterCell, NoteCell
from deepchat_desktop.ui.theme import theme
from tests.ui.chat.conftest import make_message

LONG = "\n\n".join(f"Paragraph {i} with some words in it." for i in range(30))


def conversation(count: int) -> list[Message]:
    return [
        make_message(f"m{i}", TextBlock(text=LONG if i % 2 else f"question {i}"), role="assistant" if i % 2 else "user")
        for i in range(count)
    ]


def cells_of(view: MessageList, row: int) -> list[Cell]:
    return view.layout_.entry(row).cells


def text_of_row(view: MessageList, row: int) -> TextCell:
    return next(cell for cell in cells_of(view, row) if isinstance(cell, TextCell))


def names(view: MessageList, row: int) -> list[str]:
    """What can be pressed in a message."""
    return [spot.action for placed in placed_of(view, row) for spot in placed.cell.shape.spots()]


def placed_of(view: MessageList, row: int) -> list[Placed]:
    return [placed for placed in view.layout_.placed if placed.row == row]


def spot_point(view: MessageList, row: int, action: str) -> QPoint:
    for placed in placed_of(view, row):
        for spot in placed.cell.shape.spots():
            if spot.action == action:
                at = spot.area.center()
                return QPoint(round(at.x()) + view.column().left(), round(at.y()) + placed.y)
    raise AssertionError(f"no {action} in message {row}")


def press(view: MessageList, row: int, action: str) -> None:
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot_point(view, row, action))


def note_of(view: MessageList, row: int) -> str:
    return next((cell.words for cell in cells_of(view, row) if isinstance(cell, NoteCell)), "")


def place(view: MessageList) -> tuple[int, int, int]:
    """The block at the top of the view and how far it is cut."""
    anchor = view.layout_.anchor
    return anchor.row, anchor.cell, anchor.px


def wheel(view: MessageList, notches: int) -> None:
    at = QPointF(400, 300)
    event = QWheelEvent(at, view.viewport().mapToGlobal(at), QPoint(), QPoint(0, 120 * notches),
                        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
                        Qt.ScrollPhase.NoScrollPhase, False)  # fmt: skip
    QApplication.sendEvent(view.viewport(), event)


def grow(model: MessageListModel, text: str) -> None:
    model.apply(BlockText(session_id="s", message_id="a", index=0, text=text))
    model.flush()


@pytest.fixture
def streaming(model: MessageListModel, view: MessageList) -> MessageListModel:
    model.load([*conversation(4), make_message("a", TextBlock(text=LONG, open=True), status="streaming")])
    return model


def test_it_follows_new_text_at_the_end(view: MessageList, streaming: MessageListModel) -> None:
    bar = view.verticalScrollBar()
    before = bar.maximum()
    assert bar.value() == before
    grow(streaming, "\n\nmore\n\nand more")
    assert bar.maximum() > before
    assert bar.value() == bar.maximum()


def test_an_upward_scroll_lets_go_at_once_and_the_pill_leads_back(
    view: MessageList, streaming: MessageListModel
) -> None:
    bar = view.verticalScrollBar()
    wheel(view, 1)
    here = bar.value()
    assert not view.following
    assert here < bar.maximum()
    grow(streaming, "\n\nmore\n\nand more")
    assert bar.value() == here
    assert view._pill.isVisible()
    view._pill.click()
    assert view.following
    assert bar.value() == bar.maximum()
    assert not view._pill.isVisible()


def test_scrolling_down_to_the_end_follows_again(view: MessageList, streaming: MessageListModel) -> None:
    wheel(view, 1)
    wheel(view, -5)
    assert view.following
    grow(streaming, "\n\nmore")
    assert view.verticalScrollBar().value() == view.verticalScrollBar().maximum()


def test_an_own_message_goes_to_the_end(view: MessageList, streaming: MessageListModel) -> None:
    wheel(view, 3)
    streaming.apply(MessageAdded(session_id="s", message=make_message("u", TextBlock(text="next"), role="user")))
    assert view.following


def test_a_long_conversation_opens_with_what_fills_the_view(view: MessageList, model: MessageListModel) -> None:
    built = view.layout_.built
    model.load(conversation(3000))
    assert view.layout_.built - built < 40
    assert sum(entry is not None for entry in view.layout_.entries) < 10
    assert view.verticalScrollBar().value() == view.verticalScrollBar().maximum() > 0


def test_what_is_read_stays_where_heights_above_turn_out_other(view: MessageList, model: MessageListModel) -> None:
    model.load(conversation(300))
    view.scroll_to_message(101)
    wheel(view, -1)
    top = placed_of(view, 101)[-1]
    for row in range(60, 101):
        for index in range(len(cells_of(view, row))):
            view.layout_.cell(row, index)
    view.settle()
    assert placed_of(view, 101)[-1] == top


def test_growth_above_does_not_move_what_is_read(view: MessageList, streaming: MessageListModel) -> None:
    view.scroll_to_message(3)
    wheel(view, -1)
    here = place(view)
    streaming.apply(BlockSet(session_id="s", message_id="m1", index=0, block=TextBlock(text=LONG * 3)))
    streaming.flush()
    assert place(view) == here


def test_a_flush_reads_one_part(view: MessageList, streaming: MessageListModel) -> None:
    text = text_of_row(view, 4).text
    read, built = text.read, view.layout_.built
    grow(streaming, " and more")
    assert text.read <= read + 1
    assert view.layout_.built <= built + 2


def test_a_narrower_window_keeps_the_place(view: MessageList, model: MessageListModel) -> None:
    model.load(conversation(20))
    wheel(view, 5)
    row, cell, _ = place(view)
    view.resize(500, 600)
    assert place(view)[:2] == (row, cell)
    assert {placed.cell.shape.width for placed in view.layout_.placed} == {view.viewport().width() - 48}


def test_live_reasoning_folds_when_the_answer_starts(view: MessageList, model: MessageListModel) -> None:
    model.load([make_message("a", ReasoningBlock(text="Hm", open=True, started_at=1), status="streaming")])
    assert len(cells_of(view, 0)) == 2
    done = ReasoningBlock(text="Hm", started_at=0, ended_at=12_000)
    model.apply(BlockSet(session_id="s", message_id="a", index=0, block=done))
    model.flush()
    assert cells_of(view, 0)[0].name() == "Thought for 12 s"
    assert "Hm" not in [cell.name() for cell in cells_of(view, 0)]
    press(view, 0, "toggle")
    model.apply(BlockSet(session_id="s", message_id="a", index=0, block=done.model_copy(update={"ended_at": 13_000})))
    model.flush()
    assert "Hm" in [cell.name() for cell in cells_of(view, 0)], "what the user chose stays"


def test_the_line_before_the_first_token(view: MessageList, model: MessageListModel) -> None:
    model.load([make_message("a", status="streaming")])
    assert note_of(view, 0) == "Thinking…"
    model.apply(BlockSet(session_id="s", message_id="a", index=0, block=TextBlock(text="H", open=True)))
    assert note_of(view, 0) == ""


@pytest.mark.parametrize(
    ("status", "reason", "words"),
    [
        ("interrupted", "user_stop", "You stopped this answer."),
        ("interrupted", "crash", "This answer was interrupted."),
        ("done", "max_tokens", "The answer reached the output limit."),
        ("done", "max_tool_calls", "The answer reached the limit of tool calls."),
    ],
)
def test_an_unfinished_answer_offers_to_continue(
    view: MessageList, model: MessageListModel, qtbot: QtBot, status: str, reason: str, words: str
) -> None:
    model.load([make_message("a", TextBlock(text="half"), status=status, stop_reason=reason)])
    assert note_of(view, 0) == words
    with qtbot.waitSignal(view.asked) as heard:
        press(view, 0, "continue")
    assert heard.args == ["continue"]


@pytest.mark.parametrize(
    ("code", "steps"),
    [
        ("auth", ["settings", "retry", "diagnostics"]),
        ("network", ["retry", "diagnostics"]),
        ("truncated_stream", ["continue", "retry", "diagnostics"]),
        ("local_model", ["settings", "retry"]),
    ],
)
def test_an_error_offers_the_next_step(
    view: MessageList, model: MessageListModel, code: str, steps: list[str]
) -> None:
    model.load([make_message("a", ErrorBlock(code=code, message="It <b>failed</b>\u202e."), status="error")])
    heard: list[str] = []
    view.asked.connect(heard.append)
    for step in steps:
        press(view, 0, step)
    assert heard == steps
    assert names(view, 0) == steps
    assert cells_of(view, 0)[0].shape.text_between(0, 99) == "It <b>failed</b>‹U+202E›."


def test_a_tool_card_shows_state_and_opens(view: MessageList, model: MessageListModel) -> None:
    call = ToolCallBlock(call_id="c", name="read", arguments={"path": "a\u202eb.py"}, status="success",
                         result="<b>text</b>", started_at=0, ended_at=100)  # fmt: skip
    model.load([make_message("a", call)])
    assert cells_of(view, 0)[0].name() == "read a‹U+202E›b.py Done · 0.1 s"
    closed = cells_of(view, 0)[0].height
    press(view, 0, "toggle")
    shape = cells_of(view, 0)[0].shape
    assert cells_of(view, 0)[0].height > closed
    assert shape.text_between(0, shape.length()) == "path: a‹U+202E›b.py\n<b>text</b>"
    press(view, 0, "toggle")
    assert cells_of(view, 0)[0].height == closed


def test_what_is_opened_at_the_end_stays_under_the_pointer(view: MessageList, model: MessageListModel) -> None:
    call = ToolCallBlock(call_id="c", name="read", arguments={"path": "b.py"}, status="success", result="x\n" * 40)
    model.load([*conversation(4), make_message("a", call)])
    assert view.following
    before = spot_point(view, 4, "toggle")
    press(view, 4, "toggle")
    assert spot_point(view, 4, "toggle") == before
    assert not view.following
    press(view, 4, "toggle")
    assert spot_point(view, 4, "toggle") == before
    assert view.following


def test_an_answer_that_is_only_an_error_has_no_footer(view: MessageList, model: MessageListModel) -> None:
    model.load([make_message("a", ErrorBlock(code="auth", message="no"), status="error")])
    assert not any(isinstance(cell, FooterCell) for cell in cells_of(view, 0))
    model.load([make_message("a", TextBlock(text="half"), ErrorBlock(code="network", message="cut"), status="error")])
    assert "copy" in names(view, 0)
    model.load([make_message("a", ReasoningBlock(text="hm"), status="interrupted")])
    assert any(isinstance(cell, FooterCell) for cell in cells_of(view, 0))
    assert "copy" not in names(view, 0)


def test_every_kind_of_block_is_shown_or_left_out(view: MessageList, model: MessageListModel) -> None:
    png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    model.load([
        make_message(
            "a", PlanBlock(steps=(("completed", "one"), ("pending", "two"))),
            ImageBlock(media_type="image/png", data=png),
            ImageBlock(media_type="image/svg+xml", data="PHN2Zz4="), ImageBlock(media_type="image/png", data="!"),
            PermissionBlock(interaction_id="i", call_id="c", tool="write", level="write", summary="x"),
        )
    ])  # fmt: skip
    assert [placed.cell.shape.height for placed in view.layout_.placed] == [68, 1, 36, 36, 28, 28]
    view.grab()


def test_the_footer_tells_what_is_known(view: MessageList, model: MessageListModel) -> None:
    meta = MessageMeta(model="m", duration_ms=14_200, tokens_per_second=71.2)
    model.load([make_message("a", TextBlock(text="x"), status="streaming")])
    done = make_message("a", TextBlock(text="x"), status="done", meta=meta, usage=Usage(output=3412))
    model.apply(MessageFinished(session_id="s", message=done))
    footer = cells_of(view, 0)[-1]
    assert isinstance(footer, FooterCell)
    assert footer.facts == "m  ·  3,412 tokens  ·  14.2 s  ·  71 tok/s"


def test_copy_gives_markdown_and_retry_is_for_the_last(view: MessageList, model: MessageListModel) -> None:
    model.load([
        make_message("a", TextBlock(text="**one**")),
        make_message("u", TextBlock(text="q"), role="user"),
        make_message("b", TextBlock(text="**bold** `x`")),
    ])  # fmt: skip
    press(view, 2, "copy")
    assert QGuiApplication.clipboard().text() == "**bold** `x`"
    assert names(view, 2) == ["copy", "retry"]
    assert names(view, 0) == ["copy"]
    heard: list[str] = []
    view.asked.connect(heard.append)
    press(view, 2, "retry")
    assert heard == ["retry"]


def test_a_selection_runs_over_messages(view: MessageList, model: MessageListModel) -> None:
    model.load([
        make_message("u", TextBlock(text="question"), role="user"),
        make_message("a", TextBlock(text="**first**\n\n```py\ncode\n```\n\nlast `one`")),
    ])  # fmt: skip
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    data = QGuiApplication.clipboard().mimeData()
    assert bytes(data.data("text/markdown").data()).decode() == (
        "question\n\n**first**\n\n```py\ncode\n```\n\nlast `one`"
    )
    assert data.text() == "question\nfirst\ncode\nlast one"
    assert data.html() == "<p>question</p><p><strong>first</strong></p><pre>code</pre><p>last <code>one</code></p>"
    view.selection.clear()
    parts = placed_of(view, 1)
    left = view.column().left()
    start, end = QPoint(left + 1, parts[0].y + 10), QPoint(left + 600, parts[2].y + 10)
    QTest.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(view.viewport(), end)
    QTest.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=end)
    assert view.selection.plain() == "first\ncode\nlast one"
    assert view.selection.markdown() == "**first**\n\n```py\ncode\n```\n\nlast `one`"
    view.grab()
    view.selection.clear()
    assert view.selection.markdown() == ""


def test_a_click_on_a_link_is_told(view: MessageList, model: MessageListModel) -> None:
    model.load([make_message("a", TextBlock(text="[words](https://example.org/)"))])
    heard: list[tuple[str, str]] = []
    view.link_clicked.connect(lambda url, words: heard.append((url, words)))
    at = QPoint(view.column().left() + 10, placed_of(view, 0)[0].y + 12)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert heard == [("https://example.org/", "words")]


def test_only_the_last_answer_can_be_continued_or_retried(view: MessageList, model: MessageListModel) -> None:
    failed = ErrorBlock(code="network", message="lost", retryable=True)
    model.load([make_message("a", TextBlock(text="half"), failed, status="interrupted")])
    assert names(view, 0) == ["retry", "diagnostics", "continue", "copy", "retry"]
    high = cells_of(view, 0)[1].height
    model.apply(MessageAdded(session_id="s", message=make_message("u", TextBlock(text="q"), role="user")))
    assert names(view, 0) == ["copy"]
    assert cells_of(view, 0)[1].height < high


def test_a_text_size_change_builds_anew(view: MessageList, model: MessageListModel) -> None:
    model.load([make_message("a", TextBlock(text="one\n\ntwo"))])
    high = view.layout_.entry(0).height
    fonts.set_text_size(18)
    theme.refresh()
    try:
        assert view.layout_.entry(0).height > high
    finally:
        fonts.set_text_size(fonts.BODY)
        theme.refresh()
