"""Attachments on disk: private, bound to their draft or message, and gone with their session."""

from __future__ import annotations

import base64
import stat
from pathlib import Path

import pytest

from deepchat_desktop.domain.attachments import SENT_CHARS, Attached, file_block
from deepchat_desktop.domain.blocks import FileBlock, ImageBlock
from deepchat_desktop.domain.errors import StoreError
from deepchat_desktop.services.store import Store
from tests.services.store.values import a_session

PNG = b"\x89PNG\r\n\x1a\n" + b"x" * 20


def a_file(key: str, text: str) -> tuple[Attached, bytes]:
    data = text.encode()
    return Attached(id=key, block=file_block(f"{key}.txt", text, len(data), key)), data


def a_picture(key: str) -> tuple[Attached, bytes]:
    block = ImageBlock(media_type="image/png", data=base64.b64encode(PNG).decode(), name="p.png")
    return Attached(id=key, block=block), PNG


def names(folder: Path) -> set[str]:
    return {path.name for path in (folder / "attachments").iterdir()}


def test_a_draft_keeps_them_over_a_restart(data_dir: Path) -> None:
    store = Store.open(data_dir)
    made = [a_file("a", "whole"), a_picture("b"), a_file("c", "x" * (SENT_CHARS + 7))]
    for attached, data in made:
        store.write_now(lambda tx, attached=attached, data=data: tx.attachments.add("", attached, data, 1))
    store.close_now()
    store = Store.open(data_dir)
    assert store.read_now(lambda tx: tx.attachments.drafted("")) == [attached for attached, _data in made]
    assert isinstance(made[2][0].block, FileBlock)
    assert made[2][0].block.left_out == 7
    assert stat.S_IMODE((data_dir / "attachments").stat().st_mode) == 0o700
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (data_dir / "attachments").iterdir()}
    assert modes == {0o600}
    store.close_now()


def test_what_was_sent_is_no_draft_and_goes_with_its_session(store: Store, data_dir: Path) -> None:
    store.write_now(lambda tx: tx.sessions.add(a_session("s1")))
    for key in "ab":
        attached, data = a_file(key, key)
        store.write_now(lambda tx, attached=attached, data=data: tx.attachments.add("", attached, data, 1))
    store.write_now(lambda tx: tx.attachments.keep(["a"], "s1", draft=False))
    assert [attached.id for attached in store.read_now(lambda tx: tx.attachments.drafted(""))] == ["b"]
    assert store.read_now(lambda tx: tx.attachments.drafted("s1")) == []
    store.write_now(lambda tx: tx.sessions.delete("s1"))
    assert names(data_dir) == {"b"}
    store.write_now(lambda tx: tx.attachments.remove(["b"]))
    assert names(data_dir) == set()


def test_a_write_that_is_undone_leaves_no_file(store: Store, data_dir: Path) -> None:
    attached, data = a_file("a", "x")

    def broken(tx):
        tx.attachments.add("", attached, data, 1)
        raise StoreError("no", code="conflict")

    with pytest.raises(StoreError):
        store.write_now(broken)
    assert store.read_now(lambda tx: tx.attachments.drafted("")) == []
    store.close_now()
    Store.open(data_dir).close_now()
    assert names(data_dir) == set()


def test_a_file_that_is_gone_is_left_out(store: Store, data_dir: Path) -> None:
    attached, data = a_file("a", "x")
    store.write_now(lambda tx: tx.attachments.add("s", attached, data, 1))
    (data_dir / "attachments" / "a").unlink()
    assert store.read_now(lambda tx: tx.attachments.drafted("s")) == []
