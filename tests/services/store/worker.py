"""A process of its own that uses a store, told what to do by its arguments; it prints one line per event.

    worker.py hold DIR            open, print ``open``, wait for the end of stdin
    worker.py try DIR             open and close, print ``open`` or the error's class
    worker.py try-reader DIR      the same with ``read_only``
    worker.py append DIR N        append N numbered messages with a tape entry each; print each number after its commit
    worker.py limited DIR N       the same under a file size limit of 1 MB
    worker.py delete DIR          delete session s1, print ``deleted``
    worker.py die-migrating DIR   open with a second migration that dies half-way

``AS_NOBODY=1`` gives up root first. An error ends it with a line ``error CLASS``.
"""

from __future__ import annotations

import os
import sys
import tempfile
from itertools import count
from pathlib import Path
from typing import Any

from deepchat_desktop.domain.errors import NotFound, StoreError
from deepchat_desktop.services.store import Store, Tx
from deepchat_desktop.services.store.migrations import MIGRATIONS, Migration
from tests.services.store.values import a_fact, a_message, a_session


def say(line: object) -> None:
    print(line, flush=True)


def ensure_session(tx: Tx) -> None:
    try:
        tx.sessions.get("s1")
    except NotFound:
        tx.sessions.add(a_session())


def add_numbered(tx: Tx, number: int) -> None:
    tx.messages.add(a_message(f"m{number}", f"message {number} " + "x" * 400))
    tx.tape.append("s1", a_fact(f"m{number}", payload={"message_id": f"m{number}"}), number)


def append(folder: Path, limit: int) -> None:
    store = Store.open(folder)
    store.write_now(ensure_session)
    say("ready")
    first = store.read_now(lambda tx: tx.messages.count("s1"))
    for number in range(first, first + limit):
        store.write_now(lambda tx, number=number: add_numbered(tx, number))
        say(number)
    store.close_now()


def limited(folder: Path, limit: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, resource.RLIM_INFINITY))
    append(folder, limit)


def hold(folder: Path) -> None:
    store = Store.open(folder)
    say("open")
    sys.stdin.read()
    store.close_now()


def attempt(folder: Path, *, read_only: bool) -> None:
    Store.open(folder, read_only=read_only).close_now()
    say("open")


def delete(folder: Path) -> None:
    store = Store.open(folder)
    store.write_now(lambda tx: tx.sessions.delete("s1"))
    say("deleted")


def die(db: Any) -> None:
    db.execute_sql("ALTER TABLE sessions ADD COLUMN more TEXT")
    db.execute_sql("DELETE FROM drafts")
    os._exit(9)


def main(what: str, folder: Path, limit: int) -> None:
    if os.environ.get("AS_NOBODY"):
        # What is imported late must be imported now: nobody may not be able to read where the project lies.
        with tempfile.TemporaryDirectory() as scratch:
            Store.open(Path(scratch) / "data").close_now()
            Store.open(Path(scratch) / "data", read_only=True).close_now()
            Path(scratch).as_uri()
        os.setgid(65534)
        os.setuid(65534)
    match what:
        case "hold":
            hold(folder)
        case "try":
            attempt(folder, read_only=False)
        case "try-reader":
            attempt(folder, read_only=True)
        case "append":
            append(folder, limit)
        case "limited":
            limited(folder, limit)
        case "delete":
            delete(folder)
        case "die-migrating":
            Store.open(folder, migrations=(*MIGRATIONS, Migration(len(MIGRATIONS) + 1, "dies", die)))
        case _:
            raise SystemExit(f"unknown: {what}")


if __name__ == "__main__":
    try:
        main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else next(count(1_000_000)))
    except StoreError as error:
        say(f"error {type(error).__name__}")
