"""The find bar and the map in the conversation: keys, figures, focus, and where they stand."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from deepchat_desktop.domain.blocks import TextBlock
from deepchat_desktop.domain.events import BlockText, MessageAdded
from deepchat_desktop.ui.chat.chat_view import ChatView
from deepchat_desktop.ui.chat.find_bar import FindBar
from deepchat_desktop.ui.chat.minimap import Minimap
from deepchat_desktop.ui.controls import IconButton
from tests.fakes.presenters import FakePresenters
from tests.ui.chat.conftest import make_message


@pytest.fixture
def talk(chat: ChatView, fakes: FakePresenters) -> None:
    words = [f"Message {row} about rain and Rain. " + "More of it. " * 60 for row in range(20)]
    roles = ("user", "assistant")
    fakes.messages.load(
        [make_message(f"m{row}", TextBlock(text=text), role=roles[row % 2]) for row, text in enumerate(words)], "s"
    )


@pytest.fixture
def bar(chat: ChatView, talk: None, qtbot: QtBot) -> FindBar:
    chat.message_list.to_start()
    QTest.keyClick(chat.composer.edit, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    found = chat.findChild(FindBar)
    assert isinstance(found, FindBar)
    qtbot.waitUntil(found.isVisible)
    return found


@pytest.fixture
def typed(bar: FindBar, qtbot: QtBot) -> Callable[[str], None]:
    def type_words(words: str) -> None:
        bar.field.clear()
        QTest.keyClicks(bar.field, words)
        qtbot.waitUntil(lambda: bar._session.needle.words == words and not bar._session.searching())

    return type_words


def test_the_key_opens_it_with_the_caret_in_its_field(bar: FindBar) -> None:
    assert bar.field.hasFocus()
    assert bar.figures.text() == ""
    assert not bar.next.isEnabled()


def test_typing_finds_and_enter_and_f3_go_on(bar: FindBar, typed: Callable[[str], None]) -> None:
    typed("rain")
    seen = [bar.figures.text()]
    for key, held in (
        (Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_F3, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier),
        (Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier),
        (Qt.Key.Key_Enter, Qt.KeyboardModifier.ShiftModifier),
    ):
        QTest.keyClick(bar.field, key, held)
        seen.append(bar.figures.text())
    assert seen == ["1 of 40", "2 of 40", "3 of 40", "2 of 40", "1 of 40", "40 of 40"]
    QTest.mouseClick(bar.next, Qt.MouseButton.LeftButton)
    assert bar.figures.text() == "1 of 40"


def test_enter_before_the_search_began_searches_and_does_not_skip(bar: FindBar) -> None:
    QTest.keyClicks(bar.field, "rain")
    QTest.keyClick(bar.field, Qt.Key.Key_Return)
    assert bar.figures.text() == "1 of 40"


def test_what_is_not_there_is_said(bar: FindBar, typed: Callable[[str], None]) -> None:
    typed("snow")
    assert (bar.figures.text(), bar.field.accessibleDescription()) == ("No results", "No results")
    assert not bar.previous.isEnabled()


def test_figures_grow_while_an_answer_comes(
    bar: FindBar, typed: Callable[[str], None], fakes: FakePresenters, qtbot: QtBot
) -> None:
    typed("rain")
    fakes.messages.apply(MessageAdded(session_id="s", message=make_message("new", TextBlock(text="r", open=True))))
    fakes.messages.apply(BlockText(session_id="s", message_id="new", index=0, text="ain"))
    qtbot.waitUntil(lambda: bar.figures.text() == "1 of 41", timeout=3000)


def test_escape_closes_it_takes_the_marks_away_and_gives_the_focus_back(
    bar: FindBar, typed: Callable[[str], None], chat: ChatView
) -> None:
    typed("rain")
    QTest.keyClick(bar.field, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert not chat.message_list.finding.session.needle
    assert QApplication.focusWidget() is chat.composer.edit


def test_it_comes_back_with_the_last_words_chosen(
    bar: FindBar, typed: Callable[[str], None], chat: ChatView
) -> None:
    typed("rain")
    bar.leave()
    chat.open_find()
    assert (bar.field.selectedText(), bar._session.finish()) == ("rain", 40)


def test_another_session_is_searched_with_the_same_words(
    bar: FindBar, typed: Callable[[str], None], fakes: FakePresenters, qtbot: QtBot
) -> None:
    typed("rain")
    fakes.messages.load([make_message("x", TextBlock(text="one rain"))], "s")
    qtbot.waitUntil(lambda: bar.figures.text() == "1 of 1")
    fakes.messages.load([], "s")
    assert not bar.isVisible()


def test_an_empty_session_has_neither_bar_nor_map(chat: ChatView) -> None:
    chat.open_find()
    assert chat.findChild(FindBar) is None
    found = chat.findChild(Minimap)
    assert found is not None
    assert not found.isVisible()


def test_every_part_of_the_bar_has_a_name(bar: FindBar) -> None:
    assert bar.field.accessibleName() == "Find in session"
    assert all(button.accessibleName() for button in bar.findChildren(IconButton))


def test_bar_and_map_stand_beside_each_other_at_any_width(bar: FindBar, chat: ChatView, qtbot: QtBot) -> None:
    strip = chat.findChild(Minimap)
    assert strip is not None
    for width in (511, 760, 1200):
        chat.resize(width, 600)
        assert bar.geometry().right() - 16 < strip.x() == width - 56
        assert bar.x() + 16 >= 0
        assert chat.message_list.width() == width - 56
    chat.set_minimap(False)
    assert not strip.isVisible()
    assert chat.message_list.width() == 1200


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_the_map_tells_the_context_of_an_opened_session_and_the_ring_its_figures(
    chat: ChatView, fakes: FakePresenters
) -> None:
    fakes.agent.window = 10_000
    answer = make_message("a", TextBlock(text="x"), meta={"context_tokens": 2_500})
    fakes.messages.load([answer, make_message("b", TextBlock(text="y"), role="user")], "s")
    strip = chat.findChild(Minimap)
    assert strip is not None
    assert "Context: 25 %" in strip.accessibleDescription()
    assert chat.composer.bar.ring.toolTip() == "Context: 2,500 of 10,000 tokens"
    popover = chat.composer.bar.open_context()
    assert popover.rows == [
        ("In use", "2,500 tokens"), ("Window", "10,000 tokens"), ("Kept for the answer", "4,096 tokens"),
    ]  # fmt: skip
    popover.close()


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_an_unknown_window_is_said_to_be_unknown(chat: ChatView, fakes: FakePresenters) -> None:
    fakes.messages.load([make_message("a", TextBlock(text="x"), meta={"context_tokens": 2_500})], "s")
    assert chat.composer.bar.ring.toolTip() == "Context: unknown"
    popover = chat.composer.bar.open_context()
    assert [figure for _, figure in popover.rows] == ["2,500 tokens", "unknown", "unknown"]
    popover.close()
    fakes.agent.window = 5_000
    fakes.agent.settings_changed.emit()
    assert chat.composer.bar.ring.toolTip() == "Context: 2,500 of 5,000 tokens"
