"""An open store per test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deepchat_desktop.services.store import Store
from tests.services.store.values import a_fact, a_journal_fact, a_message, a_session, an_interaction


@pytest.fixture
def store(data_dir: Path) -> Iterator[Store]:
    """A fresh store."""
    opened = Store.open(data_dir)
    yield opened
    opened.close_now()


@pytest.fixture
def chat(store: Store) -> Store:
    """A store with session s1 and its empty message m1."""
    store.write_now(lambda tx: tx.sessions.add(a_session()))
    store.write_now(lambda tx: tx.messages.add(a_message()))
    return store


@pytest.fixture
def filled(data_dir: Path) -> Path:
    """A cleanly closed store with rows in every table."""
    store = Store.open(data_dir)
    store.write_now(lambda tx: tx.sessions.add(a_session(title="title")))
    for number in range(60):

        def add(tx, n=number):
            tx.messages.add(a_message(f"m{n}", f"text {n} " * 40))
            tx.tape.append("s1", a_fact(f"p{n}", payload={"n": n, "text": "t" * 200}), n)
            tx.journal.record(a_journal_fact(call_id=f"c{n}"))
            tx.interactions.add(an_interaction(f"i{n}"))

        store.write_now(add)
    store.close_now()
    return data_dir
