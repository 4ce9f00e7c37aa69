"""What a conversation gives away as text, beside what it should be (``tests/golden/text``).

For each Markdown input: how it reads, its copy as Markdown and as rich text, and what a screen reader is told. To
renew after a wanted change: ``DEEPCHAT_RENEW_GOLDENS=1 python -m pytest tests/ui/chat/test_text_goldens.py``, then read
the difference.
"""

import os
from pathlib import Path

import pytest

from deepchat_desktop.domain.blocks import TextBlock
from deepchat_desktop.presenters.message_list_model import MessageListModel
from deepchat_desktop.ui.message_list.message_list import MessageList
from tests.ui.chat.conftest import make_message

GOLDEN = Path(__file__).parents[2] / "golden" / "text"
RENEW = "DEEPCHAT_RENEW_GOLDENS"
NAMES = sorted(path.stem for path in GOLDEN.glob("*.md"))


def test_there_are_inputs() -> None:
    assert NAMES == ["everyday", "hidden", "scripts"]


@pytest.mark.parametrize("name", NAMES)
def test_the_text_of_an_answer(view: MessageList, model: MessageListModel, name: str) -> None:
    source = (GOLDEN / f"{name}.md").read_text(encoding="utf-8")
    model.load([make_message("a", TextBlock(text=source))])
    while view.layout_.entry(0).due():
        view.layout_.entry(0).check(model.message(0), view.layout_.width)
    view.layout_.measured(0)
    view.settle()
    view.selection.select_all()
    assert view.selection.markdown() == source.strip("\n"), "a copy as Markdown is the source"
    spoken = view.spoken.child(0)
    parts = [spoken.words(), *(spoken.child(index).words() for index in range(spoken.count()))]
    given = {"plain": view.selection.plain(), "html": view.selection.html(), "spoken": "\n---\n".join(parts)}
    for kind, text in given.items():
        path = GOLDEN / f"{name}.{kind}.txt"
        if os.environ.get(RENEW):
            path.write_text(text + "\n", encoding="utf-8")
        assert path.is_file(), f"no golden: run this file with {RENEW}=1 and read what it wrote"
        assert text + "\n" == path.read_text(encoding="utf-8")
