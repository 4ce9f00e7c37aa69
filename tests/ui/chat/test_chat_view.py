"""The parts of the conversation together."""

import subprocess
import sys

from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from deepchat_desktop.domain.blocks import ErrorBlock, TextBlock
from deepchat_desktop.domain.events import MessageAdded
from deepchat_desktop.ui.chat.chat_view import ChatView
from deepchat_desktop.ui.dialogs.confirm import ConfirmSheet
from tests.fakes.presenters import FakeCard, FakePresenters
from tests.ui.chat.conftest import make_message
from tests.ui.chat.test_message_list import names, press


def test_an_empty_session_shows_the_given_page(chat: ChatView, fakes: FakePresenters) -> None:
    page, other = QLabel("first"), QLabel("second")
    chat.set_empty_widget(page)
    assert page.isVisible()
    assert not chat.message_list.isVisible()
    chat.set_empty_widget(other)
    assert not page.isVisible()
    assert other.isVisible()
    message = make_message("u", TextBlock(text="q"), role="user")
    fakes.messages.apply(MessageAdded(session_id="s", message=message))
    assert not other.isVisible()
    assert chat.message_list.isVisible()
    page.deleteLater()


def test_the_parts_lie_below_each_other(chat: ChatView, fakes: FakePresenters) -> None:
    fakes.messages.load([make_message("u", TextBlock(text="q"), role="user")])
    fakes.permission.ask(FakeCard("1"))
    for size in ((900, 700), (512, 476), (1600, 900)):
        chat.resize(*size)
        assert chat.message_list.geometry().bottom() <= chat.card.geometry().top() + 16
        assert chat.card.geometry().bottom() - 16 < chat.composer.geometry().top() + 16
        assert chat.composer.geometry().bottom() - 16 < chat.height()
        assert chat.card.width() == chat.composer.width() <= 780 + 32


def test_f6_goes_to_messages_card_and_composer(chat: ChatView, fakes: FakePresenters) -> None:
    fakes.permission.ask(FakeCard("1"))
    regions: list[QWidget] = chat.focus_regions()
    assert regions == [chat.message_list, chat.composer.edit, chat.card]


def test_a_request_uses_the_room_that_the_messages_leave(chat: ChatView, fakes: FakePresenters) -> None:
    text = "\n".join(f"line {number}" for number in range(100))
    fakes.messages.load([make_message("u", TextBlock(text="q"), role="user")])
    fakes.permission.ask(FakeCard("1", detail=text))
    alone = chat.card.well.height()
    used = chat.message_list.content_height()
    assert chat.message_list.height() - used in range(3)
    fakes.messages.load([make_message("u", TextBlock(text="q\n" * 60), role="user")])
    chat.composer.resized.emit()
    assert 60 < chat.card.well.height() < alone - 60


def test_buttons_in_messages_reach_the_presenters(chat: ChatView, fakes: FakePresenters, qtbot: QtBot) -> None:
    chat.message_list.asked.emit("retry")
    chat.message_list.asked.emit("continue")
    assert fakes.agent.calls == [("retry_last",), ("continue_run",)]
    with qtbot.waitSignal(chat.settings_asked):
        chat.message_list.asked.emit("settings")


def test_links_are_asked_about_or_refused(chat: ChatView) -> None:
    chat.message_list.link_clicked.emit("https://evil.example/", "https://bank.example/")
    (sheet,) = chat.findChildren(ConfirmSheet)
    sheet.reject()
    chat.message_list.link_clicked.emit("deepchat://start", "start")
    assert "not opened" in chat.composer.note.words()


def test_notices_stand_in_the_composer(chat: ChatView, fakes: FakePresenters) -> None:
    fakes.agent.notice.emit("no_model", "There is no model yet.")
    assert chat.composer.note.words() == "There is no model yet."
    fakes.agent.retrying.emit(2, 3.0)
    assert chat.composer.note.words() == "The server did not answer. Trying again in 3 s (attempt 2)."


def test_messages_are_built_after_the_first_paint(qtbot: QtBot, fakes: FakePresenters) -> None:
    fakes.messages.load([make_message("u", TextBlock(text="q"), role="user")])
    view = ChatView(fakes.messages, fakes.agent, fakes.permission, fakes.session)
    qtbot.addWidget(view)
    fakes.messages.apply(MessageAdded(session_id="s", message=make_message("a", TextBlock(text="**x**"))))
    assert view.message_list.layout_.built == 0
    view.show()
    qtbot.waitUntil(lambda: view.message_list.layout_.built >= 2)


def test_the_view_is_imported_without_parser_and_highlighter() -> None:
    code = (
        "import sys, deepchat_desktop.ui.chat.chat_view\n"
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'markdown_it', 'pygments', 'httpx', 'mcp'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_a_screen_reader_hears_a_list_of_messages(chat: ChatView, fakes: FakePresenters) -> None:
    fakes.messages.load([
        make_message("u", TextBlock(text="q"), role="user"),
        make_message("a", TextBlock(text="**answer**")),
    ])  # fmt: skip
    fakes.permission.ask(FakeCard("1"))
    heard = QAccessible.queryAccessibleInterface(chat.message_list)
    assert (heard.role(), heard.text(QAccessible.Text.Name)) == (QAccessible.Role.List, "Messages")
    messages = [heard.child(index) for index in range(heard.childCount())]
    assert [(each.role(), each.text(QAccessible.Text.Name)) for each in messages] == [
        (QAccessible.Role.ListItem, "You: q"),
        (QAccessible.Role.ListItem, "Answer: answer"),
    ]
    block = messages[1].child(0)
    assert (block.role(), block.text(QAccessible.Text.Name)) == (QAccessible.Role.StaticText, "answer")
    assert heard.indexOfChild(messages[1]) == 1
    assert not messages[1].rect().isEmpty()
    card = QAccessible.queryAccessibleInterface(chat.card)
    assert (card.role(), card.text(QAccessible.Text.Name)) == (
        QAccessible.Role.AlertMessage, "Request for permission",
    )  # fmt: skip


def test_an_error_about_the_window_leads_to_a_shorter_message_or_another_model(
    chat: ChatView, fakes: FakePresenters
) -> None:
    failed = ErrorBlock(code="context_window", message="Window 8,192")
    fakes.messages.load([
        make_message("u", TextBlock(text="far too long"), role="user"),
        make_message("a", failed, status="error"),
    ])  # fmt: skip
    assert names(chat.message_list, 1) == ["shorten", "model"]
    heard: list[str] = []
    chat.message_list.asked.connect(heard.append)
    press(chat.message_list, 1, "shorten")
    assert heard == ["shorten"]
    assert chat.composer.edit.hasFocus()
