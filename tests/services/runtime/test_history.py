"""What is read of a long session for an answer: its end, and never less than what the window takes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from deepchat_desktop.domain.blocks import TextBlock
from deepchat_desktop.domain.budget import plan_budget, select_turns
from deepchat_desktop.domain.messages import Message, Session
from deepchat_desktop.domain.turns import turns_of
from deepchat_desktop.services.runtime.history import PAGE, history, last_turn
from deepchat_desktop.services.store import Store, Tx


def message(number: int, role: str, text: str = "word " * 40) -> Message:
    return Message.model_validate({
        "id": f"m{number}", "session_id": "s", "role": role, "blocks": (TextBlock(text=text),),
        "created_at": number, "updated_at": number,
    })  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(tmp_path)

    def write(tx: Tx) -> None:
        for name in ("s", "other"):
            tx.sessions.add(Session(id=name, created_at=1, updated_at=1))
        for number in range(1_000):
            tx.messages.add(message(number, "assistant" if number % 2 else "user"))
        tx.messages.add(message(1_000, "user"))
        tx.messages.add(message(1_001, "assistant", ""))

    opened.write_now(write)
    yield opened
    opened.close_now()


def test_pages_go_back_from_the_end(store: Store) -> None:
    def ids(before: str | None, most: int) -> list[str]:
        return [found.id for found in store.read_now(lambda tx: tx.messages.before("s", before, most))]

    assert ids(None, 2) == ["m1000", "m1001"]
    assert ids("m1000", 3) == ["m997", "m998", "m999"]
    assert ids("m1", 3) == ["m0"]
    assert ids("m0", 3) == []
    assert store.read_now(lambda tx: tx.messages.before("other", None, 3)) == []


@pytest.mark.parametrize("window", [1_000, 4_000, 16_000, 1_000_000])
def test_the_turns_that_are_sent_are_those_of_the_whole_session(store: Store, window: int) -> None:
    answer = message(1_001, "assistant", "")
    read = store.read_now(lambda tx: history(tx, answer, window))
    whole = store.read_now(lambda tx: tx.messages.of_session("s"))[:-1]
    budget = plan_budget(window=window, output=None, tools=())
    chosen = [select_turns(turns_of(messages), system="", budget=budget) for messages in (read, whole)]
    assert chosen[0].turns == chosen[1].turns
    assert read[-1].id == "m1000"
    assert len(read) == len(whole) if window == 1_000_000 else len(read) <= window / 40 + 2 * PAGE


def test_the_last_turn_reaches_back_to_its_question(store: Store) -> None:
    def add(tx: Tx) -> None:
        for number in range(2_000, 2_000 + 2 * PAGE):
            tx.messages.add(message(number, "assistant", "a variant"))

    assert len(store.read_now(lambda tx: last_turn(tx, "s"))) == PAGE
    store.write_now(add)
    assert "m1000" in {found.id for found in store.read_now(lambda tx: last_turn(tx, "s"))}
    assert store.read_now(lambda tx: last_turn(tx, "other")) == []
