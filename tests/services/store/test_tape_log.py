"""The tape is append-only, gap-free and chained; only a guarded purge removes what was said (REL-7)."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from deepchat_desktop.domain.errors import TapeCorrupt
from deepchat_desktop.domain.tape import fold, verify
from deepchat_desktop.services.store import Store
from tests.services.store.values import a_fact, a_journal_fact


def fill(chat: Store) -> None:
    """Append: a message m1, a call of it, a message m2."""
    for provenance, kind, message in (("a", "message", "m1"), ("b", "tool_call", "m1"), ("c", "message", "m2")):
        fact = a_fact(provenance, kind=kind, name="said", payload={"message_id": message, "text": f"words {message}"})
        chat.write_now(lambda tx, fact=fact: tx.tape.append("s1", fact, 1))


def retract(chat: Store, message_id: str) -> None:
    fact = a_fact(f"retract:{message_id}", kind="message", name="retracted", payload={"message_id": message_id})
    chat.write_now(lambda tx: tx.tape.append("s1", fact, 2))


def raw(data_dir: Path, *statements: str) -> None:
    """Run statements as another program would."""
    connection = apsw.Connection(str(data_dir / "deepchat.db"))
    try:
        with connection:
            for statement in statements:
                connection.execute(statement)
    finally:
        connection.close()


def test_entries_are_numbered_from_one_without_gaps_and_verify(chat: Store) -> None:
    fill(chat)
    entries = chat.read_now(lambda tx: tx.tape.entries("s1"))
    assert [entry.seq for entry in entries] == [1, 2, 3]
    verify(entries)


def test_a_provenance_that_is_there_returns_its_entry_and_writes_nothing(chat: Store) -> None:
    first = chat.write_now(lambda tx: tx.tape.append("s1", a_fact(payload={"a": 1}), 1))
    again = chat.write_now(lambda tx: tx.tape.append("s1", a_fact(payload={"a": 2}), 9))
    assert again == first
    assert chat.read_now(lambda tx: tx.tape.entries("s1")) == [first]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE tape_entries SET name = 'x'",
        "UPDATE tape_payloads SET payload = '{}'",
        "UPDATE journal SET payload = '{}'",
        "DELETE FROM tape_entries",
        "DELETE FROM tape_payloads",
        "DELETE FROM journal",
        "INSERT OR REPLACE INTO tape_entries SELECT * FROM tape_entries WHERE seq = 3",
        "INSERT OR REPLACE INTO tape_payloads SELECT session_id, seq, NULL, '{}' FROM tape_payloads WHERE seq = 3",
        "INSERT OR REPLACE INTO journal SELECT * FROM journal",
        "INSERT INTO tape_entries SELECT session_id, 9, kind, name, source, 'z', payload_sha256, prev_hash, hash, 1"
        " FROM tape_entries WHERE seq = 1",
    ],
)
def test_the_schema_itself_refuses_changes(chat: Store, data_dir: Path, statement: str) -> None:
    fill(chat)
    chat.write_now(lambda tx: tx.journal.record(a_journal_fact()))
    before = chat.read_now(lambda tx: (tx.tape.entries("s1"), tx.journal.of_run("r1")))
    with pytest.raises(apsw.ConstraintError):
        raw(data_dir, statement)
    assert chat.read_now(lambda tx: (tx.tape.entries("s1"), tx.journal.of_run("r1"))) == before


def test_the_payload_guard_opens_nothing_that_was_not_retracted(chat: Store, data_dir: Path) -> None:
    fill(chat)
    retract(chat, "m2")
    guard = "INSERT INTO tape_purge_guard VALUES ('s1', 'payload')"
    for doomed in ("tape_payloads WHERE seq = 1", "tape_payloads WHERE seq = 4", "tape_entries WHERE seq = 3"):
        with pytest.raises(apsw.ConstraintError):
            raw(data_dir, guard, f"DELETE FROM {doomed}")
    raw(data_dir, guard, "DELETE FROM tape_payloads WHERE seq = 3", "DELETE FROM tape_purge_guard")
    verify(chat.read_now(lambda tx: tx.tape.entries("s1")))


def test_a_guard_opens_its_own_session_only(chat: Store, data_dir: Path) -> None:
    fill(chat)
    with pytest.raises(apsw.ConstraintError):
        raw(data_dir, "INSERT INTO tape_purge_guard VALUES ('other', 'session')", "DELETE FROM tape_payloads")


def test_purging_a_retracted_message_keeps_the_chain(chat: Store) -> None:
    fill(chat)
    assert chat.write_now(lambda tx: tx.tape.purge("s1", "m1")) == 0  # not retracted: nothing goes
    retract(chat, "m1")
    assert chat.write_now(lambda tx: tx.tape.purge("s1", "m1")) == 2
    entries = chat.read_now(lambda tx: tx.tape.entries("s1"))
    assert [entry.payload is None for entry in entries] == [True, True, False, False]
    verify(entries)
    assert list(fold(entries).messages) == ["m2"]


def test_a_changed_payload_is_found(chat: Store, data_dir: Path) -> None:
    fill(chat)
    raw(data_dir, "DROP TRIGGER tape_payloads_fixed", "UPDATE tape_payloads SET payload = '{\"a\":1}' WHERE seq = 2")
    with pytest.raises(TapeCorrupt):
        verify(chat.read_now(lambda tx: tx.tape.entries("s1")))


def test_the_journal_takes_the_same_fact_once_and_refuses_another(chat: Store) -> None:
    assert chat.write_now(lambda tx: tx.journal.record(a_journal_fact()))
    assert not chat.write_now(lambda tx: tx.journal.record(a_journal_fact(created_at=9)))
    with pytest.raises(TapeCorrupt):
        chat.write_now(lambda tx: tx.journal.record(a_journal_fact(payload={"n": 2})))
    assert chat.read_now(lambda tx: tx.journal.of_call("r1", "q1", "c1")) == [a_journal_fact()]


def test_open_runs_are_those_without_an_end(chat: Store) -> None:
    def whole(name: str, run: str):
        return a_journal_fact(name, run_id=run, request_id="", call_id="")

    for fact in (whole("run_started", "r1"), whole("run_started", "r2"), whole("run_terminal", "r1")):
        chat.write_now(lambda tx, fact=fact: tx.journal.record(fact))
    assert chat.read_now(lambda tx: tx.journal.open_runs()) == [whole("run_started", "r2")]
