"""The composer: what sends, what never sends, and that no text is lost."""

import base64
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QImage,
    QInputMethodEvent,
    QKeyEvent,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from deepchat_desktop.domain.attachments import PASTE_BYTES, PICTURE_BYTES, Attached
from deepchat_desktop.domain.blocks import FileBlock, ImageBlock, TextBlock
from deepchat_desktop.presenters.completion import Suggestion
from deepchat_desktop.ui.chat.chat_view import ChatView
from deepchat_desktop.ui.chat.composer_edit import ComposerEdit
from deepchat_desktop.ui.chat.find_bar import FindBar
from tests.fakes.presenters import FakeCard, FakePresenters
from tests.ui.chat.conftest import make_message

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.fixture
def edit(chat: ChatView) -> ComposerEdit:
    chat.focus_composer()
    return chat.composer.edit


def press(widget: ComposerEdit, key: Qt.Key, shift: bool = False) -> None:
    QTest.keyClick(widget, key, Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier)


def compose(widget: ComposerEdit, preedit: str, commit: str = "") -> None:
    event = QInputMethodEvent(preedit, [])
    if commit:
        event.setCommitString(commit)
    QApplication.sendEvent(widget, event)


def sent(fakes: FakePresenters) -> list[str]:
    return [call[1] for call in fakes.agent.calls if call[0] == "send"]


def test_enter_sends_and_shift_enter_breaks(edit: ComposerEdit, fakes: FakePresenters) -> None:
    edit.setPlainText("one")
    edit.moveCursor(edit.textCursor().MoveOperation.End)
    press(edit, Qt.Key.Key_Return, shift=True)
    QTest.keyClicks(edit, "two")
    assert sent(fakes) == []
    press(edit, Qt.Key.Key_Return)
    assert sent(fakes) == ["one\ntwo"]
    assert edit.toPlainText() == ""
    press(edit, Qt.Key.Key_Enter)
    assert sent(fakes) == ["one\ntwo"], "nothing is not sent"


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_composition_never_sends(edit: ComposerEdit, fakes: FakePresenters, key: Qt.Key) -> None:
    edit.setPlainText("你")
    compose(edit, "hao")
    press(edit, key)
    press(edit, key, shift=True)
    QApplication.sendEvent(edit, QKeyEvent(QKeyEvent.Type.KeyPress, key, Qt.KeyboardModifier.ControlModifier))
    assert sent(fakes) == []
    assert edit.toPlainText() == "你", "no line break comes from it either"
    edit.moveCursor(edit.textCursor().MoveOperation.End)
    compose(edit, "", "好")
    assert edit.toPlainText() == "你好"
    press(edit, key)
    assert sent(fakes) == ["你好"]


def test_enter_during_a_run_keeps_the_text_and_says_why(
    edit: ComposerEdit, chat: ChatView, fakes: FakePresenters
) -> None:
    fakes.agent.set_running(True)
    edit.setPlainText("later")
    press(edit, Qt.Key.Key_Return)
    assert sent(fakes) == []
    assert edit.toPlainText() == "later"
    assert chat.composer.note.words() == "Still answering: your text is kept. Press Stop, or wait."
    fakes.agent.set_running(False)
    assert chat.composer.note.words() == ""
    press(edit, Qt.Key.Key_Return)
    assert sent(fakes) == ["later"]


def test_escape_and_the_round_button_stop(edit: ComposerEdit, chat: ChatView, fakes: FakePresenters) -> None:
    press(edit, Qt.Key.Key_Escape)
    assert ("stop",) not in fakes.agent.calls
    fakes.agent.set_running(True)
    assert chat.composer.bar.primary.accessibleName() == "Stop"
    press(edit, Qt.Key.Key_Escape)
    chat.composer.bar.primary.click()
    assert fakes.agent.calls.count(("stop",)) == 2


def test_a_draft_is_saved_and_restored_for_each_session(
    edit: ComposerEdit, chat: ChatView, fakes: FakePresenters, qtbot: QtBot
) -> None:
    QTest.keyClicks(edit, "draft")
    qtbot.waitUntil(lambda: fakes.session.drafts.get("s") == "draft")
    QTest.keyClicks(edit, " more")
    fakes.session.open("other")
    assert fakes.session.drafts["s"] == "draft more", "a switch saves at once"
    assert edit.toPlainText() == ""
    fakes.session.open("s")
    assert edit.toPlainText() == "draft more"
    press(edit, Qt.Key.Key_Return)
    assert fakes.session.drafts["s"] == ""


def test_a_draft_is_saved_while_typing_goes_on(edit: ComposerEdit, chat: ChatView) -> None:
    QTest.keyClicks(edit, "a")
    left = chat.composer._save.remainingTime()
    assert 0 < left <= 500
    QTest.keyClicks(edit, "b")
    assert chat.composer._save.remainingTime() <= left, "more typing does not put it off"


def test_text_typed_while_a_session_is_created_stays(qtbot: QtBot, fakes: FakePresenters) -> None:
    fakes.session.current = ""
    view = ChatView(fakes.messages, fakes.agent, fakes.permission, fakes.session)
    qtbot.addWidget(view)
    view.composer.edit.setPlainText("first")
    view.composer.submit()
    view.composer.edit.setPlainText("typed since")
    fakes.session.open("new")
    assert view.composer.edit.toPlainText() == "typed since"
    assert fakes.session.drafts["new"] == "typed since"


def test_what_could_not_be_sent_comes_back(edit: ComposerEdit, chat: ChatView, fakes: FakePresenters) -> None:
    edit.setPlainText("since")
    picture = Attached(id="p", block=ImageBlock(media_type="image/png", data="iVBORw0KGgo="))
    fakes.agent.send_refused.emit("refused", (picture,))
    assert edit.toPlainText() == "refused\nsince"
    assert chat.composer.row.attached == [picture]
    assert [*chat.composer.row.chips] == ["p"]


def test_a_key_is_sent_only_after_a_second_consent(edit: ComposerEdit, chat: ChatView, fakes: FakePresenters) -> None:
    edit.setPlainText("use sk-123")
    press(edit, Qt.Key.Key_Return)
    press(edit, Qt.Key.Key_Return)
    assert sent(fakes) == []
    assert "API key" in chat.composer.note.words()
    chat.composer.note._button.click()
    assert sent(fakes) == ["use sk-123"]
    edit.setPlainText("use sk-123")
    press(edit, Qt.Key.Key_Return)
    assert sent(fakes) == ["use sk-123"], "consent is for one message"


def test_a_key_in_a_file_is_sent_only_after_consent_too(
    edit: ComposerEdit, chat: ChatView, fakes: FakePresenters
) -> None:
    fakes.session.attachments.add_text("s", "KEY=sk-123", "env.txt")
    press(edit, Qt.Key.Key_Return)
    assert chat.composer.note.words().startswith("“env.txt” looks like it holds an API key.")
    assert [call for call in fakes.agent.calls if call[0] == "send"] == []
    chat.composer.note._button.click()
    assert sent(fakes) == [""]


def test_a_waiting_request_disables_send_but_not_typing(
    edit: ComposerEdit, chat: ChatView, fakes: FakePresenters
) -> None:
    fakes.permission.ask(FakeCard("1"))
    QTest.keyClicks(edit, "typed")
    assert edit.toPlainText() == "typed"
    assert edit.placeholderText() == "Answer the request above to go on"
    assert not chat.composer.bar.primary.isEnabled()
    press(edit, Qt.Key.Key_Return)
    assert sent(fakes) == []
    assert edit.toPlainText() == "typed"


def test_pictures_are_attached_and_sent(
    edit: ComposerEdit, chat: ChatView, fakes: FakePresenters, tmp_path: Path
) -> None:
    image = QImage(4, 4, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    mime = QMimeData()
    mime.setImageData(image)
    edit.insertFromMimeData(mime)
    file = tmp_path / "a.txt"
    file.write_bytes(PNG)
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(file))])
    edit.insertFromMimeData(mime)
    assert [one.block.media_type for one in chat.composer.row.attached] == ["image/png", "image/png"]
    chat.composer.row.chips[chat.composer.row.attached[0].id].removed.emit()
    press(edit, Qt.Key.Key_Return)
    (call,) = [call for call in fakes.agent.calls if call[0] == "send"]
    assert [one.block.name for one in call[2]] == ["a.txt"]
    assert chat.composer.row.attached == []
    assert chat.composer.row.isHidden()


def test_what_cannot_be_sent_is_refused_in_words(edit: ComposerEdit, chat: ChatView, tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(b"\x7fELF\0\0")
    (tmp_path / "big.png").write_bytes(PNG + b"\0" * PICTURE_BYTES)
    for name, words in (
        ("x.bin", "is neither text nor a PNG"),
        ("big.png", "larger than 10 MB"),
        ("none.png", "cannot be read"),
        ("", "cannot be read"),
    ):
        chat.composer._add_files([str(tmp_path / name)])
        assert words in chat.composer.note.words()
    assert chat.composer.row.attached == []


def test_it_grows_to_forty_percent(edit: ComposerEdit, chat: ChatView) -> None:
    rest = edit.height()
    edit.setPlainText("\n".join("line" for _ in range(6)))
    assert rest < edit.height()
    edit.setPlainText("\n".join("line" for _ in range(200)))
    assert chat.composer.height() <= round(chat.height() * 0.4)
    edit.clear()
    assert edit.height() == rest


def test_the_bar_tells_model_mode_folder_and_context(chat: ChatView, fakes: FakePresenters) -> None:
    bar = chat.composer.bar
    assert bar.ring.toolTip() == "Context: unknown"
    fakes.agent.context_changed.emit(50_000, 200_000)
    assert bar.ring.toolTip() == "Context: 50,000 of 200,000 tokens"
    assert bar.ring.share() == 0.25
    fakes.agent.model_label = "tiny"
    fakes.agent.set_mode("full")
    fakes.agent.set_workspace("/home/me/project")
    assert bar.model.accessibleName() == "Model: tiny"
    assert bar.mode.accessibleName() == "Permissions: Full access"
    assert bar.workspace.accessibleName() == "Workspace: /home/me/project"
    assert bar.workspace.text() == "project"


def paste(edit: ComposerEdit, text: str) -> None:
    mime = QMimeData()
    mime.setText(text)
    edit.insertFromMimeData(mime)


@pytest.mark.parametrize(
    "text",
    ["line of text\n" * (20_000_000 // 13 + 1), "中文\n" * (PASTE_BYTES // 7 + 1), "x" * 60_000],
    ids=["20 MB", "1 MB of Chinese", "one long line"],
)
def test_a_huge_paste_is_attached_whole_and_never_laid_out(
    edit: ComposerEdit, chat: ChatView, fakes: FakePresenters, text: str
) -> None:
    paste(edit, text)
    assert edit.document().isEmpty()
    (one,) = chat.composer.row.attached
    assert isinstance(one.block, FileBlock)
    assert one.block.size == len(text.encode())
    assert one.block.name == "Pasted text.txt"
    press(edit, Qt.Key.Key_Return)
    (call,) = [call for call in fakes.agent.calls if call[0] == "send"]
    assert call[1:] == ("", (one,))


def test_a_paste_below_the_limit_stays_text(edit: ComposerEdit, chat: ChatView) -> None:
    paste(edit, "word\n" * 100_000)
    assert len(edit.toPlainText()) == 500_000
    assert chat.composer.row.attached == []


def test_text_is_pasted_as_text_where_a_picture_of_it_comes_along(edit: ComposerEdit, chat: ChatView) -> None:
    mime = QMimeData()
    mime.setText("a1\tb1")
    mime.setImageData(QImage(4, 4, QImage.Format.Format_RGB32))
    edit.insertFromMimeData(mime)
    assert edit.toPlainText() == "a1\tb1"
    assert chat.composer.row.attached == []


def test_nothing_is_sent_while_an_attachment_is_read(
    edit: ComposerEdit, chat: ChatView, fakes: FakePresenters
) -> None:
    fakes.session.attachments.slow = True
    edit.setPlainText("see")
    paste(edit, "x\n" * PASTE_BYTES)
    assert not chat.composer.row.isHidden()
    press(edit, Qt.Key.Key_Return)
    assert sent(fakes) == []
    assert edit.toPlainText() == "see"
    assert "Still reading" in chat.composer.note.words()


def drag(chat: ChatView, kind: type[QDropEvent], mime: QMimeData) -> bool:
    """Send one event of a drag over the conversation; tell whether it was accepted."""
    at = QPoint(300, 200) if kind is not QDropEvent else QPointF(300, 200)
    keys = Qt.KeyboardModifier.NoModifier
    event = kind(at, Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, keys)
    event.ignore()
    QApplication.sendEvent(chat, event)
    return event.isAccepted()


def test_files_are_dropped_anywhere_on_the_conversation(edit: ComposerEdit, chat: ChatView, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(tmp_path / "a.txt"))])
    assert drag(chat, QDragEnterEvent, mime)
    assert chat.composer.drop.isVisible()
    assert chat.composer.drop.geometry() == chat.rect()
    QApplication.sendEvent(chat, QDragLeaveEvent())
    assert not chat.composer.drop.isVisible()
    assert drag(chat, QDragEnterEvent, mime)
    assert drag(chat, QDragMoveEvent, mime)
    assert drag(chat, QDropEvent, mime)
    assert not chat.composer.drop.isVisible()
    assert [one.block.name for one in chat.composer.row.attached] == ["a.txt"]


def test_dragged_text_is_no_attachment(edit: ComposerEdit, chat: ChatView) -> None:
    mime = QMimeData()
    mime.setText("words")
    assert not drag(chat, QDragEnterEvent, mime)
    assert not chat.composer.drop.isVisible()


def test_undo_survives_chips_and_clear_but_not_sending(
    edit: ComposerEdit, chat: ChatView, fakes: FakePresenters
) -> None:
    QTest.keyClicks(edit, "kept")
    fakes.session.attachments.add_text("s", "x", "f.txt")
    edit.undo()
    assert edit.toPlainText() == ""
    edit.redo()
    assert edit.toPlainText() == "kept"
    chat.composer._clear()
    assert edit.toPlainText() == ""
    edit.undo()
    assert edit.toPlainText() == "kept"
    press(edit, Qt.Key.Key_Return)
    edit.undo()
    assert edit.toPlainText() == ""


def test_up_in_the_empty_field_brings_the_last_message_as_a_new_draft(
    edit: ComposerEdit, chat: ChatView, fakes: FakePresenters
) -> None:
    press(edit, Qt.Key.Key_Up)
    assert edit.toPlainText() == ""
    fakes.session.sent = (TextBlock(text="asked before"), FileBlock(name="f", size=1, text="x"))
    press(edit, Qt.Key.Key_Up)
    assert edit.toPlainText() == "asked before"
    assert "as a new one" in chat.composer.note.words()
    press(edit, Qt.Key.Key_Home)
    press(edit, Qt.Key.Key_Up)
    assert edit.toPlainText() == "asked before", "with text Up only moves"
    edit.undo()
    assert edit.toPlainText() == ""


def test_what_is_typed_in_the_list_reaches_the_composer(edit: ComposerEdit, chat: ChatView) -> None:
    chat.message_list.setFocus()
    QTest.keyClick(chat.message_list, Qt.Key.Key_Space)
    QTest.keyClick(chat.message_list, Qt.Key.Key_X, Qt.KeyboardModifier.ControlModifier)
    assert edit.toPlainText() == ""
    QTest.keyClicks(chat.message_list, "h")
    assert edit.hasFocus()
    assert edit.toPlainText() == "h"


def test_chips_of_a_new_session_go_along_when_it_is_created(qtbot: QtBot, fakes: FakePresenters) -> None:
    fakes.session.current = ""
    view = ChatView(fakes.messages, fakes.agent, fakes.permission, fakes.session)
    qtbot.addWidget(view)
    view.composer.edit.setPlainText("first")
    view.composer.submit()
    fakes.session.attachments.add_text("", "x", "since.txt")
    fakes.session.open("new")
    assert [one.block.name for one in view.composer.row.attached] == ["since.txt"]
    assert fakes.session.attachments.of("") == []


def test_a_chip_is_taken_out_by_keyboard(edit: ComposerEdit, chat: ChatView, fakes: FakePresenters) -> None:
    for name in ("a.txt", "b.txt"):
        fakes.session.attachments.add_text("s", "x", name)
    press(edit, Qt.Key.Key_Tab)
    press(QApplication.focusWidget(), Qt.Key.Key_Tab)
    assert QApplication.focusWidget().accessibleName() == "Remove b.txt"
    press(QApplication.focusWidget(), Qt.Key.Key_Space)
    assert [one.block.name for one in chat.composer.row.attached] == ["a.txt"]
    assert edit.hasFocus()
    for _ in range(2):
        press(QApplication.focusWidget(), Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is chat.composer.bar.attach


def test_many_chips_keep_within_two_rows(edit: ComposerEdit, chat: ChatView, fakes: FakePresenters) -> None:
    for place in range(20):
        fakes.session.attachments.add_text("s", "x", f"{place}.txt")
    assert len(chat.composer.row.chips) == 20
    assert chat.composer.row.height() == 104
    assert chat.composer.height() <= round(chat.height() * 0.4)


# Completion


def offered(chat: ChatView) -> list[str]:
    return chat.composer.completion.popup.labels()


def files(fakes: FakePresenters, query: str, *names: str) -> None:
    found = tuple(Suggestion("file", name, "src", f"@src/{name} ", f"/w/src/{name}") for name in names)
    fakes.agent.completion.found.emit(query, found)


def test_a_mention_is_completed_by_keyboard(edit: ComposerEdit, chat: ChatView, fakes: FakePresenters) -> None:
    QTest.keyClicks(edit, "see @a")
    assert ("ask", "a") in fakes.agent.completion.calls
    files(fakes, "a", "a.py", "ab.py")
    assert offered(chat) == ["a.py", "ab.py"]
    assert edit.hasFocus()
    press(edit, Qt.Key.Key_Down)
    press(edit, Qt.Key.Key_Return)
    assert edit.toPlainText() == "see @src/ab.py "
    assert offered(chat) == []
    assert "cannot be read" in chat.composer.note.words(), "the file is attached: this one is not there"
    assert sent(fakes) == []
    edit.undo()
    assert edit.toPlainText() == "see @a"


def test_tab_takes_the_first_and_escape_sends_it_away(
    edit: ComposerEdit, chat: ChatView, fakes: FakePresenters
) -> None:
    fakes.agent.set_running(True)
    QTest.keyClicks(edit, "@")
    files(fakes, "", "a.py")
    press(edit, Qt.Key.Key_Escape)
    assert offered(chat) == []
    assert ("stop",) not in fakes.agent.calls
    QTest.keyClicks(edit, "a")
    files(fakes, "a", "a.py")
    assert offered(chat) == [], "the same word stays dismissed"
    QTest.keyClicks(edit, " @")
    files(fakes, "", "a.py")
    assert offered(chat) == ["a.py"]
    press(edit, Qt.Key.Key_Tab)
    assert edit.toPlainText() == "@a @src/a.py "
    assert edit.hasFocus()
    chat.composer._clear()
    QTest.keyClicks(edit, "/")
    press(edit, Qt.Key.Key_Escape)
    assert offered(chat) == []
    chat.composer._clear()
    QTest.keyClicks(edit, "/")
    assert offered(chat) != [], "a new word at the same place is offered for again"


def test_an_answer_to_an_older_question_is_not_shown(
    edit: ComposerEdit, chat: ChatView, fakes: FakePresenters
) -> None:
    QTest.keyClicks(edit, "@ab")
    files(fakes, "a", "a.py")
    assert offered(chat) == []


def test_a_click_takes_a_line_and_the_caret_stays(edit: ComposerEdit, chat: ChatView, fakes: FakePresenters) -> None:
    QTest.keyClicks(edit, "@a")
    files(fakes, "a", "a.py", "ab.py")
    popup = chat.composer.completion.popup
    place = popup.list.visualRect(popup.list.model().index(1, 0)).center()
    QTest.mouseClick(popup.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert edit.toPlainText() == "@src/ab.py "
    assert edit.hasFocus()


@pytest.mark.parametrize("text", ["/etc", "/etc/hosts", "mail a@b", "a/new", " /new", "see /new"])
def test_paths_and_addresses_are_not_hijacked(
    edit: ComposerEdit, chat: ChatView, fakes: FakePresenters, text: str
) -> None:
    QTest.keyClicks(edit, text)
    assert offered(chat) == []
    assert [call for call in fakes.agent.completion.calls if call[0] == "ask"] == []
    press(edit, Qt.Key.Key_Return)
    assert sent(fakes) == [text]


def test_enter_sends_a_bare_sign(edit: ComposerEdit, chat: ChatView, fakes: FakePresenters) -> None:
    QTest.keyClicks(edit, "/")
    assert "/new" in offered(chat)
    press(edit, Qt.Key.Key_Return)
    QTest.keyClicks(edit, "see you @")
    files(fakes, "", "a.py")
    press(edit, Qt.Key.Key_Return)
    assert sent(fakes) == ["/", "see you @"]


def test_the_command_of_just_that_name_comes_first(edit: ComposerEdit, chat: ChatView) -> None:
    QTest.keyClicks(edit, "/mode")
    assert offered(chat) == ["/mode", "/model"]


def test_a_command_is_run_and_leaves_no_text(edit: ComposerEdit, chat: ChatView, fakes: FakePresenters) -> None:
    QTest.keyClicks(edit, "/ne")
    assert offered(chat) == ["/new"]
    press(edit, Qt.Key.Key_Return)
    assert ("new_session",) in fakes.session.calls
    assert sent(fakes) == []
    assert fakes.session.drafts["s"] == ""


def test_what_can_be_called_depends_on_the_session(
    edit: ComposerEdit, chat: ChatView, fakes: FakePresenters, qtbot: QtBot
) -> None:
    def names() -> list[str]:
        return [command.name for command in chat.composer.commands.matching("")]

    always = ["new", "model", "mode", "folder", "attach", "clear", "settings"]
    assert names() == always
    fakes.session.sent = (TextBlock(text="asked"),)
    assert names() == [*always, "find", "retry"]
    fakes.agent.set_running(True)
    assert names() == [*always, "find"]
    fakes.messages.load([make_message("u", TextBlock(text="asked"), role="user")], "s")
    QTest.keyClicks(edit, "/find")
    press(edit, Qt.Key.Key_Return)
    assert chat.findChild(FindBar).isVisible()
    with qtbot.waitSignal(chat.settings_asked):
        chat.composer.commands.matching("settings")[0].run()


def test_a_composition_completes_nothing(edit: ComposerEdit, chat: ChatView, fakes: FakePresenters) -> None:
    QTest.keyClicks(edit, "@a")
    files(fakes, "a", "a.py")
    compose(edit, "ni")
    assert offered(chat) == []
    press(edit, Qt.Key.Key_Return)
    press(edit, Qt.Key.Key_Tab)
    assert edit.toPlainText() == "@a"
    assert sent(fakes) == []
