"""The map of the conversation: bars, marks, clicks and drags, keys, and that it costs nothing while nothing changes."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from deepchat_desktop.domain.blocks import ErrorBlock, PermissionBlock, TextBlock
from deepchat_desktop.domain.events import BlockText, MessageAdded
from deepchat_desktop.domain.messages import Message
from deepchat_desktop.presenters.message_list_model import MessageListModel
from deepchat_desktop.ui.chat import minimap_image
from deepchat_desktop.ui.chat.minimap import FOOT, PAD, Minimap
from deepchat_desktop.ui.chat.minimap_image import WIDTH
from deepchat_desktop.ui.message_list.heights import Heights
from deepchat_desktop.ui.message_list.message_list import MessageList
from deepchat_desktop.ui.theme import theme
from tests.ui.chat.conftest import make_message


class Pair(QWidget):
    """A list with its map."""

    def __init__(self) -> None:
        super().__init__()
        self.model = MessageListModel()
        self.list = MessageList(self.model, self)
        self.map = Minimap(self.list, self.model, self)
        self.resize(900, 600)
        self.list.setGeometry(0, 0, 900 - WIDTH, 600)
        self.map.setGeometry(900 - WIDTH, 0, WIDTH, 600)

    def load(self, count: int, **others: Message) -> None:
        """Questions and answers by turns; ``m3=…`` replaces one."""
        made = [talk(row) for row in range(count)]
        for key, message in others.items():
            made[int(key[1:])] = message
        self.model.load(made, "s")
        self.list.to_start()


def talk(row: int) -> Message:
    words = f"Message {row}. " + "More words follow here. " * (row * 7 % 40)
    return make_message(f"m{row}", TextBlock(text=words), role="assistant" if row % 2 else "user")


@pytest.fixture
def pair(qtbot: QtBot) -> Iterator[Pair]:
    made = Pair()
    qtbot.addWidget(made)
    made.show()
    qtbot.waitExposed(made)
    yield made
    made.hide()


def settled(qtbot: QtBot, pair: Pair) -> QImage:
    """The map after everything that waits was drawn."""
    qtbot.waitUntil(lambda: not pair.map._later.isActive() and not pair.map._rows._scan.isActive())
    pair.map._draw_again()
    return pair.map.grab().toImage()


def coloured(image: QImage, colour: object, left: int, right: int) -> set[int]:
    """The lines in which a colour is to be seen between two columns."""
    return {y for y in range(image.height()) for x in range(left, right) if image.pixelColor(x, y) == colour}


def top_row(pair: Pair) -> int:
    return pair.list.layout_.anchor.row


@pytest.mark.parametrize("count", [1, 7, 300, 20_000])
def test_bars_cover_all_messages_once_with_work_that_follows_the_height(count: int) -> None:
    heights = Heights()
    heights.reset(20 + row * 37 % 500 for row in range(count))
    found = list(minimap_image.bars(heights, 500.0))
    assert [bar.first for bar in found[1:]] == [bar.last for bar in found[:-1]]
    assert (found[0].first, found[-1].last) == (0, count)
    assert len(found) <= min(count, 500 / minimap_image.PITCH + 2)
    assert found[-1].y + found[-1].room <= 500.5


def test_a_short_conversation_is_not_pulled_apart(pair: Pair) -> None:
    pair.load(3)
    box = pair.map.view_box()
    assert box.height() < pair.list.viewport().height() * 0.13
    assert pair.map.row_at(400) == -1


def test_each_side_and_each_mark_has_its_place_and_form(pair: Pair, qtbot: QtBot) -> None:
    error = make_message("e", TextBlock(text="x"), ErrorBlock(code="c", message="m"))
    asks = PermissionBlock(interaction_id="i", call_id="c", tool="t", level="l", summary="s")
    pair.load(60, m11=error, m31=make_message("w", asks))
    image = settled(qtbot, pair)
    assert coloured(image, theme.mapbot, 11, 20)
    assert coloured(image, theme.mapuser, 38, 45)
    assert not coloured(image, theme.mapuser, 11, 26)
    errors, waits = coloured(image, theme.danger, 3, 9), coloured(image, theme.warn, 3, 9)
    assert errors
    assert waits
    assert max(errors) < min(waits)
    assert len(errors) > len(waits)
    assert pair.map.accessibleDescription().endswith("Context: unknown · 1 with errors · 1 waiting for you")


def test_hits_are_ticks_where_they_are(pair: Pair, qtbot: QtBot) -> None:
    pair.load(60)
    assert pair.list.find_all("Message 40.") == 1
    lines = coloured(settled(qtbot, pair), theme.warn, 49, 54)
    place = PAD + pair.list.heights.prefix(40) * minimap_image.scale(pair.list.heights, pair.map._track())
    assert lines
    assert abs(min(lines) - place) < 4
    pair.list.finding.session.close()
    assert not coloured(settled(qtbot, pair), theme.warn, 49, 54)


@pytest.mark.parametrize("row", [0, 50, 150, 299])
def test_a_click_leads_to_the_message_under_it(pair: Pair, row: int) -> None:
    pair.load(300)
    by = minimap_image.scale(pair.list.heights, pair.map._track())
    y = int(PAD + (pair.list.heights.prefix(row) + pair.list.heights.get(row) / 2) * by)
    wanted = pair.map.row_at(y)
    QTest.mouseClick(pair.map, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(30, y))
    assert abs(wanted - row) <= 1
    assert wanted in {placed.row for placed in pair.list.layout_.placed}


def test_dragging_what_is_in_view_to_a_share_lands_on_that_share_of_the_tree(pair: Pair) -> None:
    pair.load(400)
    start = pair.map.view_box().center().toPoint()
    QTest.mousePress(pair.map, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start)
    for share in (0.2, 0.5, 0.8):
        total = pair.list.heights.total()
        y = start.y() + round(total * share * minimap_image.scale(pair.list.heights, pair.map._track()))
        wanted = pair.list.heights.find(round((y - start.y()) / pair.map._scale()))[0]
        QTest.mouseMove(pair.map, QPoint(30, y))
        assert abs(top_row(pair) - wanted) <= 1
    QTest.mouseRelease(pair.map, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(30, y))
    assert not pair.list.following


def test_dragging_to_the_end_follows_new_text(pair: Pair) -> None:
    pair.load(100)
    QTest.mouseClick(pair.map, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(30, 600 - FOOT - 2))
    assert pair.list.following


def test_keys_move_as_in_the_list(pair: Pair) -> None:
    pair.load(100)
    pair.map.setFocus()
    top = pair.list.visible_range()[0]
    QTest.keyClick(pair.map, Qt.Key.Key_Down)
    one = pair.list.visible_range()[0]
    QTest.keyClick(pair.map, Qt.Key.Key_PageDown)
    two = pair.list.visible_range()[0]
    assert top < one < two
    QTest.keyClick(pair.map, Qt.Key.Key_PageUp)
    QTest.keyClick(pair.map, Qt.Key.Key_Up)
    assert abs(pair.list.visible_range()[0] - top) <= 1
    QTest.keyClick(pair.map, Qt.Key.Key_End)
    assert pair.list.following
    QTest.keyClick(pair.map, Qt.Key.Key_Home)
    assert top_row(pair) == 0


def test_a_screen_reader_sees_a_slider_and_can_move_it(pair: Pair, qtbot: QtBot) -> None:
    pair.load(100)
    interface = QAccessible.queryAccessibleInterface(pair.map)
    assert interface.role() == QAccessible.Role.Slider
    assert interface.text(QAccessible.Text.Name) == "Map of the conversation"
    value = interface.valueInterface()
    assert value.currentValue() == pair.list.visible_range()[0]
    value.setCurrentValue(2_000)
    assert abs(pair.list.visible_range()[0] - 2_000) <= 400
    settled(qtbot, pair)
    assert pair.map.accessibleDescription().startswith(f"Message {top_row(pair) + 1} of 100")


def test_scrolling_draws_no_new_bars_and_tokens_draw_at_a_pace(pair: Pair, qtbot: QtBot) -> None:
    pair.load(200)
    pair.list.to_end()
    settled(qtbot, pair)
    before = pair.map.drawn
    for _ in range(20):
        pair.list.scroll_by(-3)
        pair.map.grab()
    assert pair.map.drawn == before
    pair.model.apply(MessageAdded(session_id="s", message=make_message("new", TextBlock(open=True))))
    settled(qtbot, pair)
    before = pair.map.drawn
    for _ in range(50):
        pair.model.apply(BlockText(session_id="s", message_id="new", index=0, text="word\n\n"))
        pair.model.flush()
        pair.map.grab()
    assert pair.map.drawn <= before + 1


def test_only_messages_that_share_no_bar_are_read_to_draw(pair: Pair, qtbot: QtBot) -> None:
    pair.model.load([make_message(f"m{row}", TextBlock(text=f"{row}")) for row in range(12_000)], "s")
    settled(qtbot, pair)
    assert 0 < len(pair.map._rows._known) < 10 * pair.map.height()


def test_the_preview_is_plain_text_with_what_cannot_be_seen_written_out(pair: Pair) -> None:
    pair.load(4, m2=make_message("x", TextBlock(text="<b>bold</b>\n\nnext \u202e line " + "w" * 500), role="user"))
    lines = pair.map.preview(2).split("\n")
    assert lines[0] == "3 · You"
    assert lines[1].startswith("<b>bold</b> next ‹U+202E› line www")
    assert lines[1].endswith("…")
    assert len(lines[1]) < 180


@pytest.mark.parametrize(("used", "window", "words"), [(0, 0, "unknown"), (900, 0, "unknown"), (380, 1000, "38 %")])
def test_the_foot_tells_the_context_or_that_it_is_unknown(pair: Pair, used: int, window: int, words: str) -> None:
    pair.map.show_context(used, window)
    assert f"Context: {words}" in pair.map.accessibleDescription()
    assert pair.map._percent in (words, "—")


def test_the_colours_follow_the_theme(pair: Pair, qtbot: QtBot) -> None:
    pair.load(30)
    theme.use("dark")
    try:
        assert coloured(settled(qtbot, pair), theme.mapbot, 11, 20)
    finally:
        theme.use("light")
