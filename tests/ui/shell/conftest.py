"""The window over in-memory presenters, in the light theme, torn down after each test."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.main_window import MainWindow
from deepchat_desktop.ui.theme import theme
from tests.fakes.presenters import FakePresenters
from tests.ui.shell.surface import PlainSurface


@pytest.fixture(autouse=True)
def _plain_look(qapp: QApplication) -> Iterator[None]:
    yield
    fonts.set_text_size(fonts.BODY)
    theme.use("light")


@pytest.fixture
def presenters() -> FakePresenters:
    return FakePresenters()


@pytest.fixture
def window(qtbot: QtBot, presenters: FakePresenters) -> Iterator[MainWindow]:
    made = make_window(presenters)
    qtbot.addWidget(made)
    made.show()
    made.activateWindow()
    yield made
    made.hide()


@pytest.fixture
def make(qtbot: QtBot) -> Callable[[FakePresenters], MainWindow]:
    def build(presenters: FakePresenters) -> MainWindow:
        made = make_window(presenters)
        qtbot.addWidget(made)
        made.show()
        made.activateWindow()
        return made

    return build


def make_window(presenters: FakePresenters) -> MainWindow:
    return MainWindow(
        session=presenters.session,
        agent=presenters.agent,
        setup=presenters.setup,
        settings=presenters.settings,
        make_chat=PlainSurface,
    )
