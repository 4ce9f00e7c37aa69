"""The security cases of areas "markdown" and "unicode", each with the test that shows it.

``HANDLERS`` maps a case's id to its test. A case without a handler fails, so that none is missed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QWidget

from deepchat_desktop.domain.blocks import TextBlock
from deepchat_desktop.domain.hidden_text import without_hidden
from deepchat_desktop.domain.messages import Session, SessionSettings
from deepchat_desktop.domain.terminal_text import for_terminal
from deepchat_desktop.domain.visible_text import MAX_MARKS, visible_exact
from deepchat_desktop.presenters.find_in_session import FindInSession
from deepchat_desktop.presenters.message_list_model import MessageListModel
from deepchat_desktop.presenters.session_list_model import SessionListModel, SessionRole
from deepchat_desktop.services.files.resolve import resolve
from deepchat_desktop.services.providers.registry import make_decoder
from deepchat_desktop.services.render import RenderFailed, RenderWorker
from deepchat_desktop.services.runtime.tasks import TaskOwner
from deepchat_desktop.services.tools import read
from deepchat_desktop.ui.blocks.cell import Cell, Choices
from deepchat_desktop.ui.blocks.doc_build import SilentDocument
from deepchat_desktop.ui.blocks.markdown_items import CodeItem, Item, MathItem, PictureItem, TextItem
from deepchat_desktop.ui.blocks.markdown_parse import parse
from deepchat_desktop.ui.blocks.svg_check import checked_box
from deepchat_desktop.ui.blocks.text_block import cells
from deepchat_desktop.ui.chat.composer import Composer
from deepchat_desktop.ui.open_external import RefusedLink, clean_url, open_external
from tests.fakes.presenters import FakePresenters
from tests.ui.chat.conftest import make_message

CASES_FILE = Path(__file__).resolve().parents[1] / "data" / "security.jsonl"
AREAS = ("markdown", "unicode")
Case = dict[str, Any]
Handler = Callable[[Case, Path], Awaitable[None]]


def load() -> list[Case]:
    lines = CASES_FILE.read_text(encoding="utf-8").splitlines()
    return [case for case in map(json.loads, lines) if case["area"] in AREAS]


@pytest.mark.anyio
@pytest.mark.parametrize("case", load(), ids=lambda case: case["id"])
async def test_text_case(case: Case, tmp_path: Path, qapp: Any) -> None:
    handler = HANDLERS.get(case["id"])
    assert handler is not None, f"no test shows {case['id']}: {case['expected']['why']}"
    await handler(case, tmp_path)


def source_of(case: Case) -> str:
    given = case["input"]
    if isinstance(given, str):
        return given
    if "generate" in given:
        total = given["repeat_total_chars"]
        return str((given["generate"] * (total // len(given["generate"]) + 1))[:total])
    return str(given["text"])


def built(source: str) -> tuple[list[Cell], str]:
    """The cells of an answer, all built, and the text that they show."""
    made = cells(TextBlock(text=source), Choices(0), [])
    for cell in made:
        cell.ensure(600)
        for document in documents(cell.shape):
            assert document.requested == []
    return made, "\n".join(cell.shape.text_between(0, 1 << 40) for cell in made if cell.shape is not None)


def documents(shape: Any) -> Iterator[SilentDocument]:
    inner = getattr(shape, "shapes", [shape])
    yield from (one.document for one in inner if isinstance(getattr(one, "document", None), SilentDocument))


def links_of(items: tuple[Item, ...]) -> list[str]:
    return [span.link for item in items if isinstance(item, TextItem) for span in item.spans if span.link]


async def remote_picture_is_a_stand_in(case: Case, _folder: Path) -> None:
    (item,) = parse(source_of(case))
    assert isinstance(item, TextItem)
    (span,) = item.spans
    assert span.image
    assert "x.test" in span.text
    assert clean_url(span.link) == "http://x.test/?d=SECRET"  # what the sheet shows before it is opened
    built(source_of(case))


async def only_raster_data(case: Case, _folder: Path) -> None:
    assert not any(isinstance(item, PictureItem) for item in parse(source_of(case)))
    built(source_of(case))


async def html_is_text(case: Case, _folder: Path) -> None:
    _, shown = built(source_of(case))
    assert "".join(shown.split()) == "".join(source_of(case).replace("**", "").split())


async def scheme_is_refused(case: Case, _folder: Path) -> None:
    for link in links_of(parse(source_of(case))):
        with pytest.raises(RefusedLink):
            clean_url(link)


def sheet_for(case: Case) -> str:
    (item,) = parse(source_of(case))
    assert isinstance(item, TextItem)
    parent = QWidget()
    sheet = open_external(item.spans[0].link, shown=item.spans[0].text, parent=parent)
    assert sheet is not None, "it was opened without asking"
    said = " ".join(label.text() for label in sheet.findChildren(QWidget) if hasattr(label, "text"))
    sheet.close()
    return said


async def the_real_host_is_shown(case: Case, _folder: Path) -> None:
    assert "evil.test" in sheet_for(case)


async def user_info_is_refused(case: Case, _folder: Path) -> None:
    with pytest.raises(RefusedLink):  # stricter than asking: such an address is never opened
        clean_url(links_of(parse(source_of(case)))[0])


async def the_host_is_in_punycode(case: Case, _folder: Path) -> None:
    assert "xn--" in sheet_for(case)


async def a_diagram_is_text(case: Case, _folder: Path) -> None:
    (item,) = parse(source_of(case))
    assert isinstance(item, CodeItem)
    owner = TaskOwner()
    worker = RenderWorker(owner.start)
    asked = {"source": item.text, "colours": {}, "scale": 1.0}
    with pytest.raises(RenderFailed):  # a label that asks for a picture is not drawn: the source stays
        await worker.ask("diagram", asked)
    plain = item.text.replace("<img src=x onerror=alert(1)>", "<b>x</b>")
    drawn = await worker.ask("diagram", asked | {"source": plain})
    assert set(drawn) == {"png", "scale"}  # a picture: nothing in it can act
    await owner.close()


async def a_formula_carries_no_link(case: Case, _folder: Path) -> None:
    (item,) = parse(source_of(case))
    assert isinstance(item, MathItem)
    owner = TaskOwner()
    svg = await RenderWorker(owner.start).ask("formula", {"tex": item.tex, "display": True})
    assert "javascript" not in svg
    checked_box(svg)
    for bad in ("href", "xlink:href"):
        with pytest.raises(ValueError, match=r"the picture"):
            checked_box(svg.replace("<path ", f'<path {bad}="javascript:alert(1)" ', 1))
    await owner.close()


async def bidi_is_shown(case: Case, _folder: Path) -> None:
    _, shown = built(source_of(case))
    assert not set(shown) & set("\u202e\u2066\u2069")
    assert "‹U+202E›" in shown


async def nothing_holds_the_loop(case: Case, _folder: Path) -> None:
    """Wall time stands in for what cannot be counted: far beyond what is needed, far below a freeze."""
    source = source_of(case)
    start = time.perf_counter()
    choices = Choices(0)
    cells(TextBlock(text=source), choices, [])[0].ensure(600)
    assert time.perf_counter() - start < 5
    text = choices.memory["text"]
    while text.due():  # in idle
        text.check()
    assert "".join(cell.markdown_exact() for cell in text.cells) == source


async def escapes_lose_their_effect(case: Case, _folder: Path) -> None:
    made, shown = built(source_of(case))
    assert "\x1b" not in shown
    assert "\x07" not in shown
    shape = made[0].shape
    assert shape is not None
    assert not {"\x1b", "\x07"} & set(shape.markdown_between(0, shape.length()))


async def code_copies_as_shown(case: Case, _folder: Path) -> None:
    _, shown = built(source_of(case))
    assert shown == "rm -rf x"


async def tags_are_removed_and_counted(case: Case, folder: Path) -> None:
    file = folder / "a.txt"
    file.write_text(source_of(case), encoding="utf-8")
    answer = read.run(resolve(str(file), workspace=str(folder), forbidden=folder / "own"), {})
    assert answer.startswith("1\thello" if case["id"] == "uni-001" else "1\ta\n")
    assert without_hidden(answer)[1] == 0
    hidden = without_hidden(source_of(case))[1]
    assert f"{hidden} invisible characters were removed" in answer
    assert hidden > 0


async def the_user_is_asked(case: Case, _folder: Path) -> None:
    fakes = FakePresenters()
    window = QWidget()
    composer = Composer(fakes.agent, fakes.session, window)
    composer.edit.setPlainText(source_of(case))
    composer.submit()
    assert [call for call in fakes.agent.calls if call[0] == "send"] == []
    composer.note.agreed.emit()
    assert [call[1] for call in fakes.agent.calls if call[0] == "send"] == [source_of(case)]


async def it_stays(case: Case, _folder: Path) -> None:
    text = source_of(case)
    if case["id"] == "uni-004":
        assert text[0] == "\U0001f3f4"
    assert without_hidden(text) == (text, 0)


async def names_are_written_out(case: Case, _folder: Path) -> None:
    assert visible_exact(source_of(case), multiline=False) == "photo‹U+202E›gnp.exe"


async def only_prints(case: Case, _folder: Path) -> None:
    assert for_terminal(source_of(case)) in ("red", "")


async def case_is_folded(case: Case, _folder: Path) -> None:
    one, other = source_of(case).split(" vs ")
    model = MessageListModel()
    blocks = (TextBlock(text=one), TextBlock(text=other))
    model.load([make_message("m", *blocks)], "s")
    for words in (one, other, other.lower()):
        find = FindInSession(model)
        find.open()
        find.search(words)
        find.finish()
        assert find.total() == 2


async def characters_are_put_together(_case: Case, _folder: Path) -> None:
    text = "grüezi 🎉 世界"
    body = f'data: {{"choices":[{{"delta":{{"content":"{text}"}}}}]}}\n\n'.encode()
    decoder = make_decoder("openai_chat")
    events = [event for at in range(len(body)) for event in decoder.feed(body[at : at + 1])]
    shown = "".join(getattr(event, "text", "") for event in events)
    assert shown == text


async def piles_are_cut(case: Case, _folder: Path) -> None:
    session = Session(
        id="s", title="e" + source_of(case), settings=SessionSettings(), created_at=1, updated_at=1
    )
    model = SessionListModel()
    model.set_sessions([session])
    rows = [model.index(row, 0) for row in range(model.rowCount())]
    shown = next(str(model.data(row, SessionRole.TITLE)) for row in rows if model.data(row, SessionRole.ID) == "s")
    assert shown.count("\u0336") <= MAX_MARKS
    assert model.title("s") == session.title


HANDLERS: dict[str, Handler] = {
    "md-001": remote_picture_is_a_stand_in,
    "md-005": only_raster_data,
    "md-006": html_is_text,
    "md-007": html_is_text,
    "md-008": html_is_text,
    "md-009": scheme_is_refused,
    "md-010": scheme_is_refused,
    "md-014": scheme_is_refused,
    "md-015": the_real_host_is_shown,
    "md-016": user_info_is_refused,
    "md-017": the_host_is_in_punycode,
    "md-018": a_diagram_is_text,
    "md-020": a_formula_carries_no_link,
    "md-021": bidi_is_shown,
    "md-023": nothing_holds_the_loop,
    "md-024": nothing_holds_the_loop,
    "md-025": nothing_holds_the_loop,
    "md-026": escapes_lose_their_effect,
    "md-027": code_copies_as_shown,
    "uni-001": tags_are_removed_and_counted,
    "uni-002": the_user_is_asked,
    "uni-004": it_stays,
    "uni-005": it_stays,
    "uni-006": names_are_written_out,
    "uni-008": tags_are_removed_and_counted,
    "uni-009": only_prints,
    "uni-010": only_prints,
    "uni-012": case_is_folded,
    "uni-014": characters_are_put_together,
    "uni-016": piles_are_cut,
}


def test_no_handler_is_left_over() -> None:
    assert set(HANDLERS) == {case["id"] for case in load()}
