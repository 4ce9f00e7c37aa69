"""The conversation list: following, keeping the place, lazy building, selection, actions."""

from collections.abc import Iterator

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
from deepchat_desktop.ui.blocks.error_block import ErrorView
from deepchat_desktop.ui.blocks.reasoning_block import ReasoningView
from deepchat_desktop.ui.blocks.text_block import TextBlockView
from deepchat_desktop.ui.blocks.tool_block import ToolCard
from deepchat_desktop.ui.chat.assistant_message import AssistantMessage
from deepchat_desktop.ui.chat.message_list import AT_ONCE, MessageList
from deepchat_desktop.ui.theme import theme
from tests.ui.chat.conftest import make_message

LONG = "\n\n".join(f"Paragraph {i} with some words in it." for i in range(30))


@pytest.fixture
def model(qtbot: QtBot) -> MessageListModel:
    return MessageListModel()


@pytest.fixture
def view(qtbot: QtBot, model: MessageListModel) -> Iterator[MessageList]:
    made = MessageList(model)
    qtbot.addWidget(made)
    made.resize(900, 600)
    made.show()
    qtbot.waitExposed(made)
    yield made
    made.hide()


def conversation(count: int) -> list[Message]:
    return [
        make_message(f"m{i}", TextBlock(text=LONG if i % 2 else f"question {i}"), role="assistant" if i % 2 else "user")
        for i in range(count)
    ]


def answer_of(view: MessageList, row: int) -> AssistantMessage:
    widget = view.column.widget_of(row)
    assert isinstance(widget, AssistantMessage)
    return widget


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


def test_a_long_conversation_opens_with_what_fills_the_view(
    view: MessageList, model: MessageListModel, qtbot: QtBot
) -> None:
    built = view.column.built
    model.load(conversation(300))
    assert view.column.built - built <= AT_ONCE
    bar = view.verticalScrollBar()
    assert bar.value() == bar.maximum() > 0
    wheel(view, 2)
    row, offset = view.column.row_at(bar.value())
    qtbot.waitUntil(lambda: view.column.first == 0, timeout=60_000)
    assert view.column.built - built == 300
    assert view.column.row_at(bar.value()) == (row, offset), "what is read must not move"


def test_growth_above_does_not_move_what_is_read(view: MessageList, model: MessageListModel, qtbot: QtBot) -> None:
    first = make_message("r", ReasoningBlock(text="a\nb\nc", started_at=0, ended_at=5000), TextBlock(text="x"))
    model.load([first, *conversation(6)])
    qtbot.waitUntil(lambda: view.column.first == 0)
    wheel(view, 1)
    place = view.column.row_at(view.verticalScrollBar().value())
    reasoning = answer_of(view, 0).view_of(0)
    assert isinstance(reasoning, ReasoningView)
    reasoning.head.click()
    assert view.column.row_at(view.verticalScrollBar().value()) == place


def test_a_flush_touches_one_message(view: MessageList, streaming: MessageListModel, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: view.column.first == 0)
    fitted = view.column.fitted
    text = answer_of(view, 4).view_of(0)
    assert isinstance(text, TextBlockView)
    rendered = text.markdown.rendered
    grow(streaming, " and more")
    assert view.column.fitted == fitted + 1
    assert text.markdown.rendered == rendered + 1


def test_a_narrower_window_keeps_the_place(view: MessageList, model: MessageListModel, qtbot: QtBot) -> None:
    model.load(conversation(20))
    qtbot.waitUntil(lambda: view.column.first == 0)
    wheel(view, 5)
    row, _ = view.column.row_at(view.verticalScrollBar().value())
    view.resize(500, 600)
    assert view.column.row_at(view.verticalScrollBar().value())[0] == row
    qtbot.waitUntil(lambda: not view.column._stale)
    assert view.column.row_at(view.verticalScrollBar().value())[0] == row
    assert {widget.width() for widget in view.column.rows} == {view.viewport().width() - 48}


def test_live_reasoning_folds_when_the_answer_starts(view: MessageList, model: MessageListModel) -> None:
    model.load([make_message("a", ReasoningBlock(text="Hm", open=True, started_at=1), status="streaming")])
    head = answer_of(view, 0).view_of(0)
    assert isinstance(head, ReasoningView)
    assert head.head.isChecked()
    done = ReasoningBlock(text="Hm", started_at=0, ended_at=12_000)
    model.apply(BlockSet(session_id="s", message_id="a", index=0, block=done))
    model.flush()
    assert not head.head.isChecked()
    assert head.head.text() == "Thought for 12 s"
    head.head.click()
    model.apply(BlockSet(session_id="s", message_id="a", index=0, block=done.model_copy(update={"ended_at": 13_000})))
    model.flush()
    assert head.head.isChecked(), "what the user chose stays"


def test_the_line_before_the_first_token(view: MessageList, model: MessageListModel) -> None:
    model.load([make_message("a", status="streaming")])
    answer = answer_of(view, 0)
    assert answer.note.isVisible()
    assert answer.note.accessibleName() == "Thinking…"
    model.apply(BlockSet(session_id="s", message_id="a", index=0, block=TextBlock(text="H", open=True)))
    assert not answer.note.isVisible()


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
    answer = answer_of(view, 0)
    assert answer.note.accessibleName() == words
    with qtbot.waitSignal(view.asked) as heard:
        answer.note._button.click()
    assert heard.args == ["continue"]


@pytest.mark.parametrize(
    ("code", "steps"),
    [("auth", ["settings", "retry"]), ("network", ["retry"]), ("truncated_stream", ["continue", "retry"])],
)
def test_an_error_offers_the_next_step(
    view: MessageList, model: MessageListModel, code: str, steps: list[str]
) -> None:
    model.load([make_message("a", ErrorBlock(code=code, message="It <b>failed</b>\u202e."), status="error")])
    error = answer_of(view, 0).view_of(0)
    assert isinstance(error, ErrorView)
    heard: list[str] = []
    view.asked.connect(heard.append)
    for button in error._buttons:
        button.click()
    assert heard == steps


def test_a_tool_card_shows_state_and_opens(view: MessageList, model: MessageListModel) -> None:
    call = ToolCallBlock(call_id="c", name="read", arguments={"path": "a\u202eb.py"}, status="success",
                         result="<b>text</b>", started_at=0, ended_at=100)  # fmt: skip
    model.load([make_message("a", call)])
    card = answer_of(view, 0).view_of(0)
    assert isinstance(card, ToolCard)
    assert card.head.accessibleName() == "read a‹U+202E›b.py Done · 0.1 s"
    closed = card.height()
    card.head.click()
    assert card.height() > closed
    assert [part.text_between(0, 99) for part in card.text_parts()] == ["path: a‹U+202E›b.py", "<b>text</b>"]
    card.head.click()
    assert card.height() == closed


def test_what_is_opened_at_the_end_stays_under_the_pointer(view: MessageList, model: MessageListModel) -> None:
    call = ToolCallBlock(call_id="c", name="read", arguments={"path": "b.py"}, status="success", result="x\n" * 40)
    model.load([*conversation(4), make_message("a", call)])
    card = answer_of(view, 4).view_of(0)
    assert isinstance(card, ToolCard)
    assert view.following
    before = card.head.mapToGlobal(QPoint(0, 0))
    card.head.click()
    assert card.head.mapToGlobal(QPoint(0, 0)) == before
    assert not view.following
    card.head.click()
    assert card.head.mapToGlobal(QPoint(0, 0)) == before
    assert view.following


def test_an_answer_that_is_only_an_error_has_no_footer(view: MessageList, model: MessageListModel) -> None:
    model.load([make_message("a", ErrorBlock(code="auth", message="no"), status="error")])
    assert not answer_of(view, 0).footer.isVisible()
    model.load([make_message("a", TextBlock(text="half"), ErrorBlock(code="network", message="cut"), status="error")])
    assert answer_of(view, 0).footer.isVisible()
    assert answer_of(view, 0).footer._copy.isVisible()
    model.load([make_message("a", ReasoningBlock(text="hm"), status="interrupted")])
    assert answer_of(view, 0).footer.isVisible()
    assert not answer_of(view, 0).footer._copy.isVisible()


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
    answer = answer_of(view, 0)
    heights = [part.height() if part is not None else 0 for part in map(answer.view_of, range(5))]
    assert heights == [68, 1, 36, 36, 0]
    view.grab()


def test_the_footer_tells_what_is_known(view: MessageList, model: MessageListModel) -> None:
    meta = MessageMeta(model="m", duration_ms=14_200, tokens_per_second=71.2)
    model.load([make_message("a", TextBlock(text="x"), status="streaming")])
    done = make_message("a", TextBlock(text="x"), status="done", meta=meta, usage=Usage(output=3412))
    model.apply(MessageFinished(session_id="s", message=done))
    footer = answer_of(view, 0).footer
    assert footer.isVisible()
    assert footer.facts() == "m  ·  3,412 tokens  ·  14.2 s  ·  71 tok/s"


def test_copy_gives_markdown_and_retry_is_for_the_last(view: MessageList, model: MessageListModel) -> None:
    model.load([
        make_message("a", TextBlock(text="**one**")),
        make_message("u", TextBlock(text="q"), role="user"),
        make_message("b", TextBlock(text="**bold** `x`")),
    ])  # fmt: skip
    answer_of(view, 2).footer.copy.emit()
    assert QGuiApplication.clipboard().text() == "**bold** `x`"
    assert answer_of(view, 2).footer._retry.isVisible()
    assert not answer_of(view, 0).footer._retry.isVisible()
    heard: list[str] = []
    view.asked.connect(heard.append)
    answer_of(view, 2).footer._retry.click()
    assert heard == ["retry"]


def test_a_selection_runs_over_messages(view: MessageList, model: MessageListModel) -> None:
    model.load([
        make_message("u", TextBlock(text="question"), role="user"),
        make_message("a", TextBlock(text="first\n\n```\ncode\n```\n\nlast")),
    ])  # fmt: skip
    view.selection.select_all()
    view.selection.copy()
    assert QGuiApplication.clipboard().text() == "question\nfirst\ncode\nlast"
    parts = view.column.text_parts()
    start = parts[1].mapTo(view.column, QPoint(0, 10))
    end = parts[3].mapTo(view.column, QPoint(500, 10))
    QTest.mousePress(view.column, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(view.column, end)
    QTest.mouseRelease(view.column, Qt.MouseButton.LeftButton, pos=end)
    assert view.selection.text() == "first\ncode\nlast"
    view.selection.clear()
    assert view.selection.text() == ""


def test_a_click_on_a_link_is_told(view: MessageList, model: MessageListModel) -> None:
    model.load([make_message("a", TextBlock(text="[words](https://example.org/)"))])
    heard: list[tuple[str, str]] = []
    view.link_clicked.connect(lambda url, words: heard.append((url, words)))
    at = view.column.text_parts()[0].mapTo(view.column, QPoint(10, 12))
    QTest.mouseClick(view.column, Qt.MouseButton.LeftButton, pos=at)
    assert heard == [("https://example.org/", "words")]


def test_messages_have_names_for_a_screen_reader(view: MessageList, model: MessageListModel) -> None:
    model.load([make_message("u", TextBlock(text="q"), role="user"), make_message("a", TextBlock(text="answer"))])
    assert [row.accessibleName() for row in view.column.rows] == ["You: q", "Answer: answer"]


def test_only_the_last_answer_can_be_continued_or_retried(view: MessageList, model: MessageListModel) -> None:
    failed = ErrorBlock(code="network", message="lost", retryable=True)
    model.load([make_message("a", TextBlock(text="half"), failed, status="interrupted")])
    answer, error = answer_of(view, 0), answer_of(view, 0).view_of(1)
    assert isinstance(error, ErrorView)
    assert answer.note._button.isVisible()
    assert error._buttons[0].isVisible()
    high = error.height()
    model.apply(MessageAdded(session_id="s", message=make_message("u", TextBlock(text="q"), role="user")))
    assert not answer.note._button.isVisible()
    assert not error._buttons[0].isVisible()
    assert error.height() < high


def test_a_text_size_change_builds_anew(view: MessageList, model: MessageListModel) -> None:
    model.load([make_message("a", TextBlock(text="one\n\ntwo"))])
    high = answer_of(view, 0).height()
    fonts.set_text_size(18)
    theme.refresh()
    try:
        assert answer_of(view, 0).height() > high
    finally:
        fonts.set_text_size(fonts.BODY)
        theme.refresh()
