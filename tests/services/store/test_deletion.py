"""Delete means gone: from the tables, the search, the file and its log (REL-8)."""

from __future__ import annotations

import random
from pathlib import Path

import apsw
import pytest

from deepchat_desktop.domain.blocks import TextBlock
from deepchat_desktop.domain.permission import Grant
from deepchat_desktop.services.store import Store
from tests.services.store.values import a_fact, a_journal_fact, a_message, a_session, an_interaction

SECRET = "ꙮ꙲꙱ᚠᛇᚻ"  # its trigrams occur nowhere else, so the search index is covered too
TRACES = [SECRET.encode(), SECRET[:3].encode(), SECRET[3:].encode()]


def traces(data_dir: Path) -> list[bytes]:
    data = b"".join(file.read_bytes() for file in data_dir.glob("deepchat.db*"))
    return [trace for trace in TRACES if trace in data]


def say_everywhere(store: Store, session_id: str) -> None:
    """Put the secret into every table that can hold it."""

    def job(tx):
        tx.sessions.add(a_session(session_id, title=SECRET))
        tx.messages.add(a_message(f"m-{session_id}", SECRET * 3, session_id=session_id))
        tx.interactions.add(an_interaction(f"i-{session_id}", session_id=session_id, detail=SECRET))
        tx.tape.append(session_id, a_fact(payload={"message_id": f"m-{session_id}", "text": SECRET}), 1)
        tx.journal.record(a_journal_fact(session_id=session_id, run_id=session_id, payload={"text": SECRET}))
        tx.drafts.set(session_id, SECRET, 1)
        tx.grants.add(Grant(session_id=session_id, root=f"/{SECRET}", level="read", created_at=1))
        tx.interactions.lock(session_id, f"m-{session_id}", SECRET)

    store.write_now(job)


def test_a_deleted_session_leaves_no_row_and_no_byte(store: Store, data_dir: Path) -> None:
    store.write_now(lambda tx: tx.sessions.add(a_session("other", title="kept")))
    store.write_now(lambda tx: tx.tape.append("other", a_fact(), 1))
    say_everywhere(store, "s1")
    assert traces(data_dir) == TRACES  # the check can find what it looks for
    store.write_now(lambda tx: tx.sessions.delete("s1"))
    assert traces(data_dir) == []
    assert [s.id for s in store.read_now(lambda tx: tx.sessions.list())] == ["other"]
    assert len(store.read_now(lambda tx: tx.tape.entries("other"))) == 1
    assert store.read_now(lambda tx: tx.tape.entries("s1") + tx.journal.of_run("s1")) == []
    assert store.read_now(lambda tx: tx.sessions.search(SECRET)) == []


def test_a_deleted_message_leaves_no_byte_once_its_tape_is_purged(chat: Store, data_dir: Path) -> None:
    said = a_fact("said", kind="message", payload={"message_id": "m2", "text": SECRET})
    gone = a_fact("gone", kind="message", name="retracted", payload={"message_id": "m2"})
    chat.write_now(lambda tx: (tx.messages.add(a_message("m2", SECRET)), tx.tape.append("s1", said, 1)))
    chat.write_now(lambda tx: (tx.messages.delete("m2"), tx.tape.append("s1", gone, 2), tx.tape.purge("s1", "m2")))
    assert traces(data_dir) == []


def test_a_reader_in_the_way_puts_the_erasure_off_to_the_next_write(store: Store, data_dir: Path) -> None:
    say_everywhere(store, "s1")
    reader = apsw.Connection(str(data_dir / "deepchat.db"), flags=apsw.SQLITE_OPEN_READONLY)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM sessions").fetchall() == [(1,)]
    store.write_now(lambda tx: tx.sessions.delete("s1"))
    assert traces(data_dir) != []
    reader.close()
    store.write_now(lambda tx: tx.drafts.set("", "x", 1))
    assert traces(data_dir) == []


@pytest.mark.parametrize("seed", [7, 14, 17])  # seeds that leave traces when the file is not rebuilt
def test_nothing_is_left_in_pages_that_were_rearranged(store: Store, data_dir: Path, seed: int) -> None:
    """Rows of many sizes come, grow and go in any order, so that SQLite moves cells between pages."""
    chance, live = random.Random(seed), []
    say_everywhere(store, "doomed")

    def come_and_go(tx):
        for n in range(250):
            way = chance.random()
            if way < 0.4:
                live.append(f"s{n}")
                tx.sessions.add(a_session(f"s{n}"))
                tx.messages.add(a_message(f"s{n}", "abc " * chance.choice([1, 20, 200, 1500]), session_id=f"s{n}"))
                tx.tape.append(f"s{n}", a_fact(payload={"x": "q" * chance.choice([1, 100, 2000])}), 1)
            elif way < 0.5 and live:
                tx.sessions.delete(live.pop(chance.randrange(len(live))))
            else:
                text = SECRET + "z" * chance.choice([0, 30, 300, 3000])
                fact = a_fact(f"p{n}", payload={"text": text, "message_id": "m-doomed"})
                tx.tape.append("doomed", fact, 1)
                tx.messages.save_blocks("m-doomed", {chance.randrange(40): TextBlock(text=text)})
                if way > 0.9:
                    tx.messages.add(a_message(f"d{n}", text, session_id="doomed"))
                if way > 0.95:
                    tx.drafts.set("doomed", text, 1)

    store.write_now(come_and_go)
    store.write_now(lambda tx: tx.sessions.delete("doomed"))
    assert traces(data_dir) == []
