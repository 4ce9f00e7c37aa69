"""The composer: what sends, what never sends, and that no text is lost."""

import base64
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QColor, QImage, QInputMethodEvent, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from deepchat_desktop.domain.blocks import ImageBlock
from deepchat_desktop.ui.chat import attachments
from deepchat_desktop.ui.chat.chat_view import ChatView
from deepchat_desktop.ui.chat.composer_edit import ComposerEdit
from tests.fakes.presenters import FakeCard, FakePresenters

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
    picture = ImageBlock(media_type="image/png", data="iVBORw0KGgo=")
    fakes.agent.send_refused.emit("refused", (picture,))
    assert edit.toPlainText() == "refused\nsince"
    assert chat.composer.row.pictures == [picture]


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
    assert [p.media_type for p in chat.composer.row.pictures] == ["image/png", "image/png"]
    chat.composer.row._chips[0].removed.emit()
    press(edit, Qt.Key.Key_Return)
    (call,) = [call for call in fakes.agent.calls if call[0] == "send"]
    assert [picture.name for picture in call[2]] == ["a.txt"]
    assert chat.composer.row.pictures == []


def test_what_is_no_picture_is_refused(edit: ComposerEdit, chat: ChatView, tmp_path: Path) -> None:
    (tmp_path / "x.png").write_bytes(b"<svg/>")
    (tmp_path / "big.png").write_bytes(PNG + b"\0" * attachments.MAX_BYTES)
    for name, words in (("x.png", "is not a PNG"), ("big.png", "larger than 10 MB"), ("none.png", "cannot be read")):
        chat.composer._add_files([str(tmp_path / name)])
        assert words in chat.composer.note.words()
    assert chat.composer.row.pictures == []


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
