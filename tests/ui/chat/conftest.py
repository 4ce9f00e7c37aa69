"""A chat view and a message list over in-memory presenters."""

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from deepchat_desktop.domain.blocks import Block
from deepchat_desktop.domain.messages import Message
from deepchat_desktop.presenters.message_list_model import MessageListModel
from deepchat_desktop.ui.chat.chat_view import ChatView
from deepchat_desktop.ui.message_list.message_list import MessageList
from deepchat_desktop.ui.theme import theme
from tests.fakes.presenters import FakePresenters


@pytest.fixture
def fakes(qtbot: QtBot) -> FakePresenters:
    made = FakePresenters()
    made.session.current = "s"
    made.messages.load([], "s")
    return made


@pytest.fixture
def chat(qtbot: QtBot, fakes: FakePresenters) -> Iterator[ChatView]:
    view = ChatView(fakes.messages, fakes.agent, fakes.permission, fakes.session, theme)
    qtbot.addWidget(view)
    view.resize(900, 700)
    view.show()
    qtbot.waitExposed(view)
    view.activateWindow()
    qtbot.waitUntil(lambda: not view.message_list.held())
    yield view
    view.hide()


@pytest.fixture
def model(qtbot: QtBot) -> MessageListModel:
    return MessageListModel()


@pytest.fixture
def view(qtbot: QtBot, model: MessageListModel) -> Iterator[MessageList]:
    made = MessageList(model)
    qtbot.addWidget(made)
    made.resize(900, 600)
    made.show()
    qtbot.waitExposed(made)
    yield made
    made.hide()


def make_message(key: str, *blocks: Block, role: str = "assistant", **facts: object) -> Message:
    """A message of session "s"."""
    return Message.model_validate(
        {"id": key, "session_id": "s", "role": role, "blocks": blocks, "created_at": 1, "updated_at": 1, **facts}
    )
