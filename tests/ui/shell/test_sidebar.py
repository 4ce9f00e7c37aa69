"""The side bar by keyboard and pointer: what it asks the session presenter, and what it shows."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from deepchat_desktop.presenters.session_list_model import SessionRole
from deepchat_desktop.ui.main_window import MainWindow
from deepchat_desktop.ui.sidebar import WIDTH
from deepchat_desktop.ui.theme import theme
from tests.fakes.presenters import FakeLocal, FakePresenters

DAY = 24 * 3_600_000


def fill(presenters: FakePresenters) -> list[str]:
    session = presenters.session
    return [session.add("first").id, session.add("第二个会话", 1000).id, session.add("third", 2 * DAY).id]


def press(window: MainWindow, key: Qt.Key) -> None:
    QTest.keyClick(window.sidebar.list, key)


def test_width_and_the_empty_state(window: MainWindow, presenters: FakePresenters) -> None:
    assert window.sidebar.width() == WIDTH == 248
    assert not window.sidebar.list.isVisible()
    fill(presenters)
    assert window.sidebar.list.isVisible()


def test_up_and_down_pass_over_group_heads(window: MainWindow, presenters: FakePresenters) -> None:
    ids = fill(presenters)
    sessions = window.sidebar.list
    sessions.setFocus(Qt.FocusReason.TabFocusReason)
    seen = [sessions.current_id()]
    for _ in range(3):
        press(window, Qt.Key.Key_Down)
        seen.append(sessions.current_id())
    assert seen == [ids[0], ids[1], ids[2], ids[2]]
    for _ in range(4):
        press(window, Qt.Key.Key_Up)
    assert sessions.current_id() == ids[0]


def test_enter_opens_the_row_under_the_keyboard(window: MainWindow, presenters: FakePresenters) -> None:
    ids = fill(presenters)
    window.sidebar.list.setFocus(Qt.FocusReason.TabFocusReason)
    press(window, Qt.Key.Key_Down)
    press(window, Qt.Key.Key_Return)
    assert ("open", ids[1]) in presenters.session.calls
    assert window.header.title.title() == "第二个会话"


def test_a_click_opens_a_session_and_nothing_on_a_head(window: MainWindow, presenters: FakePresenters) -> None:
    ids = fill(presenters)
    view = window.sidebar.list
    model = presenters.session.model

    def click(row: int) -> None:
        spot = view.visualRect(model.index(row)).center()
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot)

    click(0)
    assert presenters.session.calls == []
    click(model.row_of(ids[2]))
    assert presenters.session.calls == [("open", ids[2])]


def test_delete_asks_first_and_escape_means_no(window: MainWindow, presenters: FakePresenters) -> None:
    ids = fill(presenters)
    sheet = window.sidebar.ask_delete(ids[0])
    assert sheet.isVisible()
    assert "first" in sheet.words.text()
    QTest.keyClick(sheet, Qt.Key.Key_Escape)
    assert presenters.session.model.session(ids[0]) is not None
    again = window.sidebar.ask_delete(ids[0])
    QTest.mouseClick(again.agree, Qt.MouseButton.LeftButton)
    assert ("delete", ids[0]) in presenters.session.calls


def test_the_delete_key_opens_the_sheet_with_cancel_as_default(
    window: MainWindow, presenters: FakePresenters
) -> None:
    from deepchat_desktop.ui.dialogs.confirm import ConfirmSheet

    fill(presenters)
    window.sidebar.list.setFocus(Qt.FocusReason.TabFocusReason)
    press(window, Qt.Key.Key_Delete)
    (sheet,) = window.findChildren(ConfirmSheet)
    assert sheet.cancel.isDefault()
    QTest.keyClick(sheet, Qt.Key.Key_Return)
    assert not any(call[0] == "delete" for call in presenters.session.calls)


def test_f2_renames_in_the_row(qtbot: QtBot, window: MainWindow, presenters: FakePresenters) -> None:
    ids = fill(presenters)
    view = window.sidebar.list
    view.setFocus(Qt.FocusReason.TabFocusReason)
    press(window, Qt.Key.Key_F2)
    (editor,) = view.findChildren(QLineEdit)
    assert editor.text() == "first"
    editor.setText("  新名字 ")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: presenters.session.calls != [])
    assert presenters.session.calls == [("rename", ids[0], "新名字")]
    assert presenters.session.model.title(ids[0]) == "新名字"


def test_the_keyboards_row_is_still_shown_after_a_rename(
    qtbot: QtBot, window: MainWindow, presenters: FakePresenters
) -> None:
    fill(presenters)
    view = window.sidebar.list
    view.setFocus(Qt.FocusReason.TabFocusReason)
    press(window, Qt.Key.Key_F2)
    (editor,) = view.findChildren(QLineEdit)
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    qtbot.waitUntil(view.hasFocus)
    assert view._paint.ring


@pytest.mark.parametrize("words", ["", "  ", "first"])
def test_an_emptied_or_unchanged_name_changes_nothing(
    qtbot: QtBot, window: MainWindow, presenters: FakePresenters, words: str
) -> None:
    ids = fill(presenters)
    view = window.sidebar.list
    window.sidebar.rename(ids[0])
    (editor,) = view.findChildren(QLineEdit)
    editor.setText(words)
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: view.state() != view.State.EditingState)
    assert presenters.session.calls == []


def test_an_editor_survives_a_change_of_the_list(
    qtbot: QtBot, window: MainWindow, presenters: FakePresenters
) -> None:
    ids = fill(presenters)
    window.sidebar.rename(ids[1])
    (editor,) = window.sidebar.list.findChildren(QLineEdit)
    editor.setText("kept")
    presenters.session.add("newcomer")
    assert window.sidebar.list.findChildren(QLineEdit) == [editor]
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: presenters.session.calls != [])
    assert presenters.session.calls == [("rename", ids[1], "kept")]


def test_the_menu_renames_pins_and_deletes(window: MainWindow, presenters: FakePresenters) -> None:
    ids = fill(presenters)
    menu = window.sidebar.list.menu_for(ids[0])
    names = [action.text() for action in menu.actions() if action.text()]
    assert names == ["Rename", "Pin", "Delete…"]
    menu.actions()[1].trigger()
    assert ("set_pinned", ids[0], True) in presenters.session.calls
    assert presenters.session.model.index(0).data(SessionRole.TITLE) == "Pinned"
    assert [a.text() for a in window.sidebar.list.menu_for(ids[0]).actions()][1] == "Unpin"


def test_search_asks_after_a_pause_and_escape_clears(window: MainWindow, presenters: FakePresenters) -> None:
    fill(presenters)
    search = window.sidebar.search
    search.setFocus()
    QTest.keyClicks(search, "thi")
    assert presenters.session.calls == []
    QTest.qWait(200)
    assert presenters.session.calls == [("search", "thi")]
    assert presenters.session.model.rowCount() == 2
    QTest.keyClick(search, Qt.Key.Key_Down)
    assert window.sidebar.list.hasFocus()
    search.setFocus()
    QTest.keyClick(search, Qt.Key.Key_Escape)
    QTest.qWait(200)
    assert search.text() == ""
    assert presenters.session.calls[-1] == ("search", "")
    assert presenters.session.model.rowCount() == 5


def test_the_foot_tells_of_the_local_model(window: MainWindow, presenters: FakePresenters) -> None:
    said = []
    for choice in (FakeLocal(state="ready"), FakeLocal(state="fetching", percent=34.4), FakeLocal(state="missing")):
        presenters.setup.set_local(choice)
        said.append(window.sidebar._status.text())
    assert said == ["Offline model ready", "Fetching, 34 %", ""]


def test_the_running_mark_turns_only_while_something_runs(window: MainWindow, presenters: FakePresenters) -> None:
    ids = fill(presenters)
    beat = window.sidebar.list._beat
    session = presenters.session.model.session(ids[0])
    assert session is not None
    presenters.session.model.apply(session.model_copy(update={"status": "generating"}))
    assert beat.isActive()
    presenters.session.model.apply(session)
    assert not beat.isActive()


def test_a_right_click_on_a_head_opens_no_menu(window: MainWindow, presenters: FakePresenters) -> None:
    from deepchat_desktop.ui.controls import Menu

    fill(presenters)
    QTest.mouseClick(window.sidebar.list.viewport(), Qt.MouseButton.RightButton, pos=QPoint(40, 15))
    assert window.sidebar.list.findChildren(Menu) == []


def test_the_keyboards_row_has_a_ring_and_a_click_takes_it_away(
    window: MainWindow, presenters: FakePresenters
) -> None:
    fill(presenters)
    view = window.sidebar.list
    view.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def edge() -> str:
        row = view.visualRect(view.currentIndex())
        return view.viewport().grab().toImage().pixelColor(row.center().x(), row.top() + 2).name()

    assert edge() == theme.accent.name()
    press(window, Qt.Key.Key_Down)
    assert edge() == theme.accent.name()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(view.currentIndex()).center())
    assert edge() == theme.selected.name()
