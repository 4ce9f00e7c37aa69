"""An open store per test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deepchat_desktop.services.store import Store
from tests.services.store.values import a_message, a_session


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
