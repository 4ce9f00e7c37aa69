"""The message model: what reaches a view, and how often."""

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from deepchat_desktop.domain.blocks import Block, ReasoningBlock, TextBlock, ToolCallBlock
from deepchat_desktop.domain.events import BlockSet, BlockText, MessageAdded, MessageFinished, SessionDeleted
from deepchat_desktop.domain.messages import Message
from deepchat_desktop.presenters.message_list_model import MessageListModel


class Heard:
    """Every signal in order, as plain tuples."""

    def __init__(self, model: MessageListModel) -> None:
        self.log: list[tuple[object, ...]] = []
        model.reset.connect(lambda: self.log.append(("reset",)))
        model.message_added.connect(lambda row: self.log.append(("added", row)))
        model.block_text.connect(lambda row, block, text: self.log.append(("text", row, block, text)))
        model.block_changed.connect(lambda row, block: self.log.append(("block", row, block)))
        model.message_changed.connect(lambda row: self.log.append(("message", row)))

    def take(self) -> list[tuple[object, ...]]:
        taken, self.log = self.log, []
        return taken


def message(
    key: str, *blocks: Block, role: str = "assistant", status: str = "streaming", session: str = "s"
) -> Message:
    return Message.model_validate(
        {"id": key, "session_id": session, "role": role, "status": status, "blocks": blocks,
         "created_at": 1, "updated_at": 1}
    )  # fmt: skip


def text(index: int, added: str, key: str = "a", session: str = "s") -> BlockText:
    return BlockText(session_id=session, message_id=key, index=index, text=added)


def block(index: int, value: Block, key: str = "a") -> BlockSet:
    return BlockSet(session_id="s", message_id=key, index=index, block=value)


@pytest.fixture
def model(qtbot: QtBot) -> Iterator[MessageListModel]:
    made = MessageListModel()
    made.load([], "s")
    yield made
    made._timer.stop()


def test_first_block_is_shown_at_once_and_the_rest_becomes_one_change(model: MessageListModel) -> None:
    heard = Heard(model)
    model.apply(MessageAdded(session_id="s", message=message("a")))
    model.apply(block(0, TextBlock(text="H", open=True)))
    assert heard.take() == [("added", 0), ("block", 0, 0)]
    for char in "ello world" * 50:
        model.apply(text(0, char))
    assert heard.take() == []
    model.flush()
    assert heard.take() == [("text", 0, 0, "ello world" * 50)]
    assert model.message(0).blocks == [TextBlock(text="H" + "ello world" * 50, open=True)]


def test_a_timer_applies_what_waits(model: MessageListModel, qtbot: QtBot) -> None:
    heard = Heard(model)
    model.apply(MessageAdded(session_id="s", message=message("a")))
    model.apply(block(0, TextBlock(text="", open=True)))
    heard.take()
    for char in "abc":
        model.apply(text(0, char))
    qtbot.waitUntil(lambda: bool(heard.log))
    assert heard.take() == [("text", 0, 0, "abc")]
    qtbot.waitUntil(lambda: not model._timer.isActive())
    model.apply(text(0, "d"))
    assert heard.take() == [("text", 0, 0, "d")]


def test_a_new_state_replaces_the_text_that_waits(model: MessageListModel) -> None:
    model.load([message("a", ReasoningBlock(text="x", open=True))])
    model._timer.start()
    heard = Heard(model)
    model.apply(text(0, "y"))
    model.apply(block(0, ReasoningBlock(text="xy", open=False)))
    model.apply(block(1, TextBlock(text="A", open=True)))
    model.apply(text(1, "B"))
    model.flush()
    assert heard.take() == [("block", 0, 0), ("block", 0, 1)]
    assert model.message(0).blocks == [ReasoningBlock(text="xy"), TextBlock(text="AB", open=True)]


def test_arguments_grow(model: MessageListModel) -> None:
    model.load([message("a", ToolCallBlock(call_id="c", name="read", arguments_text='{"p'))])
    model.apply(text(0, 'ath": 1}'))
    model.flush()
    assert model.message(0).blocks[0] == ToolCallBlock(call_id="c", name="read", arguments_text='{"path": 1}')


def test_an_end_replaces_only_what_differs(model: MessageListModel) -> None:
    one, two = TextBlock(text="one"), TextBlock(text="two", open=True)
    model.load([message("a", one, two)])
    heard = Heard(model)
    done = message("a", one, TextBlock(text="two"), status="done")
    model.apply(MessageFinished(session_id="s", message=done))
    assert heard.take() == [("block", 0, 1), ("message", 0)]
    model.apply(MessageFinished(session_id="s", message=done))
    assert heard.take() == [("message", 0)]
    assert model.message(0).status == "done"


def test_an_end_never_overtakes_text(model: MessageListModel) -> None:
    model.load([message("a", TextBlock(text="a", open=True))])
    model._timer.start()
    heard = Heard(model)
    model.apply(text(0, "b"))
    model.apply(MessageAdded(session_id="s", message=message("b")))
    assert heard.take() == [("text", 0, 0, "b"), ("added", 1)]


def test_other_sessions_and_unknown_messages_change_nothing(model: MessageListModel) -> None:
    model.load([message("a", TextBlock(text="a"))])
    heard = Heard(model)
    model.apply(text(0, "x", session="other"))
    model.apply(text(0, "x", key="unknown"))
    model.apply(text(7, "x"))
    model.apply(block(7, TextBlock(text="gap")))
    model.apply(MessageAdded(session_id="other", message=message("b", session="other")))
    model.flush()
    assert heard.take() == []
    assert model.count() == 1
    empty = MessageListModel()
    empty.apply(MessageAdded(session_id="", message=message("b", session="")))
    assert empty.count() == 0


def test_loading_drops_what_waits_and_a_deleted_session_is_empty(model: MessageListModel) -> None:
    model.load([message("a", TextBlock(text="a"))])
    model._timer.start()
    model.apply(text(0, "lost"))
    heard = Heard(model)
    model.load([message("a", TextBlock(text="a, whole"))])
    model.flush()
    assert heard.take() == [("reset",)]
    assert model.message(0).blocks == [TextBlock(text="a, whole")]
    model.apply(SessionDeleted(session_id="s"))
    assert model.count() == 0
    assert model.session_id == ""
