"""Input methods in every one-line field: what is being composed neither searches, accepts, nor leaves."""

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QInputMethodEvent, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from deepchat_desktop.ui.controls_shown import Field, SearchField
from deepchat_desktop.ui.main_window import MainWindow
from tests.architecture.source import modules
from tests.fakes.presenters import FakePresenters

KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Down)


def compose(widget: QWidget, preedit: str, commit: str = "") -> None:
    event = QInputMethodEvent(preedit, [])
    if commit:
        event.setCommitString(commit)
    QApplication.sendEvent(widget, event)


def test_every_field_of_the_program_is_of_this_kind() -> None:
    made = [module.name for module in modules() if "QLineEdit(" in module.text]
    assert [name for name in made if not name.endswith("ui/composing.py")] == []


@pytest.mark.parametrize("kind", [Field, SearchField])
def test_keys_of_a_composition_do_nothing(qtbot: QtBot, kind: type[Field]) -> None:
    host = QWidget()
    qtbot.addWidget(host)
    field, other = kind("Name"), Field("Other")
    box = QVBoxLayout(host)
    box.addWidget(field)
    box.addWidget(other)
    host.show()
    host.activateWindow()
    qtbot.waitExposed(host)
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    seen: list[str] = []
    field.returnPressed.connect(lambda: seen.append("accepted"))
    field.textChanged.connect(seen.append)
    compose(field, "ni")
    compose(field, "nihao")
    for key in KEYS:
        QTest.keyClick(field, key)
        override = QKeyEvent(QEvent.Type.ShortcutOverride, key, Qt.KeyboardModifier.NoModifier)
        override.ignore()
        QApplication.sendEvent(field, override)
        assert override.isAccepted(), "no shortcut takes it"
    assert seen == []
    assert field.hasFocus()
    compose(field, "", "你好")
    assert seen == ["你好"]
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert seen == ["你好", "accepted"]
    QTest.keyClick(field, Qt.Key.Key_Tab)
    assert other.hasFocus()


def test_a_composition_does_not_end_renaming_or_search(
    window: MainWindow, presenters: FakePresenters, qtbot: QtBot
) -> None:
    session = presenters.start("old")
    window.sidebar.rename(session.id)
    (editor,) = [child for child in window.sidebar.list.findChildren(QLineEdit) if child.isVisible()]
    compose(editor, "xin")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert editor.isVisible()
    assert [call for call in presenters.session.calls if call[0] == "rename"] == []
    compose(editor, "", "新")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: ("rename", session.id, "新") in presenters.session.calls)
    compose(window.sidebar.search, "xin")
    assert not window.sidebar._pause.isActive()
    compose(window.sidebar.search, "", "新")
    assert window.sidebar._pause.isActive()
