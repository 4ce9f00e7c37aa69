"""Formulas and diagrams in a message: source, then the real process's picture; copying gives the source."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage

from deepchat_desktop.domain.blocks import TextBlock
from deepchat_desktop.presenters.message_list_model import MessageListModel
from deepchat_desktop.presenters.render import BYTES, Job, Made, Renders
from deepchat_desktop.services.render import RenderWorker
from deepchat_desktop.services.runtime.tasks import TaskOwner
from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks.cell import Cell, Choices
from deepchat_desktop.ui.blocks.code_shape import CodeShape
from deepchat_desktop.ui.blocks.diagram_shape import DiagramShape
from deepchat_desktop.ui.blocks.doc_shape import DocShape
from deepchat_desktop.ui.blocks.markdown_items import FORMULA_MARK
from deepchat_desktop.ui.blocks.math_shape import MathShape
from deepchat_desktop.ui.blocks.rendering import rendering
from deepchat_desktop.ui.blocks.shape import Scene
from deepchat_desktop.ui.blocks.stack_shape import StackShape
from deepchat_desktop.ui.blocks.svg_check import checked_box
from deepchat_desktop.ui.blocks.text_block import cells
from deepchat_desktop.ui.message_list.message_list import MessageList
from deepchat_desktop.ui.paint import painting
from deepchat_desktop.ui.theme import theme
from tests.ui.chat.conftest import make_message

pytestmark = pytest.mark.anyio
ALL = 1 << 40


class Page:
    """The cells of one answer, and the process that draws for them."""

    def __init__(self, worker: RenderWorker) -> None:
        self.worker = worker
        self.choices = Choices(0)
        self.cells: list[Cell] = []

    def show(self, text: str, *, open: bool = False) -> None:
        self.cells = cells(TextBlock(text=text, open=open), self.choices, self.cells)
        self.fit()

    def fit(self) -> None:
        for cell in self.cells:
            cell.ensure(600)

    async def until(self, fulfilled: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not fulfilled():
                await asyncio.sleep(0.01)
        self.fit()

    def shape(self, at: int = 0) -> Any:
        shape = self.cells[at].shape
        return shape.shapes[0] if isinstance(shape, StackShape) and len(shape.shapes) == 1 else shape


@pytest.fixture
async def page(qt_loop: Any) -> AsyncIterator[Page]:
    tasks = TaskOwner()
    worker = RenderWorker(tasks.start)
    rendering.connect_to(Renders(worker, tasks.start))
    yield Page(worker)
    rendering.connect_to(None)
    assert await tasks.close() == []


def ink(cell: Cell) -> int:
    """How many pixels are not the ground."""
    image = QImage(600, max(1, cell.height), QImage.Format.Format_RGB32)
    image.fill(theme.surface)
    assert cell.shape is not None
    with painting(image) as p:
        cell.shape.paint(p, image.rect().toRectF(), Scene())
    ground = theme.surface.rgb()
    return sum(image.pixel(x, y) != ground for x in range(image.width()) for y in range(image.height()))


async def test_a_formula_in_a_line_is_source_and_then_a_picture(page: Page) -> None:
    source = "Since $x_i^2$ and \\(a+b\\) it costs $5 and $10."
    page.show(source)
    shape = page.shape()
    assert isinstance(shape, DocShape)
    before = shape.text_between(0, ALL)
    assert before == source
    await page.until(lambda: len(page.shape().document.formulas) == 2)
    assert shape.document.toPlainText().count(FORMULA_MARK) == 2
    assert shape.text_between(0, ALL) == source
    assert shape.markdown_between(0, ALL) == source
    assert "$x_i^2$" in shape.html_between(0, ALL)
    assert page.cells[0].height == fonts.line_height(fonts.BODY), "a low formula leaves the line as it is"
    assert ink(page.cells[0]) > 200


async def test_a_high_formula_makes_its_line_higher(page: Page) -> None:
    page.show("A $\\frac{\\frac{a}{b}}{\\frac{c}{d}}$ in a line")
    await page.until(lambda: bool(page.shape().document.formulas))
    assert page.cells[0].height > fonts.line_height(fonts.BODY)


async def test_a_formula_that_cannot_be_set_keeps_its_source_and_says_why(page: Page) -> None:
    page.show("Broken: $\\ce{H2O}$ here")
    await page.until(lambda: bool(page.shape().hint_at(QPointF(1, 1))))
    assert page.shape().text_between(0, ALL) == "Broken: $\\ce{H2O}$ here"
    assert "\\ce" in page.shape().hint_at(QPointF(1, 1))


@pytest.mark.parametrize("source", ["$$\n\\frac{a}{b}\n$$", "\\[ \\frac{a}{b} \\]", "```math\n\\frac{a}{b}\n```"])
async def test_a_formula_of_its_own(page: Page, source: str) -> None:
    page.show(source)
    shape = page.shape()
    assert isinstance(shape, MathShape)
    assert shape.text_between(0, ALL) == source
    await page.until(lambda: not page.cells[0].shape or page.cells[0].shape.width == 0)
    assert shape.markdown_between(0, ALL) == source
    assert page.cells[0].markdown() == source
    assert page.cells[0].height > fonts.line_height(fonts.BODY)


async def test_only_closed_formulas_are_asked_for_while_streaming(page: Page) -> None:
    source = "So $a+b$ and $$\\frac{1}{2}$$ follow."
    for end in range(1, len(source)):
        page.show(source[:end], open=True)
    page.show(source)
    await page.until(lambda: len(page.shape().document.formulas) == 2)
    assert page.worker.asked == 2, "half a formula was drawn"


async def test_the_five_sizes_scale_the_same_picture(page: Page) -> None:
    page.show("$x_i^2$")
    await page.until(lambda: bool(page.shape().document.formulas))
    (formula,) = page.shape().document.formulas.values()
    widths = [formula.extent(size)[0] / size for size in fonts.TEXT_SIZES]
    assert max(widths) - min(widths) < 1e-9
    assert page.worker.asked == 1


FENCE = "```mermaid\nflowchart LR\n  a[读取] --> b\n```"


def spots(page: Page) -> list[str]:
    return [spot.name for spot in page.cells[0].shape.spots()] if page.cells[0].shape else []


async def test_a_diagram_is_drawn_when_asked_for(page: Page) -> None:
    page.show(FENCE[:-3], open=True)
    assert "Render" not in spots(page), "the fence is open"
    page.show(FENCE)
    shape = page.shape()
    assert isinstance(shape, DiagramShape)
    assert page.worker.started == 0
    height = page.cells[0].height
    assert "Render" in spots(page)
    assert shape.act("draw")
    page.fit()
    assert "Drawing…" in spots(page)
    assert page.cells[0].height == height, "the height stays while it is drawn"
    await page.until(lambda: shape.width == 0)
    assert shape.picture() is not None
    assert "Source" in spots(page)
    assert shape.text_between(0, ALL) == "flowchart LR\n  a[读取] --> b"
    picture = shape.picture()
    page.cells[0].drop()
    page.fit()
    assert page.shape().picture() is picture, "it is kept when the shape is dropped"
    page.shape().act("draw")
    page.fit()
    assert page.shape().picture() is None
    assert page.worker.asked == 1


async def test_a_broken_diagram_keeps_its_source_with_one_line(page: Page) -> None:
    page.show("```mermaid\nflowchart LR\n  a --> --> b\n```")
    shape = page.shape()
    height = page.cells[0].height
    shape.act("draw")
    page.fit()
    await page.until(lambda: shape.width == 0)
    assert shape.picture() is None
    assert "line 2" in shape.hint_at(QPointF(0, 0))
    assert page.cells[0].height > height
    assert "Render" in spots(page)


async def test_long_code_gets_its_colours_from_the_process(page: Page) -> None:
    page.show("```py\n" + "def f(x):\n    return 'a' % x\n" * 1000 + "```")
    shape = page.shape()
    assert isinstance(shape, CodeShape)
    assert shape.lines.colour(0.0) is False
    assert page.worker.asked == 0 or shape.lines.lexed == 0
    await page.until(lambda: not shape.lines.coloured)
    while shape.lines.colour(0.0):
        pass
    assert shape.lines.coloured
    assert ("def", "syn_keyword") in shape.lines.runs(0)
    assert "".join(words for words, _ in shape.lines.runs(1)) == shape.lines.lines[1]


async def test_a_long_text_is_put_right_by_the_process(page: Page) -> None:
    text = "A paragraph.\n\n" * 400 + "See[^n] and [x].\n\n[^n]: a note\n\n    goes on\n\n[x]: https://example.org\n"
    page.show(text)
    kept = page.choices.memory["text"]
    assert kept.check() is False
    await page.until(kept.due)
    assert kept.check() is True
    assert "".join(cell.markdown_exact() for cell in kept.cells) == text
    assert any("goes on" in cell.markdown() and "a note" in cell.markdown() for cell in kept.cells)


HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 -1 2 2">'


@pytest.mark.parametrize(
    "inner",
    ['<script>1</script>', '<image href="http://x.test/a.png"/>', '<use xlink:href="#a"/>', "<text>a</text>",
     '<path d="M0 0" onload="x()"/>', '<path d="M0 0" style="fill:url(http://x.test)"/>', "<style>*{}</style>",
     '<path d="M0 0" fill="url(http://x.test)"/>', "<foreignObject/>", '<a href="javascript:x"><path d="M0 0"/></a>',
     '<path d="M0 0 javascript:"/>', "<g>words</g>", '<rect xml:base="file:///etc/"/>', "<!-- x -->"],
)  # fmt: skip
async def test_what_is_no_shape_is_not_drawn(inner: str) -> None:
    assert checked_box(HEAD + '<path d="M 0 0 L 1 1" fill="#000"/></svg>') == (0, -1, 2, 2)
    with pytest.raises(ValueError, match="the picture"):
        checked_box(HEAD + inner + "</svg>")


@pytest.mark.parametrize(
    "svg",
    ["", "<svg", "<svg/>", HEAD.replace("0 -1 2 2", "0 0 1e9 1") + "</svg>",
     HEAD.replace("0 -1 2 2", "nan 0 1 1") + "</svg>",
     '<!DOCTYPE svg [<!ENTITY a "b">]>' + HEAD + "</svg>", '<?xml version="1.0"?>' + HEAD + "</svg>",
     HEAD + "<g>" * 400_000, HEAD.replace("www.w3.org/2000/svg", "x.test/svg") + "</svg>"],
)  # fmt: skip
async def test_what_is_no_svg_is_not_drawn(svg: str) -> None:
    with pytest.raises(ValueError, match="the picture"):
        checked_box(svg)


class Echo:
    """Stands for the process where only the keeping matters: it answers at once, with what was asked."""

    async def ask(self, _kind: str, arguments: dict[str, Any]) -> Any:
        return arguments["answer"]


async def test_what_was_made_is_kept_by_use_and_bounded(qt_loop: Any) -> None:
    tasks = TaskOwner()
    renders = Renders(Echo(), tasks.start)  # type: ignore[arg-type]
    done: list[str] = []
    renders.done.connect(done.append)
    big = "x" * (BYTES // 3)
    jobs = [Job("formula", {"answer": big, "n": n}, len) for n in range(4)]
    for job in jobs:
        renders.want(job, job.key())
        renders.want(job, job.key())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    assert len(done) == 4
    assert renders.look(jobs[0].key()) is None
    assert renders.look(jobs[3].key()) == Made(len(big))
    assert renders.bytes <= BYTES
    await tasks.close()


async def test_a_mark_leads_to_its_note_and_a_hint_is_plain_text(page: Page) -> None:
    model = MessageListModel()
    text = "See[^1]. $\\ce{<b>}$\n\n" + "A paragraph.\n\n" * 60 + "[^1]: The note.\n"
    model.load([make_message("m", TextBlock(text=text))], "s")
    view = MessageList(model)
    view.resize(700, 300)
    view.show()
    view.to_start()
    placed = view.layout_.placed[0]
    shape = placed.cell.shape
    assert isinstance(shape, StackShape)
    block = shape.shapes[0].document.firstBlock()  # type: ignore[attr-defined]
    x = block.layout().lineAt(0).cursorToX(block.text().index("See") + 3)[0] + 2
    assert shape.link_at(QPointF(x, 8)) == ("#note-1", "1")
    await page.until(lambda: bool(shape.hint_at(QPointF(1, 1))))
    assert "ce" in view.pointer.hint(QPointF(view.column().left() + 2, placed.y + 4))
    view.actions_.to_note(0, "1")
    assert any("The note." in placed.cell.markdown() for placed in view.layout_.placed)
    view.close()


async def test_a_huge_message_comes_in_slices_while_it_is_read(page: Page) -> None:
    model = MessageListModel()
    model.load([make_message("m", TextBlock(text="p\n\n" * 9_000))], "s")
    view = MessageList(model)
    view.resize(700, 300)
    view.show()
    view.to_start()
    async with asyncio.timeout(20):
        while len(view.layout_.entry(0).cells) < 9_000:
            await asyncio.sleep(0.01)
    assert view.layout_.top() == 0
    assert view.layout_.placed[0].y >= 0
    view.close()
