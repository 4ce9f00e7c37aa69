"""What a search shows in the list: marks, the current hit in view, and everything opened that hides it."""


import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage

from deepchat_desktop.domain.blocks import ReasoningBlock, TextBlock, ToolCallBlock
from deepchat_desktop.domain.find import Needle
from deepchat_desktop.domain.messages import Message
from deepchat_desktop.ui.blocks.code_shape import CodeShape
from deepchat_desktop.ui.blocks.find_places import boxes, hits, leaves
from deepchat_desktop.ui.message_list.finding import COVERED
from deepchat_desktop.ui.message_list.message_list import MessageList
from deepchat_desktop.ui.theme import theme
from tests.ui.chat.conftest import make_message

FILLER = "Plain words that hold nothing of it. " * 40


def pixels(view: MessageList) -> QImage:
    return view.viewport().grab().toImage()


def has_current_mark(view: MessageList) -> bool:
    """Whether the colour of the current hit is to be seen."""
    image, wanted = pixels(view), theme.hit_now.rgb()
    return any(image.pixel(x, y) == wanted for y in range(0, image.height(), 2) for x in range(0, image.width(), 2))


def current(view: MessageList) -> tuple[QRectF, str] | None:
    """Where the current mark stands in the view, and the text under it."""
    hit = view.finding.session.current()
    assert hit is not None
    index = view.finding._cell_of(view.layout_.entry(hit.row).cells, hit)
    placed = next(p for p in view.layout_.placed if (p.row, p.index) == (hit.row, index))
    assert placed.cell.shape is not None
    spot = view.finding._spot(placed.cell, hit)
    if spot is None:
        return None
    leaf = list(leaves(placed.cell.shape))[spot[0]]
    box = boxes(leaf.shape, spot[1])[0].translated(leaf.corner).translated(0, placed.y)
    return box, leaf.shape.text_between(*spot[1])


def shown(view: MessageList) -> str:
    """The text that the current mark stands on, which is in view."""
    found = current(view)
    assert found is None or (found[0].top() >= 0 and found[0].bottom() <= view.viewport().height())
    return found[1] if found is not None else ""


def find(view: MessageList, words: str, *messages: Message) -> int:
    view._model.load([*(make_message(f"f{n}", TextBlock(text=FILLER)) for n in range(4)), *messages,
                      *(make_message(f"l{n}", TextBlock(text=FILLER)) for n in range(4))], "s")  # fmt: skip
    return view.find_all(words)


PLACES = {
    "paragraph": TextBlock(text=f"{FILLER}\n\nhere is the **Needle** in bold\n\n{FILLER}"),
    "list": TextBlock(text="\n".join([*(f"- entry {n}" for n in range(60)), "- a 🎉 `Needle` in code", "- end"])),
    "table": TextBlock(text="| a | b |\n|---|---|\n" + "| n | x |\n" * 60 + "| y | Needle |"),
    "code": TextBlock(text="```python\n" + "x = 1\n" * 90 + "Needle()\n```"),
    "indented code in a list": TextBlock(text="- one\n\n  ```c\n  int Needle;\n  ```\n"),
    "reasoning": ReasoningBlock(text=f"\n\n{FILLER}{FILLER}{FILLER} the Needle {FILLER}"),
    "result": ToolCallBlock(
        call_id="c", name="read", arguments={"path": "a"}, status="success", result="line\n" * 300 + "Needle"
    ),
    "tool name": ToolCallBlock(call_id="c", name="mcp__Needle__x", arguments={"a": "b"}, status="success"),
    "arguments": ToolCallBlock(call_id="c", name="exec", arguments={"cmd": "find Needle"}, status="success"),
}


@pytest.mark.parametrize("where", PLACES)
def test_the_current_hit_is_opened_brought_into_view_and_marked(view: MessageList, where: str) -> None:
    assert find(view, "needle", make_message("m", PLACES[where])) == 1
    assert shown(view) == "Needle"
    assert has_current_mark(view)
    view.finding.session.close()
    assert not has_current_mark(view)


def test_a_hit_of_the_user_is_shown_in_its_bubble(view: MessageList) -> None:
    assert find(view, "NEEDLE", make_message("m", TextBlock(text=f"{FILLER} the needle"), role="user")) == 1
    assert shown(view) == "needle"


def test_a_folded_group_opens_for_a_hit_in_one_of_its_calls(view: MessageList) -> None:
    calls = [
        ToolCallBlock(call_id=str(n), name="read", arguments={"path": f"p{n}"}, status="success", result=f"out {n}")
        for n in range(5)
    ]
    assert find(view, "out 3", make_message("m", *calls)) == 1
    assert shown(view) == "out 3"


def test_each_text_of_a_card_has_its_own_hits(view: MessageList) -> None:
    call = ToolCallBlock(
        call_id="c", name="needle", arguments={"a": "needle needle"}, status="success", result="x needle"
    )
    assert find(view, "needle", make_message("m", call)) == 4
    tops = []
    for _ in range(4):
        found = current(view)
        assert found is not None
        tops.append((round(found[0].top()), round(found[0].left())))
        view.finding.session.step(1)
    assert tops == sorted(set(tops))


def test_a_collapsed_code_block_opens(view: MessageList) -> None:
    code = TextBlock(text="```python\n" + "x = 1\n" * 60 + "needle\n```")
    find(view, "absent", make_message("m", code))
    view.scroll_to_message(4)
    shape = next(p.cell.shape for p in view.layout_.placed if isinstance(p.cell.shape, CodeShape))
    assert isinstance(shape, CodeShape)
    shape.act("collapse")
    view.layout_.entry(4).cells[0].stale()
    view.settle()
    assert view.find_all("needle") == 1
    assert (shown(view), shape.choices.collapsed) == ("needle", False)


def test_a_wide_line_scrolls_sideways_to_its_hit(view: MessageList) -> None:
    line = "w" * 400 + " needle " + "w" * 400
    assert find(view, "needle", make_message("m", TextBlock(text=f"```\n{line}\n```"))) == 1
    assert shown(view) == "needle"
    assert has_current_mark(view)


def test_a_hit_in_a_link_target_marks_the_block(view: MessageList) -> None:
    text = "see [the page](https://example.org/needle) for more"
    assert find(view, "needle", make_message("m", TextBlock(text=text))) == 1
    assert shown(view) == ""
    assert has_current_mark(view)


def test_the_right_one_of_many_hits_is_the_current_one_where_marks_hide_some(view: MessageList) -> None:
    text = "[x](https://a.b/needle) first needle of **two**, and the second needle of [y](https://needle.c/)"
    assert find(view, "needle", make_message("m", TextBlock(text=text))) == 4
    around = []
    for _ in range(4):
        hit = view.finding.session.current()
        assert hit is not None
        placed = next(p for p in view.layout_.placed if p.row == hit.row)
        spot = view.finding._spot(placed.cell, hit)
        leaf = next(leaves(placed.cell.shape)) if placed.cell.shape else None
        around.append(leaf.shape.text_between(spot[1][0] - 7, spot[1][0]) if spot and leaf else "")
        view.finding.session.step(1)
    assert around[1:3] == [" first ", "second "]


def test_all_hits_in_view_are_marked_and_only_those_are_read(view: MessageList) -> None:
    words = make_message("m", TextBlock(text="needle and Needle\n\nNEEDLE"))
    assert find(view, "needle", words, *(make_message(f"x{n}", TextBlock(text="needle " * 300)) for n in range(9))) > 20
    view.finding.drawn = 0
    pixels(view)
    assert 3 < view.finding.drawn < 1500


def test_a_hit_in_view_moves_nothing(view: MessageList) -> None:
    text = "\n\n".join(f"needle {n}" for n in range(12))
    find(view, "needle", make_message("m", TextBlock(text=text)))
    before = view.visible_range()
    for _ in range(3):
        view.finding.session.step(1)
        assert shown(view) == "needle"
    assert view.visible_range() == before


def test_no_hit_stays_under_the_bar(view: MessageList) -> None:
    find(view, "needle", make_message("m", TextBlock(text="needle\n\n" * 60)))
    for _ in range(60):
        view.finding.session.step(-1)
        found = current(view)
        assert found is not None
        assert found[0].top() >= COVERED


def test_a_very_long_line_is_read_only_where_it_is_in_sight(view: MessageList) -> None:
    shape = CodeShape("a" * 200_000 + "needle" + "b" * 200_000)
    shape.fit(700)
    leaf = next(leaves(shape))
    assert list(hits(leaf.shape, Needle("needle"), QRectF(0, 0, 700, 200))) == []
    assert list(hits(leaf.shape, Needle("needle"))) == [(200_000, 200_006)]
    leaf.shape.reveal(200_000)
    assert list(hits(leaf.shape, Needle("needle"), QRectF(0, 0, 700, 200))) == [(200_000, 200_006)]
