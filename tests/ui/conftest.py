"""The product's own style, given to the application once: each time would style every widget once more.

A list is built in one go however slow the machine is; the test of building in several sets ``BUILD_S`` itself.
"""

import pytest
from PySide6.QtWidgets import QApplication

from deepchat_desktop.ui import style
from deepchat_desktop.ui.message_list import layout


@pytest.fixture(scope="session", autouse=True)
def _our_style(qapp: QApplication) -> None:
    style.install(qapp)


@pytest.fixture(autouse=True)
def _built_in_one_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "BUILD_S", float("inf"))
