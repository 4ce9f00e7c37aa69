"""Whatever text is given comes back as it was (REL-6), and rows keep their order."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from deepchat_desktop.domain.blocks import Block, TextBlock
from deepchat_desktop.domain.errors import NotFound, StoreError
from deepchat_desktop.domain.messages import Connection, SessionSettings
from deepchat_desktop.domain.permission import Grant
from deepchat_desktop.domain.tape import verify
from deepchat_desktop.domain.usage import Usage
from deepchat_desktop.services.store import Store
from deepchat_desktop.services.store.text import escape, from_json, to_json, unescape
from tests.services.store.values import (
    BLOCKS,
    JSON,
    NASTY,
    OBJECTS,
    a_fact,
    a_journal_fact,
    a_message,
    a_session,
    an_interaction,
)

quick = settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])


@given(NASTY)
@example("\ufdd00000")
@example("\ud83d\ude00")
def test_escaped_text_is_storable_and_comes_back(text: str) -> None:
    stored = escape(text)
    assert unescape(stored) == text
    assert "\x00" not in stored
    stored.encode("utf-8")


@given(NASTY, NASTY)
def test_a_text_contains_another_when_their_stored_forms_do(text: str, part: str) -> None:
    assert (part in text) <= (escape(part) in escape(text))


@given(JSON)
def test_json_comes_back(value: object) -> None:
    assert from_json(to_json(value)) == value


@quick
@given(st.lists(BLOCKS, max_size=4), st.lists(BLOCKS, max_size=4), NASTY, OBJECTS)
def test_nasty_values_come_back_from_a_file(first: list[Block], then: list[Block], text: str, json: dict) -> None:
    with TemporaryDirectory() as folder:
        store = Store.open(Path(folder))
        chosen = SessionSettings(system=text, connection=Connection(provider=text, model=text))
        session = a_session(title=text, settings=chosen)
        message = a_message(blocks=tuple(first), stop_reason=text, usage=Usage(input=3))
        later = message.model_copy(update={"blocks": tuple(then), "status": "done"})
        asked = an_interaction(detail=text, why=text, target=text)
        store.write_now(lambda tx: tx.sessions.add(session))
        store.write_now(lambda tx: tx.messages.add(message))
        assert store.read_now(lambda tx: tx.messages.get("m1")) == message
        store.write_now(lambda tx: tx.messages.save(later))
        store.write_now(lambda tx: tx.interactions.add(asked))
        store.write_now(lambda tx: tx.drafts.set("s1", text, 1))
        store.write_now(lambda tx: tx.tape.append("s1", a_fact(text, name=text, payload=json), 1))
        store.write_now(lambda tx: tx.journal.record(a_journal_fact(call_id=text, payload=json)))
        store.close_now()
        again = Store.open(Path(folder), read_only=True)
        assert again.read_now(lambda tx: tx.sessions.get("s1")) == session
        assert again.read_now(lambda tx: tx.messages.of_session("s1")) == [later]
        assert again.read_now(lambda tx: tx.interactions.get("i1")) == asked
        assert again.read_now(lambda tx: tx.drafts.get("s1")) == text
        entries = again.read_now(lambda tx: tx.tape.entries("s1"))
        assert entries[0].payload == json
        verify(entries)
        assert again.read_now(lambda tx: tx.journal.of_run("r1")) == [a_journal_fact(call_id=text, payload=json)]
        again.close_now()


def test_sessions_are_listed_pinned_first_then_newest(store: Store) -> None:
    for number, pinned in enumerate([True, False, False]):
        store.write_now(lambda tx, n=number, p=pinned: tx.sessions.add(a_session(f"s{n}", pinned=p, updated_at=n)))
    store.write_now(lambda tx: tx.messages.add(a_message("m1", session_id="s2")))
    listed = store.read_now(lambda tx: tx.sessions.list())
    assert [(s.id, s.messages) for s in listed] == [("s0", 0), ("s2", 1), ("s1", 0)]
    assert len(store.read_now(lambda tx: tx.sessions.list(limit=2))) == 2


def test_a_session_is_saved(store: Store) -> None:
    store.write_now(lambda tx: tx.sessions.add(a_session()))
    renamed = a_session(title="New", title_by_user=True, unread=True, status="waiting", updated_at=9)
    store.write_now(lambda tx: tx.sessions.save(renamed))
    assert store.read_now(lambda tx: tx.sessions.get("s1")) == renamed


def test_messages_keep_the_order_in_which_they_came_whatever_the_clock_says(chat: Store) -> None:
    for at in (9, 5, 7):
        chat.write_now(lambda tx, at=at: tx.messages.add(a_message(f"at{at}", created_at=at)))
    assert [m.id for m in chat.read_now(lambda tx: tx.messages.of_session("s1"))] == ["m1", "at9", "at5", "at7"]
    assert chat.read_now(lambda tx: tx.messages.count("s1")) == 4


def test_a_flush_writes_only_the_blocks_it_is_given(chat: Store) -> None:
    first, second = TextBlock(text="one"), TextBlock(text="two")
    chat.write_now(lambda tx: tx.messages.save_blocks("m1", {0: first, 1: second}))
    grown = TextBlock(text="two and more", open=True)
    chat.write_now(lambda tx: tx.messages.save_blocks("m1", {1: grown}))
    assert chat.read_now(lambda tx: tx.messages.get("m1")).blocks == (first, grown)


def test_unfinished_messages_are_those_that_still_stream(chat: Store) -> None:
    chat.write_now(lambda tx: tx.messages.add(a_message("m2", status="streaming", role="assistant")))
    assert [m.id for m in chat.read_now(lambda tx: tx.messages.unfinished())] == ["m2"]


def test_drafts_are_kept_apart_and_removed_when_empty(chat: Store) -> None:
    chat.write_now(lambda tx: tx.drafts.set("", "new", 1))
    chat.write_now(lambda tx: tx.drafts.set("s1", "old", 1))
    chat.write_now(lambda tx: tx.drafts.set("s1", "older", 2))
    assert chat.read_now(lambda tx: [tx.drafts.get(name) for name in ("", "s1", "s2")]) == ["new", "older", ""]
    chat.write_now(lambda tx: tx.drafts.set("s1", "", 3))
    assert chat.read_now(lambda tx: tx.drafts.get("s1")) == ""


def test_a_grant_given_twice_is_one(chat: Store) -> None:
    grant = Grant(session_id="s1", root="/w", level="write", created_at=1)
    chat.write_now(lambda tx: (tx.grants.add(grant), tx.grants.add(grant)))
    assert chat.read_now(lambda tx: tx.grants.of_session("s1")) == [grant]


def test_what_is_not_there_is_said(store: Store) -> None:
    for job in (
        lambda tx: tx.sessions.get("no"),
        lambda tx: tx.sessions.save(a_session("no")),
        lambda tx: tx.sessions.delete("no"),
        lambda tx: tx.messages.get("no"),
        lambda tx: tx.messages.add(a_message(session_id="no")),
        lambda tx: tx.messages.save(a_message("no")),
        lambda tx: tx.messages.save_blocks("no", {0: TextBlock(text="x")}),
        lambda tx: tx.messages.delete("no"),
        lambda tx: tx.interactions.get("no"),
        lambda tx: tx.interactions.settle("no", "allowed", "once", "", 1),
        lambda tx: tx.tape.append("no", a_fact(), 1),
        lambda tx: tx.journal.record(a_journal_fact(session_id="no")),
    ):
        with pytest.raises(NotFound):
            store.write_now(job)


def test_an_id_that_is_taken_is_a_conflict(chat: Store) -> None:
    with pytest.raises(StoreError) as raised:
        chat.write_now(lambda tx: tx.messages.add(a_message()))
    assert raised.value.code == "conflict"


def test_a_job_that_raises_leaves_nothing_behind(chat: Store) -> None:
    def job(tx):
        tx.messages.add(a_message("m2", "half"))
        raise LookupError("no")

    with pytest.raises(LookupError):
        chat.write_now(job)
    assert chat.read_now(lambda tx: tx.messages.count("s1")) == 1


def test_two_stores_live_in_one_process(tmp_path: Path) -> None:
    one, two = Store.open(tmp_path / "1"), Store.open(tmp_path / "2")
    one.write_now(lambda tx: tx.sessions.add(a_session("in-one")))
    two.write_now(lambda tx: tx.sessions.add(a_session("in-two")))
    assert [s.id for s in one.read_now(lambda tx: tx.sessions.list())] == ["in-one"]
    assert [s.id for s in two.read_now(lambda tx: tx.sessions.list())] == ["in-two"]
    one.close_now()
    two.close_now()


@pytest.mark.anyio
async def test_the_async_face_does_the_same(data_dir: Path) -> None:
    store = Store.open(data_dir)
    await store.write(lambda tx: tx.sessions.add(a_session(title="x")))
    assert (await store.read(lambda tx: tx.sessions.get("s1"))).title == "x"
    await store.close()
    await store.close()
    with pytest.raises(StoreError) as raised:
        await store.read(lambda tx: tx.sessions.list())
    assert raised.value.code == "store_closed"
