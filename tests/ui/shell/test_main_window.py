"""The window as a whole: sizes, folding, regions, shortcuts, settings, theme, and what it remembers."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from deepchat_desktop.domain.settings import WindowState
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.main_window import MainWindow
from deepchat_desktop.ui.theme import theme
from tests.fakes.presenters import FakePresenters

Make = Callable[[FakePresenters], MainWindow]


def key(window: MainWindow, code: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Press a key as the system does: at the window, which hands it to the focused widget."""
    QTest.keyClick(window.windowHandle(), code, modifier)


def test_size_and_minimum(window: MainWindow) -> None:
    assert (window.width(), window.height()) == (1200, 800)
    window.resize(300, 200)
    assert (window.width(), window.height()) == (760, 520)


def test_the_side_bar_folds_below_900_and_comes_back(window: MainWindow) -> None:
    assert window.sidebar.isVisible()
    assert not window.header.unfold.isVisible()
    window.resize(899, 700)
    assert not window.sidebar.isVisible()
    QTest.mouseClick(window.header.unfold, Qt.MouseButton.LeftButton)
    assert window.sidebar.isVisible()
    window.resize(1000, 700)
    window.resize(880, 700)
    assert not window.sidebar.isVisible()
    window.resize(900, 700)
    assert window.sidebar.isVisible()


def test_a_fold_in_a_wide_window_is_remembered(window: MainWindow, presenters: FakePresenters, make: Make) -> None:
    window.resize(1000, 640)
    QTest.mouseClick(window.sidebar.fold, Qt.MouseButton.LeftButton)
    closed: list[int] = []
    window.closing.connect(lambda: closed.append(1))
    window.close()
    assert closed == [1]
    state = presenters.settings.window()
    assert state.sidebar is False
    again = make(presenters)
    assert not again.sidebar.isVisible()
    assert again.height() == 640  # the offscreen screen is too narrow for the width


def test_a_damaged_geometry_is_ignored(presenters: FakePresenters, make: Make) -> None:
    presenters.settings.save_window(WindowState(geometry="not base 64 ü"))
    assert make(presenters).width() == 1200


def test_f6_goes_round_the_regions(window: MainWindow, presenters: FakePresenters) -> None:
    presenters.session.add("one")
    regions = [window.sidebar.list, *window.surface.focus_regions()]
    regions[-1].setFocus()
    seen = []
    for _ in range(4):
        key(window, Qt.Key.Key_F6)
        seen.append(QApplication.focusWidget())
    assert seen == [regions[0], regions[1], regions[2], regions[0]]
    key(window, Qt.Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
    assert QApplication.focusWidget() is regions[2]


def test_typing_goes_to_the_composer_from_the_start(window: MainWindow, presenters: FakePresenters) -> None:
    assert QApplication.focusWidget() is window.surface.focus_regions()[-1]
    window.sidebar.list.setFocus()
    QTest.mouseClick(window.sidebar.new_button, Qt.MouseButton.LeftButton)
    assert QApplication.focusWidget() is window.surface.focus_regions()[-1]
    session = presenters.session.add("one")
    window.sidebar.list.setFocus()
    window.sidebar.list.opened.emit(session.id)
    assert presenters.session.calls[-1] == ("open", session.id)
    assert QApplication.focusWidget() is window.surface.focus_regions()[-1]


def test_f6_shows_where_it_went(window: MainWindow) -> None:
    QTest.mouseClick(window.windowHandle(), Qt.MouseButton.LeftButton, pos=window.header.title.geometry().center())
    window.focus_composer()
    assert not window.ring.keyboard
    key(window, Qt.Key.Key_F6)
    assert window.ring.keyboard


def test_f6_skips_what_is_hidden(window: MainWindow) -> None:
    window.resize(800, 600)
    window.focus_composer()
    key(window, Qt.Key.Key_F6)
    assert QApplication.focusWidget() is window.surface.focus_regions()[0]


def test_ctrl_n_and_ctrl_comma(window: MainWindow, presenters: FakePresenters) -> None:
    key(window, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
    assert window.settings_open()
    key(window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert not window.settings_open()
    assert presenters.session.calls == [("new_session",), ("open", "")]
    assert window.surface.focus_regions()[-1].hasFocus()


def test_escape_leaves_the_settings(window: MainWindow) -> None:
    window.open_settings()
    key(window, Qt.Key.Key_Escape)
    assert not window.settings_open()


def test_the_empty_page_follows_the_choice(window: MainWindow, presenters: FakePresenters) -> None:
    assert window.first_start is not None
    assert window.first_start.isVisible()
    assert window.header.title.title() == "Welcome"
    presenters.agent.model_label = "SmolLM2"
    session = presenters.start("一次对话")
    assert window.header.title.title() == "一次对话"
    assert not window.first_start.isVisible()
    presenters.session.rename(session.id, "Another name")
    assert window.header.title.title() == "Another name"
    presenters.session.open("")
    assert window.header.title.title() == "New session"


def test_it_begins_with_the_session_that_is_expected(presenters: FakePresenters, make: Make) -> None:
    session = presenters.session.add("Yesterday's work")
    presenters.session.current = session.id
    window = make(presenters)
    assert window.header.title.title() == "Yesterday's work"
    assert window.sidebar.list.current_id() == session.id
    assert window.first_start is None
    presenters.session.open("")
    assert window.first_start is not None


def test_a_provider_is_a_choice_made(presenters: FakePresenters, make: Make) -> None:
    presenters.agent.model_label = "big-model"
    presenters.settings.add("P", "http://127.0.0.1:1")
    assert make(presenters).first_start is None


def test_the_header_menu(window: MainWindow, presenters: FakePresenters) -> None:
    presenters.start("a")
    actions = {action.text(): action for action in window.header.menu().actions()}
    actions["Dark theme"].trigger()
    assert presenters.settings.theme() == "dark"
    assert theme.name == "dark"
    actions["Settings"].trigger()
    assert window.settings_open()


def test_rename_from_the_header_opens_the_row(qtbot: QtBot, window: MainWindow, presenters: FakePresenters) -> None:
    presenters.start("a")
    window.fold_sidebar(True)
    actions = {action.text(): action for action in window.header.menu().actions()}
    actions["Rename session"].trigger()
    qtbot.waitUntil(lambda: len(window.sidebar.list.findChildren(QLineEdit)) == 1)
    assert window.sidebar.isVisible()


def test_the_folder_dialog_does_not_block(window: MainWindow, presenters: FakePresenters) -> None:
    dialog = window.header.choose_folder()
    assert isinstance(dialog, QFileDialog)
    dialog.fileSelected.emit("/home/me/项目")
    dialog.close()
    assert presenters.agent.calls == [("set_workspace", "/home/me/项目")]
    assert window.header.folder.text() == "项目"
    assert "/home/me/项目" in window.header.folder.accessibleName()


def test_notices_are_told_and_put_away(window: MainWindow, presenters: FakePresenters) -> None:
    presenters.session.notice.emit("store_full", "<b>The disk is full.</b>")
    assert window.notice.isVisible()
    assert window.notice.words.text() == "<b>The disk is full.</b>"
    QTest.mouseClick(window.notice.dismiss, Qt.MouseButton.LeftButton)
    assert not window.notice.isVisible()


def ground(widget: QWidget) -> QColor:
    return widget.grab().toImage().pixelColor(2, widget.height() - 3)


def test_a_theme_switch_repaints_everything(window: MainWindow, presenters: FakePresenters) -> None:
    parts: list[tuple[QWidget, str]] = [(window.sidebar, "window"), (window.header, "surface"), (window, "window")]
    for choice in ("light", "dark", "light"):
        presenters.settings.set_theme(choice)
        for part, token in parts:
            assert ground(part).name() == getattr(theme, token).name()
    label = window.sidebar._empty
    presenters.settings.set_theme("dark")
    assert label.palette().color(label.foregroundRole()).name() == theme.subtle.name()


def test_text_size_scales_and_comes_back(window: MainWindow, presenters: FakePresenters) -> None:
    label = window.sidebar._empty
    before = label.font().pixelSize()
    presenters.settings.set_text_size(18)
    assert (before, label.font().pixelSize()) == (13, 17)
    assert window.sidebar.settings_button.sizeHint().width() > 90
    presenters.settings.set_text_size(14)
    assert label.font().pixelSize() == 13
    with pytest.raises(ValueError, match="text size"):
        fonts.set_text_size(15)


def test_chinese_and_long_titles_fit(window: MainWindow, presenters: FakePresenters) -> None:
    presenters.start("一个非常非常长的标题" * 20)
    window.resize(760, 520)
    header = window.header
    assert header.title.geometry().right() < header.folder.geometry().left()
    assert window.width() == 760


def test_labels_are_plain_text(window: MainWindow, presenters: FakePresenters) -> None:
    window.open_settings()
    sheets = [window.sidebar.ask_delete(presenters.start("<img src=/etc/passwd>").id)]
    assert window.first_start is not None
    sheets += [window.first_start.add_key()]  # type: ignore[list-item]
    labels = [label for root in (window, *sheets) for label in root.findChildren(QLabel)]
    assert len(labels) > 30
    wrong = [label.text() for label in labels if label.textFormat() != Qt.TextFormat.PlainText]
    assert wrong == []
    for sheet in sheets:
        sheet.reject()


def test_tool_tips_show_foreign_text_as_it_is(window: MainWindow, presenters: FakePresenters) -> None:
    evil = "<img src='/etc/passwd'>"
    session = presenters.start(evil)
    presenters.agent.set_workspace(f"/tmp/{evil}")
    model = presenters.session.model
    index = model.index(model.row_of(session.id))
    tips = [str(index.data(Qt.ItemDataRole.ToolTipRole)), window.header.folder.toolTip()]
    assert all("&lt;img" in tip and "<img" not in tip for tip in tips)


def test_finding_is_offered_while_a_session_is_open(window: MainWindow, presenters: FakePresenters) -> None:
    presenters.session.new_session()
    assert not window.header.find_button.isVisible()
    presenters.start("One")
    assert window.header.find_button.isVisible()
    QTest.mouseClick(window.header.find_button, Qt.MouseButton.LeftButton)
    assert QApplication.focusWidget() is window.surface.messages  # type: ignore[attr-defined]


def test_the_map_is_shown_unless_it_was_put_away_and_that_is_remembered(
    window: MainWindow, presenters: FakePresenters, make: Callable[[FakePresenters], MainWindow]
) -> None:
    assert window.surface.minimap  # type: ignore[attr-defined]
    entry = next(action for action in window.header.menu().actions() if action.text() == "Map of the conversation")
    assert entry.isChecked()
    entry.trigger()
    assert not window.surface.minimap  # type: ignore[attr-defined]
    window.remember()
    assert not make(presenters).surface.minimap  # type: ignore[attr-defined]
