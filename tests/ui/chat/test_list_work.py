"""How much work the list does: what is read, cut and built when a conversation opens, jumps, moves and rests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, QRect
from PySide6.QtGui import QPaintEvent
from pytestqt.qtbot import QtBot

from deepchat_desktop.domain.messages import Message, Session
from deepchat_desktop.presenters import message_view
from deepchat_desktop.presenters.message_list_model import MessageListModel
from deepchat_desktop.services.store import Store
from deepchat_desktop.ui.blocks.code_shape import CodeShape
from deepchat_desktop.ui.message_list import layout
from deepchat_desktop.ui.message_list.layout import KEPT, KEPT_ENTRIES
from deepchat_desktop.ui.message_list.message_list import MessageList
from tests.ui.chat.test_message_list import press, wheel

MESSAGES = 2000
ANSWER = "Some words.\n\n```python\ndef f(x: int) -> int:\n    return x\n```\n\n- one\n- two\n"


class Paints(QObject):
    """Counts the paint events of a widget; ``area`` is what the last one painted."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.area = QRect()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent):
            self.count += 1
            self.area = event.rect()
        return False


def fill(folder: Path, count: int) -> Store:
    store = Store.open(folder)
    facts = {"session_id": "s", "created_at": 1, "updated_at": 1}

    def write(tx) -> None:
        tx.sessions.add(Session(id="s", created_at=1, updated_at=1))
        for at in range(count):
            text = f"question {at}" if at % 2 == 0 else f"{at}. {ANSWER}"
            blocks = ({"kind": "text", "text": text},)
            told = {"id": f"m{at}", "role": ("user", "assistant")[at % 2], "blocks": blocks}
            tx.messages.add(Message.model_validate(told | facts))

    store.write_now(write)
    return store


@pytest.fixture
def model(qtbot: QtBot, tmp_path: Path) -> Iterator[MessageListModel]:
    store = fill(tmp_path, MESSAGES)
    made = MessageListModel()
    made.load(store.read_now(lambda tx: tx.messages.stored("s")), "s")
    yield made
    store.close_now()


def cut(view: MessageList) -> int:
    """Return how many messages were cut into cells."""
    return sum(entry is not None for entry in view.layout_.entries)


def seen(view: MessageList) -> set[int]:
    return {placed.row for placed in view.layout_.placed}


def test_opening_reads_cuts_and_builds_what_is_in_sight(view: MessageList, model: MessageListModel) -> None:
    assert model.message(MESSAGES - 1).blocks[0].text.startswith(f"{MESSAGES - 1}. ")
    assert model.reading.read <= len(seen(view)) + 1
    assert cut(view) <= len(seen(view)) + 1
    assert view.layout_.built <= len(view.layout_.placed) + 2


def test_a_jump_costs_a_screen_wherever_it_goes(view: MessageList, model: MessageListModel) -> None:
    bar = view.verticalScrollBar()
    for share in (0.03, 0.5, 0.77, 0.2):
        read, before, built = model.reading.read, cut(view), view.layout_.built
        bar.setSliderDown(True)
        bar.setSliderPosition(round(share * bar.maximum()))
        bar.setSliderDown(False)
        assert model.reading.read - read <= len(seen(view)) + 2
        assert cut(view) - before <= len(seen(view)) + 2
        assert view.layout_.built - built <= len(view.layout_.placed) + 3


def test_colours_of_a_view_are_painted_together(view: MessageList, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not view._idle.pending(), timeout=5000)
    qtbot.wait(100)
    paints = Paints()
    view.viewport().installEventFilter(paints)
    view.scroll_to_message(501)
    assert view._idle.pending()
    qtbot.waitUntil(lambda: not view._idle.pending(), timeout=5000)
    qtbot.wait(30)
    assert 1 <= paints.count <= 3  # the plain view, the coloured one, and one more where the machine is slow
    codes = [placed for placed in view.layout_.placed if isinstance(placed.cell.shape, CodeShape)]
    assert codes
    assert codes[0].y <= paints.area.top()
    assert paints.area.bottom() < codes[-1].bottom
    assert paints.area.width() == view.column().width()


def test_readings_as_a_whole_wait_until_the_view_rests(view: MessageList, qtbot: QtBot) -> None:
    qtbot.wait(200)
    for _ in range(6):
        wheel(view, 2)
        qtbot.wait(10)
    fresh = [view.layout_.entries[row] for row in sorted(seen(view))]
    assert any(entry is not None and entry.due() for entry in fresh)
    qtbot.waitUntil(lambda: not any(entry.due() for entry in fresh if entry is not None), timeout=5000)


def test_one_idle_slice_reads_one_text(view: MessageList, qtbot: QtBot) -> None:
    qtbot.wait(200)
    view.scroll_to_message(301)
    waiting = [entry for row in sorted(seen(view)) if (entry := view.layout_.entries[row]) is not None and entry.due()]
    assert len(waiting) >= 2
    assert view._check_whole()
    assert sum(entry.due() for entry in waiting) == len(waiting) - 1


def test_a_slow_screen_is_built_in_several_goes(
    view: MessageList, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    view.scroll_to_message(700)
    wanted = [(placed.row, placed.index, placed.y) for placed in view.layout_.placed]
    for go in (lambda: view.scroll_to_message(700), view.to_end):
        view.to_start()
        view.layout_.drop_shapes()
        monkeypatch.setattr(layout, "BUILD_S", 0.0)
        built = view.layout_.built
        go()
        assert view.layout_.built == built + 1
        assert view.layout_.unfinished
        assert all(placed.row >= 700 for placed in view.layout_.placed)
        qtbot.waitUntil(lambda: not view.layout_.unfinished)
        assert all(placed.cell.shape is not None for placed in view.layout_.placed)
        monkeypatch.setattr(layout, "BUILD_S", float("inf"))
        if not view.following:
            assert [(placed.row, placed.index, placed.y) for placed in view.layout_.placed] == wanted
    assert view.layout_.placed[-1].bottom == view.layout_.high - layout.BOTTOM


def test_going_through_everything_keeps_the_last_messages(view: MessageList, model: MessageListModel) -> None:
    for row in range(0, MESSAGES, 3):
        view.scroll_to_message(row)
    assert model.reading.read >= MESSAGES * 0.9
    assert cut(view) <= KEPT_ENTRIES + len(seen(view))
    alive = [cell for entry in view.layout_.entries if entry for cell in entry.cells if cell.shape is not None]
    assert len(alive) <= KEPT
    held = [message for message in model._messages if message is not None and message._blocks is not None]
    assert len(held) <= message_view.KEPT + len(seen(view))


def test_a_message_that_was_let_go_of_keeps_its_height(view: MessageList) -> None:
    view.scroll_to_message(11)
    entry = view.layout_.entries[11]
    assert entry is not None
    heights = [cell.height for cell in entry.cells]
    for row in range(100, 100 + 3 * KEPT_ENTRIES, 2):
        view.scroll_to_message(row)
    assert view.layout_.entries[11] is None
    assert view.heights.get(11) == sum(heights)
    view.scroll_to_message(11)
    again = view.layout_.entries[11]
    assert again is not None
    assert (again is entry, [cell.height for cell in again.cells]) == (False, heights)


def test_what_the_reader_chose_and_joined_parts_are_not_let_go_of(view: MessageList, qtbot: QtBot) -> None:
    view.scroll_to_message(11)
    press(view, 11, "wrap")
    view.scroll_to_message(21)
    joined = view.layout_.entries[21]
    assert joined is not None
    text = next(joined._texts())
    assert text.join([(0, len(text.scanner.text))])
    for row in range(100, 100 + 3 * KEPT_ENTRIES, 2):
        view.scroll_to_message(row)
    assert view.layout_.entries[9] is None
    assert view.layout_.entries[11] is not None
    assert view.layout_.entries[21] is joined
