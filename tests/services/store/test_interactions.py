"""An answer is given once, used once, and one owner resumes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from deepchat_desktop.domain.errors import StoreError
from deepchat_desktop.services.store import Store
from tests.services.store.values import a_session, an_interaction


def test_pending_ones_come_in_their_order(chat: Store) -> None:
    chat.write_now(lambda tx: tx.sessions.add(a_session("s2")))
    for name, order, session in (("late", 2, "s1"), ("early", 1, "s1"), ("other", 0, "s2")):
        asked = an_interaction(name, order=order, session_id=session)
        chat.write_now(lambda tx, asked=asked: tx.interactions.add(asked))
    assert [i.id for i in chat.read_now(lambda tx: tx.interactions.pending("s1"))] == ["early", "late"]
    assert [i.id for i in chat.read_now(lambda tx: tx.interactions.pending())] == ["other", "early", "late"]


def test_of_two_answers_at_once_exactly_one_counts(chat: Store) -> None:
    for number in range(20):
        name = f"i{number}"
        chat.write_now(lambda tx, name=name: tx.interactions.add(an_interaction(name)))
        start = Barrier(2)

        def answer(status: str, name: str = name, start: Barrier = start):
            start.wait()
            return chat.write_now(lambda tx: tx.interactions.settle(name, status, "once", status, 5))

        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(answer, ["allowed", "denied"]))
        winner = [given for given in answers if given is not None]
        assert len(winner) == 1
        assert chat.read_now(lambda tx, name=name: tx.interactions.get(name)) == winner[0]


def test_an_answer_is_used_once_and_only_after_it_was_given(chat: Store) -> None:
    chat.write_now(lambda tx: tx.interactions.add(an_interaction()))
    assert not chat.write_now(lambda tx: tx.interactions.consume("i1", 1))
    chat.write_now(lambda tx: tx.interactions.settle("i1", "allowed", "session", "", 2))
    assert [chat.write_now(lambda tx: tx.interactions.consume("i1", 3)) for _ in range(3)] == [True, False, False]


def test_voiding_a_message_touches_only_what_waits(chat: Store) -> None:
    for name in ("i1", "i2"):
        chat.write_now(lambda tx, name=name: tx.interactions.add(an_interaction(name)))
    chat.write_now(lambda tx: tx.interactions.settle("i1", "allowed", "once", "", 2))
    assert chat.write_now(lambda tx: tx.interactions.void_message("m1", 3)) == 1
    statuses = chat.read_now(lambda tx: [tx.interactions.get(name).status for name in ("i1", "i2")])
    assert statuses == ["allowed", "void"]
    assert not chat.write_now(lambda tx: tx.interactions.consume("i2", 4))


def test_a_call_waits_at_most_once_and_may_ask_again_after_its_answer(chat: Store) -> None:
    chat.write_now(lambda tx: tx.interactions.add(an_interaction("i1", call_id="c")))
    with pytest.raises(StoreError) as raised:
        chat.write_now(lambda tx: tx.interactions.add(an_interaction("i2", call_id="c")))
    assert raised.value.code == "conflict"
    chat.write_now(lambda tx: tx.interactions.settle("i1", "allowed", "once", "", 2))
    chat.write_now(lambda tx: tx.interactions.add(an_interaction("i3", call_id="c")))
    assert chat.read_now(lambda tx: tx.interactions.of_call("c")).id == "i3"
    assert chat.read_now(lambda tx: tx.interactions.of_call("none")) is None


def test_a_message_is_resumed_by_one_owner(chat: Store) -> None:
    assert chat.write_now(lambda tx: tx.interactions.lock("s1", "m1", "a"))
    assert not chat.write_now(lambda tx: tx.interactions.lock("s1", "m1", "a"))
    assert not chat.write_now(lambda tx: tx.interactions.lock("s1", "m1", "b"))
    chat.write_now(lambda tx: tx.interactions.unlock("s1", "m1", "b"))  # not the owner's: nothing happens
    assert not chat.write_now(lambda tx: tx.interactions.lock("s1", "m1", "b"))
    chat.write_now(lambda tx: tx.interactions.unlock("s1", "m1", "a"))
    assert chat.write_now(lambda tx: tx.interactions.lock("s1", "m1", "b"))


def test_what_waits_survives_a_restart_and_dead_locks_do_not(data_dir: Path) -> None:
    store = Store.open(data_dir)
    store.write_now(lambda tx: tx.sessions.add(a_session()))
    store.write_now(lambda tx: tx.interactions.add(an_interaction()))
    store.write_now(lambda tx: tx.interactions.lock("s1", "m1", "a"))
    store.close_now()
    store = Store.open(data_dir)
    assert [i.id for i in store.read_now(lambda tx: tx.interactions.pending())] == ["i1"]
    assert store.write_now(lambda tx: tx.interactions.lock("s1", "m1", "b"))
    store.close_now()
