"""The permission card: nobody answers it by accident, and everything it decides on can be seen."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from deepchat_desktop.ui.chat.chat_view import ChatView
from deepchat_desktop.ui.chat.permission_card import PermissionCardView
from tests.fakes.presenters import FakeCard, FakePresenters


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def card(qtbot: QtBot, fakes: FakePresenters, clock: Clock) -> Iterator[PermissionCardView]:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(900, 700)
    made = PermissionCardView(fakes.permission, window, clock)
    made.resized.connect(lambda: made.fit(812, 500))
    window.show()
    qtbot.waitExposed(window)
    window.activateWindow()
    yield made
    window.hide()


def click(button: QWidget) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def answers(fakes: FakePresenters) -> list[tuple[object, ...]]:
    return [call[1:] for call in fakes.permission.calls if call[0] == "answer"]


def test_it_is_shown_without_taking_the_focus(chat: ChatView, fakes: FakePresenters) -> None:
    chat.focus_composer()
    fakes.permission.ask(FakeCard("1"))
    assert chat.card.isVisible()
    assert QApplication.focusWidget() is chat.composer.edit


def test_keys_in_the_composer_do_not_answer(chat: ChatView, fakes: FakePresenters) -> None:
    chat.focus_composer()
    fakes.permission.ask(FakeCard("1"))
    chat.card.guard._since -= 10
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_Escape):
        QTest.keyClick(chat.composer.edit, key)
    assert answers(fakes) == []
    assert chat.card.isVisible()


def test_input_in_the_first_half_second_is_ignored(
    card: PermissionCardView, fakes: FakePresenters, clock: Clock
) -> None:
    fakes.permission.ask(FakeCard("1"))
    for button in (card.deny, card.once, card.session, card.stop):
        click(button)
    card.deny.setFocus()
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Space, Qt.Key.Key_Escape):
        QTest.keyClick(card.deny, key)
    clock.now += 0.49
    click(card.once)
    assert fakes.permission.calls == []
    clock.now += 0.02
    click(card.once)
    assert answers(fakes) == [("1", True, "once", "")]


def test_a_press_before_and_a_release_after_decide_nothing(
    card: PermissionCardView, fakes: FakePresenters, clock: Clock
) -> None:
    fakes.permission.ask(FakeCard("1"))
    QTest.mousePress(card.once, Qt.MouseButton.LeftButton)
    clock.now += 1
    QTest.mouseRelease(card.once, Qt.MouseButton.LeftButton)
    assert answers(fakes) == []


@pytest.mark.parametrize("change", ["move", "resize", "activate", "next", "show"])
def test_the_time_begins_anew(
    card: PermissionCardView, fakes: FakePresenters, clock: Clock, change: str
) -> None:
    fakes.permission.ask(FakeCard("1"))
    fakes.permission.ask(FakeCard("2"))
    clock.now += 1
    match change:
        case "move":
            card.move(card.pos() + QPoint(0, 5))
        case "resize":
            card.resize(card.width(), card.height() + 1)
        case "activate":
            QApplication.sendEvent(card.window(), QEvent(QEvent.Type.WindowActivate))
        case "next":
            click(card.after)
        case "show":
            card.hide()
            card.show()
    click(card.once)
    assert answers(fakes) == []
    clock.now += 0.6
    click(card.once)
    assert len(answers(fakes)) == 1


def test_a_held_key_does_not_count(card: PermissionCardView, fakes: FakePresenters, clock: Clock) -> None:
    fakes.permission.ask(FakeCard("1"))
    card.once.setFocus()
    clock.now += 1
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        for key in (Qt.Key.Key_Return, Qt.Key.Key_Space):
            QApplication.sendEvent(card.once, QKeyEvent(kind, key, Qt.KeyboardModifier.NoModifier, "", True))
    assert answers(fakes) == []


def test_deny_is_first_and_escape_inside_denies(card: PermissionCardView, fakes: FakePresenters, clock: Clock) -> None:
    fakes.permission.ask(FakeCard("1"))
    card.setFocus(Qt.FocusReason.ShortcutFocusReason)
    assert QApplication.focusWidget() is card.deny
    assert card.deny.nextInFocusChain() is card.once
    clock.now += 1
    QTest.keyClicks(card.why, "not now")
    QTest.keyClick(card.why, Qt.Key.Key_Escape)
    assert answers(fakes) == [("1", False, "once", "not now")]


def test_enter_in_the_reason_denies_with_it(card: PermissionCardView, fakes: FakePresenters, clock: Clock) -> None:
    fakes.permission.ask(FakeCard("1"))
    clock.now += 1
    card.why.setFocus()
    QTest.keyClicks(card.why, "not there")
    QTest.keyClick(card.why, Qt.Key.Key_Return)
    assert answers(fakes) == [("1", False, "once", "not there")]


def test_the_focus_goes_back_to_the_composer(chat: ChatView, fakes: FakePresenters) -> None:
    fakes.permission.ask(FakeCard("1"))
    chat.card.setFocus()
    chat.card.guard._since -= 10
    QTest.keyClick(chat.card.deny, Qt.Key.Key_Space)
    assert answers(fakes) == [("1", False, "once", "")]
    assert not chat.card.isVisible()
    assert QApplication.focusWidget() is chat.composer.edit


def test_after_an_answer_by_key_the_next_card_starts_at_deny(
    card: PermissionCardView, fakes: FakePresenters, clock: Clock
) -> None:
    fakes.permission.ask(FakeCard("1"))
    fakes.permission.ask(FakeCard("2"))
    card.once.setFocus()
    clock.now += 1
    QTest.keyClick(card.once, Qt.Key.Key_Space)
    assert answers(fakes) == [("1", True, "once", "")]
    assert QApplication.focusWidget() is card.deny


def test_several_wait_in_turn(card: PermissionCardView, fakes: FakePresenters, clock: Clock) -> None:
    for key in "123":
        fakes.permission.ask(FakeCard(key, title=f"Write {key}"))
    clock.now += 1
    assert card._count.text() == "1 of 3 waiting"
    click(card.after)
    assert card._count.text() == "2 of 3 waiting"
    clock.now += 1
    click(card.session)
    assert answers(fakes) == [("2", True, "session", "")]
    assert card.title.text() == "Write 3"


def test_allow_waits_for_the_end_of_a_long_call(card: PermissionCardView, fakes: FakePresenters, clock: Clock) -> None:
    fakes.permission.ask(FakeCard("1", detail="\n".join(f"line {i}" for i in range(100))))
    clock.now += 1
    assert not card.once.isEnabled()
    assert not card.session.isEnabled()
    assert card.deny.isEnabled()
    assert "more lines below" in card.unread.text()
    QTest.keyClick(card, Qt.Key.Key_PageDown)
    assert not card.once.isEnabled()
    for _ in range(20):
        QTest.keyClick(card, Qt.Key.Key_PageDown)
    assert card.once.isEnabled()
    assert not card.unread.isVisible()
    card.well.to_top()
    assert card.once.isEnabled(), "what was read stays read"
    fakes.permission.waiting = [replace(fakes.permission.waiting[0], id="2")]
    fakes.permission.changed.emit()
    assert not card.once.isEnabled(), "another call is read anew"


def test_what_cannot_be_seen_is_written_out(card: PermissionCardView, fakes: FakePresenters) -> None:
    fakes.permission.ask(FakeCard("1", title="Write a\u202eb", detail="x\u200by\x1b[31m\n<b>no</b>", folder="f\u00a0g",
                                  model_says="trust\u202e <img src=x>"))  # fmt: skip
    assert card.title.text() == "Write a‹U+202E›b"
    assert card.well.view.document.toPlainText() == "x‹U+200B›y‹U+001B›[31m\n<b>no</b>"
    assert card._folder.text() == "f‹U+00A0›g"
    assert card._quote._words.text() == "“trust‹U+202E› <img src=x>”"
    assert card._quote._label.text() == "The model says"


def test_nothing_to_remember_means_no_such_button(card: PermissionCardView, fakes: FakePresenters) -> None:
    fakes.permission.ask(FakeCard("1", remember_text=""))
    assert not card.session.isVisible()
    assert card.once.isVisible()


def test_stop_ends_the_run(card: PermissionCardView, fakes: FakePresenters, clock: Clock) -> None:
    fakes.permission.ask(FakeCard("1"))
    clock.now += 1
    click(card.stop)
    assert ("stop",) in fakes.permission.calls
    assert not card.isVisible()


def test_every_label_is_plain_text(chat: ChatView, fakes: FakePresenters) -> None:
    fakes.permission.ask(FakeCard("1"))
    labels = chat.findChildren(QLabel)
    assert len(labels) > 5
    assert [label for label in labels if label.textFormat() != Qt.TextFormat.PlainText] == []
