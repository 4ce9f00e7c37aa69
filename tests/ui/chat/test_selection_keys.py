"""Selecting by keyboard and mouse: characters, words, lines, pages; clusters stay whole; right to left; drag out."""


import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from deepchat_desktop.domain.blocks import ReasoningBlock, TextBlock, ToolCallBlock
from deepchat_desktop.presenters.message_list_model import MessageListModel
from deepchat_desktop.ui.controls import Menu
from deepchat_desktop.ui.message_list import drag_out
from deepchat_desktop.ui.message_list.message_list import MessageList
from deepchat_desktop.ui.message_list.selection import RICH_LIMIT, Place
from tests.ui.chat.conftest import make_message
from tests.ui.chat.test_message_list import conversation, placed_of

Key, Mod = Qt.Key, Qt.KeyboardModifier
SHIFT, WORDS = Mod.ShiftModifier, Mod.ShiftModifier | Mod.ControlModifier
FAMILY, FLAG, ACCENT = "👩‍👩‍👧", "🇵🇹", "e\u0301"


@pytest.fixture
def view(view: MessageList) -> MessageList:
    view.activateWindow()
    view.setFocus()
    return view


def show(view: MessageList, model: MessageListModel, *texts: str) -> None:
    model.load([make_message(f"m{i}", TextBlock(text=text)) for i, text in enumerate(texts)])
    view.scroll_to_message(0)


def keys(view: MessageList, key: Qt.Key, modifier: Qt.KeyboardModifier = SHIFT, times: int = 1) -> str:
    for _ in range(times):
        QTest.keyClick(view, key, modifier)
    return view.selection.plain()


def test_characters_words_and_lines(view: MessageList, model: MessageListModel) -> None:
    show(view, model, "one two **three**\n\nfour")
    assert keys(view, Key.Key_Right) == "o"
    assert keys(view, Key.Key_Right, times=2) == "one"
    assert keys(view, Key.Key_Right, WORDS) == "one "
    assert keys(view, Key.Key_Right, WORDS) == "one two "
    assert keys(view, Key.Key_End) == "one two three"
    assert view.selection.markdown() == "one two **three**"
    assert keys(view, Key.Key_Left) == "one two thre"
    assert view.selection.markdown() == "one two **thre**"
    assert keys(view, Key.Key_Home) == ""
    assert keys(view, Key.Key_Down) == "one two three"
    assert keys(view, Key.Key_Right) == "one two three\nf"
    assert keys(view, Key.Key_Left, times=2) == "one two three"
    assert keys(view, Key.Key_Escape, Mod.NoModifier) == ""
    assert view.caret.rect() is None


def test_the_caret_is_seen_where_it_stands(view: MessageList, model: MessageListModel) -> None:
    show(view, model, "one two")
    assert view.caret.rect() is None
    keys(view, Key.Key_Right)
    first = view.caret.rect()
    keys(view, Key.Key_Right)
    second = view.caret.rect()
    assert first is not None
    assert second is not None
    assert second.x() > first.x() > view.column().left()
    view.grab()


@pytest.mark.parametrize("before", ["", "abc ", "`code` ", "中文 "])
@pytest.mark.parametrize("cluster", [FAMILY, FLAG, ACCENT, "👍🏽", "नि"])
@pytest.mark.parametrize("fence", [False, True])
def test_a_cluster_is_never_split(
    view: MessageList, model: MessageListModel, cluster: str, before: str, fence: bool
) -> None:
    words = before.replace("`", "") if fence else before
    show(view, model, f"```\n{words}{cluster}x\n```" if fence else f"{words}{cluster}x")
    keys(view, Key.Key_Right, times=len(words.replace("`", "")) + 1)
    assert view.selection.plain() == words.replace("`", "") + cluster
    assert keys(view, Key.Key_Right) == words.replace("`", "") + cluster + "x"
    keys(view, Key.Key_Left, times=2)
    assert view.selection.plain() == words.replace("`", "")
    if not fence:
        keys(view, Key.Key_Right)
        assert view.selection.markdown() == words + cluster


def test_a_point_never_lies_within_a_cluster(view: MessageList, model: MessageListModel) -> None:
    show(view, model, f"```\n{FAMILY * 3}\n```", FAMILY * 3)
    for row in (0, 1):
        (placed, *_) = placed_of(view, row)
        ends = {view.pointer.place_at(QPoint(view.column().left() + x, placed.y + (60 if row == 0 else 12)).toPointF())
                for x in range(0, 120, 2)}  # fmt: skip
        words = {placed.cell.shape.text_between(0, end.position) for end in ends if end is not None}
        assert words <= {FAMILY * n for n in range(4)}
        assert len(words) > 1


def test_right_to_left_goes_as_it_is_seen(view: MessageList, model: MessageListModel) -> None:
    show(view, model, "שלום עולם\n\nnext")
    keys(view, Key.Key_Left, times=4)
    assert view.selection.plain() == "שלום"
    keys(view, Key.Key_Right)
    assert view.selection.plain() == "שלו"
    keys(view, Key.Key_End)
    assert view.selection.plain() == "שלום עולם"
    keys(view, Key.Key_Left)
    assert view.selection.head == Place(0, 1, 0)


def test_over_messages_pages_and_to_the_ends(view: MessageList, model: MessageListModel) -> None:
    model.load(conversation(20))
    view.scroll_to_message(4)
    top = view.layout_.top()
    keys(view, Key.Key_PageDown)
    assert view.layout_.top() > top
    assert view.selection.bounds() is not None
    keys(view, Key.Key_End, WORDS)
    end = view.selection.bounds()
    assert end is not None
    assert end[1].row == 19
    assert view.caret.rect() is not None
    keys(view, Key.Key_Home, WORDS)
    assert view.layout_.top() == 0
    assert view.selection.bounds() == (Place(0, 0, 0), end[0])


def test_up_and_down_keep_the_column(view: MessageList, model: MessageListModel) -> None:
    show(view, model, "a long first line\n\nab\n\na long last line")
    keys(view, Key.Key_Right, times=10)
    keys(view, Key.Key_Down, times=2)
    assert view.selection.head is not None
    assert view.selection.head[:2] == (0, 2)
    assert view.selection.head.position in (9, 10, 11)
    keys(view, Key.Key_Up, times=2)
    assert view.selection.plain() == "a long fir"


def test_shift_down_goes_into_code_and_out_of_it(view: MessageList, model: MessageListModel) -> None:
    show(view, model, "before\n\n```\none\ntwo\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nafter")
    seen = [keys(view, Key.Key_Down) for _ in range(6)]
    assert seen[-1].startswith("before\none\ntwo\na\tb\n1\t2")
    assert view.selection.head is not None
    assert view.selection.head[:2] == (0, 3)


def point(view: MessageList, row: int, x: int, y: int = 12) -> QPoint:
    return QPoint(view.column().left() + x, placed_of(view, row)[0].y + y)


def test_two_clicks_choose_a_word_and_three_a_paragraph(view: MessageList, model: MessageListModel) -> None:
    show(view, model, "alpha beta **gamma**\n\nnext one", "```\none two\nthree\n```", "नमस्ते 👍🏽 中文")
    view.to_start()
    at = point(view, 0, 50)
    QTest.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert view.selection.plain() == "beta"
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert view.selection.plain() == "alpha beta gamma"
    QTest.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point(view, 1, 20, 55))
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point(view, 1, 20, 55))
    assert view.selection.plain() == "one two"
    QTest.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point(view, 2, 10))
    assert view.selection.plain() == "नमस्ते"


def test_a_drag_after_two_clicks_chooses_whole_words(view: MessageList, model: MessageListModel) -> None:
    show(view, model, "alpha beta gamma delta")
    QTest.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point(view, 0, 50))
    QTest.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=point(view, 0, 300, 12), delay=0)
    QTest.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=point(view, 0, 300, 12))
    double = QMouseEvent(
        QMouseEvent.Type.MouseButtonDblClick, point(view, 0, 50).toPointF(), point(view, 0, 50).toPointF(),
        Qt.MouseButton.LeftButton, Qt.MouseButton.LeftButton, Mod.NoModifier,
    )  # fmt: skip
    QApplication.sendEvent(view.viewport(), double)
    QTest.mouseMove(view.viewport(), point(view, 0, 90))
    assert view.selection.plain() == "beta gamma"
    QTest.mouseMove(view.viewport(), point(view, 0, 2))
    assert view.selection.plain() == "alpha beta"
    QTest.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=point(view, 0, 2))


def test_a_drag_beyond_the_edge_scrolls_on(view: MessageList, model: MessageListModel, qtbot: QtBot) -> None:
    model.load(conversation(20))
    view.to_start()
    QTest.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=point(view, 1, 5))
    QTest.mouseMove(view.viewport(), QPoint(300, view.viewport().height() + 40))
    qtbot.waitUntil(lambda: view.layout_.anchor.row >= 3)
    QTest.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(300, 300))
    end = view.selection.bounds()
    assert end is not None
    assert end[0].row == 1
    assert end[1].row >= 3


def test_a_press_in_the_selection_keeps_it_until_it_is_let_go(view: MessageList, model: MessageListModel) -> None:
    show(view, model, "alpha beta gamma")
    QTest.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point(view, 0, 50))
    view.selection.set(Place(0, 0, 0), Place(0, 0, 10))
    elsewhere = point(view, 0, 20)
    QTest.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=elsewhere)
    assert view.selection.plain() == "alpha beta"
    QTest.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=elsewhere)
    assert view.selection.bounds() is None


def test_what_is_dragged_out_is_what_copy_gives(view: MessageList, model: MessageListModel) -> None:
    show(view, model, "alpha **beta** gamma")
    view.selection.set(Place(0, 0, 0), Place(0, 0, 10))
    data = view.actions_.selected()
    assert data is not None
    assert bytes(data.data("text/markdown").data()) == b"alpha **beta**"
    assert data.text() == "alpha beta"
    assert data.html() == "<p>alpha <strong>beta</strong></p>"
    assert not drag_out.picture(view.selection.beginning(), view).isNull()


def test_too_much_is_copied_as_source_and_said_so(view: MessageList, model: MessageListModel) -> None:
    source = "**word** \n" * (RICH_LIMIT // 10)
    show(view, model, source, "more")
    heard: list[str] = []
    view.notice.connect(heard.append)
    view.selection.select_all()
    built = view.layout_.built
    view.actions_.copy()
    data = QGuiApplication.clipboard().mimeData()
    assert data.text() == source.strip("\n") + "\n\nmore"
    assert not data.hasHtml()
    assert len(heard) == 1
    assert "Markdown" in heard[0]
    assert view.layout_.built == built
    view.selection.set(Place(1, 0, 0), Place(1, 0, 4))
    view.actions_.copy()
    assert QGuiApplication.clipboard().mimeData().hasHtml()
    assert len(heard) == 1


def test_copying_ten_thousand_messages_reads_no_text_and_builds_nothing(
    view: MessageList, model: MessageListModel
) -> None:
    call = ToolCallBlock(call_id="c", name="read", arguments={"path": "a.py"}, status="success", result="x" * 500)
    odd = (ReasoningBlock(text="hm"), call, TextBlock(text="**words**\n\nmore"))
    model.load([
        make_message(f"m{i}", *(odd if i % 2 else (TextBlock(text=f"q{i}"),)), role="assistant" if i % 2 else "user")
        for i in range(10_000)
    ])  # fmt: skip
    built, cut = view.layout_.built, sum(entry is not None for entry in view.layout_.entries)
    view.selection.select_all()
    view.actions_.copy()
    words = view.selection.markdown()
    assert words.startswith("q0\n\n**read** a.py · Done\n\n**words**\n\nmore\n\nq2")
    assert words.count("**words**") == 5_000
    assert view.layout_.built == built
    assert sum(entry is not None for entry in view.layout_.entries) == cut


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_the_menu_opens_by_key_where_the_keyboard_is(view: MessageList, model: MessageListModel) -> None:
    show(view, model, "one", "| a | b |\n|---|---|\n| 1 | 2 |")
    view.selection.set(Place(1, 0, 1), Place(1, 0, 1))
    keys(view, Key.Key_Right)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(1, 1), view.mapToGlobal(QPoint(1, 1)))
    QApplication.sendEvent(view, event)
    (menu,) = view.findChildren(Menu)
    words = [action.text() for action in menu.actions() if action.text()]
    assert words == [
        "Copy", "Copy as plain text", "Copy answer as Markdown", "Copy answer as plain text",
        "Copy answer as rich text", "Copy table as text", "Copy table as Markdown", "Select all",
    ]  # fmt: skip
    by_name = {action.text(): action for action in menu.actions()}
    by_name["Copy table as text"].trigger()
    assert QGuiApplication.clipboard().text() == "a\tb\n1\t2"
    by_name["Copy answer as rich text"].trigger()
    assert QGuiApplication.clipboard().mimeData().html() == (
        '<table><tr><th align="left">a</th><th align="left">b</th></tr>'
        '<tr><td align="left">1</td><td align="left">2</td></tr></table>'
    )
    by_name["Copy answer as plain text"].trigger()
    assert QGuiApplication.clipboard().text() == "a\tb\n1\t2"
    menu.close()


def test_f7_lets_arrows_move_the_caret(view: MessageList, model: MessageListModel) -> None:
    show(view, model, "one\n\ntwo")
    keys(view, Key.Key_F7, Mod.NoModifier)
    keys(view, Key.Key_Down, Mod.NoModifier)
    assert view.selection.head == Place(0, 1, 0)
    assert view.selection.bounds() is None
    keys(view, Key.Key_End)
    assert view.selection.plain() == "two"
    keys(view, Key.Key_F7, Mod.NoModifier)
    assert not view.caret.browsing
