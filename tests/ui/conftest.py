"""The product's own style, given to the application once: each time would style every widget once more."""

import pytest
from PySide6.QtWidgets import QApplication

from deepchat_desktop.ui import style


@pytest.fixture(scope="session", autouse=True)
def _our_style(qapp: QApplication) -> None:
    style.install(qapp)
