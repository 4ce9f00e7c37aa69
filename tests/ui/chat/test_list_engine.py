"""The list's engine: heights, places per session, groups, the keyboard, copying, and texts made to hurt."""

import random

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from deepchat_desktop.domain.blocks import PermissionBlock, TextBlock, ToolCallBlock
from deepchat_desktop.domain.events import BlockSet, BlockText
from deepchat_desktop.domain.messages import Message
from deepchat_desktop.domain.settings import WindowState
from deepchat_desktop.presenters.message_list_model import MessageListModel
from deepchat_desktop.ui.blocks.scanner import LIMIT
from deepchat_desktop.ui.blocks.text_block import TextCell
from deepchat_desktop.ui.message_list.heights import Heights
from deepchat_desktop.ui.message_list.layout import KEPT
from deepchat_desktop.ui.message_list.message_list import MessageList
from tests.ui.chat.conftest import make_message
from tests.ui.chat.test_message_list import cells_of, conversation, names, place, placed_of, press, wheel


def test_heights_agree_with_sums() -> None:
    chance = random.Random(4)
    plain = [chance.randrange(50) for _ in range(70)]
    heights = Heights()
    heights.reset(plain)
    for _ in range(300):
        if chance.random() < 0.3:
            plain.append(chance.randrange(50))
            heights.append(plain[-1])
        else:
            row = chance.randrange(len(plain))
            plain[row] = chance.randrange(50)
            heights.set(row, plain[row])
    assert [heights.prefix(row) for row in range(len(plain) + 1)] == [sum(plain[:row]) for row in range(len(plain) + 1)]
    for y in range(heights.total()):
        row, rest = heights.find(y)
        assert (sum(plain[:row]) + rest, rest < plain[row]) == (y, True)
    assert heights.find(heights.total() + 5)[0] == len(plain) - 1


def test_dragging_to_a_share_lands_on_the_message_there(view: MessageList, model: MessageListModel) -> None:
    model.load(conversation(2000))
    bar = view.verticalScrollBar()
    for share in (0.1, 0.35, 0.6, 0.9):
        wanted = view.heights.find(round(share * view.layout_.most()))[0]
        bar.setSliderDown(True)
        bar.setSliderPosition(round(share * bar.maximum()))
        assert abs(place(view)[0] - wanted) <= 1
        bar.setSliderDown(False)


def test_shapes_are_let_go_of_and_places_stay(view: MessageList, model: MessageListModel) -> None:
    model.load(conversation(400))
    for row in range(0, 400, 2):
        view.scroll_to_message(row)
    alive = [cell for entry in view.layout_.entries if entry for cell in entry.cells if cell.shape is not None]
    assert len(alive) <= KEPT
    assert place(view) == (398, 0, 0) or view.verticalScrollBar().value() == view.verticalScrollBar().maximum()


def test_the_place_is_kept_per_session(view: MessageList, model: MessageListModel) -> None:
    model.load(conversation(50), "one")
    wheel(view, 30)
    here = place(view)
    model.load([make_message("x", TextBlock(text="other"))], "two")
    assert view.following
    model.load(conversation(50), "one")
    assert place(view) == here
    assert not view.following


def test_the_place_is_kept_over_a_restart(view: MessageList, model: MessageListModel, qtbot: QtBot) -> None:
    model.load(conversation(50), "one")
    wheel(view, 30)
    here = place(view)
    model.load(conversation(3), "two")
    again = MessageList(model, held=True)
    qtbot.addWidget(again)
    again.resize(view.size())
    again.show()
    again.take_places(WindowState.model_validate_json(WindowState(places=view.places()).model_dump_json()).places)
    again.release()
    assert again.following, "the session that is open was left at its end"
    model.load(conversation(50), "one")
    assert place(again) == here
    assert not again.following
    model.load(conversation(50)[:2], "one")
    model.load(conversation(2), "two")
    assert again.following, "a place in a message that is gone is no place"
    again.hide()


def call(key: str, name: str, status: str = "success") -> ToolCallBlock:
    return ToolCallBlock.model_validate(
        {"call_id": key, "name": name, "arguments": {"path": f"{key}.py"}, "status": status}
    )


def test_finished_calls_fold_into_a_line(view: MessageList, model: MessageListModel) -> None:
    mark = PermissionBlock(interaction_id="i", call_id="c2", tool="exec", level="exec", summary="x", status="granted")
    blocks = (call("c1", "read"), call("c2", "exec"), mark, call("c3", "read"), call("c4", "edit", "running"))
    model.load([make_message("a", *blocks, status="streaming")])
    assert [cell.name() for cell in cells_of(view, 0)] == ["Read 2 files, ran a command", "edit c4.py Running"]
    press(view, 0, "group")
    assert names(view, 0) == ["group", "toggle", "toggle", "toggle", "toggle"]
    press(view, 0, "group")
    done = call("c4", "edit")
    model.apply(BlockSet(session_id="s", message_id="a", index=4, block=done))
    model.flush()
    assert cells_of(view, 0)[0].name() == "Read 2 files, ran a command, changed a file"


def test_tab_goes_from_spot_to_spot_and_out(view: MessageList, model: MessageListModel) -> None:
    model.load([make_message("a", TextBlock(text="```py\nx = 1\n```"))])
    view.setFocus()
    found = []
    while view.keyboard.tab(1):
        (placed,) = [placed for placed in view.layout_.placed if view.keyboard.lit(placed)]
        found.append(view.keyboard.lit(placed))
        assert view.keyboard.ring() is not None or not view.hasFocus()
    assert found == ["copy_code", "wrap", "copy", "retry"]
    assert view.keyboard.tab(1)
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert QGuiApplication.clipboard().text() == "x = 1"


def test_the_handle_of_wide_code_is_dragged(view: MessageList, model: MessageListModel) -> None:
    model.load([make_message("a", TextBlock(text="```\n" + "x" * 500 + "\n```"))])
    (placed, *_) = placed_of(view, 0)
    at = QPoint(view.column().left() + 20, placed.bottom - 5)
    QTest.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    QTest.mouseMove(view.viewport(), at + QPoint(50, 0))
    QTest.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=at + QPoint(50, 0))
    slide = placed.cell.shape.choices.slide
    assert 0 < slide.offset < slide.most()
    assert not slide.grabbed
    assert view.selection.bounds() is None
    before = slide.offset
    press(view, 0, "wrap")
    assert not slide.scrollable()
    press(view, 0, "wrap")
    assert slide.most() >= before


def test_control_shift_and_arrows_select_blocks(view: MessageList, model: MessageListModel) -> None:
    model.load([make_message("a", TextBlock(text="one\n\ntwo\n\n**three**"))])
    both = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(view, Qt.Key.Key_Down, both)
    assert view.selection.markdown() == "one"
    QTest.keyClick(view, Qt.Key.Key_Down, both)
    QTest.keyClick(view, Qt.Key.Key_Down, both)
    assert view.selection.markdown() == "one\n\ntwo\n\n**three**"
    QTest.keyClick(view, Qt.Key.Key_Up, both)
    QTest.keyClick(view, Qt.Key.Key_Up, both)
    assert view.selection.markdown() == "one"


def test_a_whole_table_is_copied_as_text_and_as_markdown(view: MessageList, model: MessageListModel) -> None:
    source = "| a | b |\n|---|---|\n" + "".join(f"| {i} | **x** |\n" for i in range(100))
    model.load([make_message("a", TextBlock(text=source))])
    view.scroll_to_message(0)
    placed = placed_of(view, 0)[0]
    table = placed.cell.shape.table_at(QPointF(5, 5))
    words = view.actions_.table_text(placed, table)
    assert words.split("\n") == ["a\tb", *(f"{i}\tx" for i in range(100))]
    assert view.actions_.table_markdown(placed, table) == source.strip("\n")


def test_a_cut_in_a_long_text_loses_nothing_on_copy(view: MessageList, model: MessageListModel) -> None:
    source = "A sentence of words. " * 3000 + "\n\n" + "- entry\n" * 3000 + "\n```\n" + "code\n" * 3000 + "```"
    model.load([make_message("a", TextBlock(text=source), status="interrupted")])
    assert len(cells_of(view, 0)) > 15
    view.selection.select_all()
    assert view.selection.markdown() == source


HURTING = {
    "one line": "a" * 10_000_000,
    "entries": "- entry\n" * 100_000,
    "rows": "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 5_000,
    "open fence": "```py\n" + "x = 1\n" * 100_000,
    "quotes": "> " * 200 + "deep",
    "html": "<div>" * 20_000,
    "nul": "\0" * 100_000,
    "surrogates": "\ud800\u202e\U000e0041" * 2_000,
    "brackets": "[" * 50_000,
}


@pytest.mark.parametrize("name", HURTING)
@pytest.mark.parametrize("role", ["assistant", "user"])
def test_a_text_made_to_hurt_costs_what_is_seen(
    view: MessageList, model: MessageListModel, name: str, role: str
) -> None:
    source = HURTING[name]
    block = TextBlock.model_construct(text=source)
    message = Message.model_construct(id="a", session_id="s", role=role, status="done", blocks=(block,))
    built = view.layout_.built
    model.load([message])
    view.scroll_to_message(0)
    view.grab()
    assert view.layout_.built - built < 80
    texts = [cell.part for cell in cells_of(view, 0) if isinstance(cell, TextCell)]
    assert all(part.end - part.start <= 2 * LIMIT for part in texts if part.kind not in ("fence", "indent"))
    view.selection.select_all()
    assert view.selection.markdown().strip("\n") == source.strip("\n")


def test_a_language_that_arrives_letter_by_letter_is_looked_up_when_its_line_ends(
    view: MessageList, model: MessageListModel
) -> None:
    model.load([make_message("a", TextBlock(text="", open=True), status="streaming")])
    seen = set()
    for letter in "```python\nx = 1\n":
        model.apply(BlockText(session_id="s", message_id="a", index=0, text=letter))
        model.flush()
        for cell in cells_of(view, 0):
            if isinstance(cell, TextCell) and cell.part.kind == "fence":
                seen.add(cell.shape.lines.language)
    assert seen == {"", "python"}
