"""Attachments over the real store: kept with their draft, sent with their message, never lost to a full disk."""

from __future__ import annotations

import os
import resource
import stat
import sys
from pathlib import Path

import pytest

from deepchat_desktop.domain.blocks import FileBlock, ImageBlock, TextBlock
from deepchat_desktop.presenters.attachments import MOST, AttachmentPresenter
from tests.fakes.chat_answers import chat
from tests.presenters.conftest import Stage

pytestmark = pytest.mark.anyio
PNG = b"\x89PNG\r\n\x1a\n" + b"x" * 30


def names(stage: Stage, session_id: str = "") -> list[str]:
    return [one.block.name for one in stage.shell.session.attachments.of(session_id)]


def kept(stage: Stage) -> set[str]:
    folder = stage.core.data_dir / "attachments"
    return {path.name for path in folder.iterdir()} if folder.exists() else set()


async def test_a_file_is_sent_fenced_and_goes_with_its_session(stage: Stage, tmp_path: Path) -> None:
    held, shell = stage.shell.session.attachments, stage.shell
    (tmp_path / "notes.txt").write_text("one\n```\ntwo\n")
    (tmp_path / "dot.png").write_bytes(PNG)
    stage.server.add(chat("seen"))
    held.add_files("", [str(tmp_path / "notes.txt"), str(tmp_path / "dot.png")])
    assert held.is_reading("")
    assert not held.is_complete("")
    await stage.until(lambda: held.is_complete("") and len(held.of("")) == 2)
    assert {stat.S_IMODE(path.stat().st_mode) for path in (stage.core.data_dir / "attachments").iterdir()} == {0o600}
    shell.agent.send("read this", held.take(""))
    await stage.until(lambda: shell.messages.count() == 2 and not shell.agent.is_running())
    content = stage.server.requests[0].json["messages"][-1]["content"]
    assert content[0]["text"].startswith("read this\n\nAttached file “notes.txt” (12 bytes).")
    assert content[0]["text"].endswith("````\none\n```\ntwo\n````")
    assert content[1]["image_url"]["url"].startswith("data:image/png;base64,")
    session_id = shell.session.current_id()
    text, file, picture = shell.session.last_sent()
    assert (type(text), type(file), type(picture)) == (TextBlock, FileBlock, ImageBlock)
    assert names(stage) == []
    assert len(kept(stage)) == 2
    shell.session.delete(session_id)
    await stage.until(lambda: not kept(stage))


async def test_a_draft_keeps_its_chips_over_a_restart(stage: Stage) -> None:
    stage.shell.session.attachments.add_text("", "x" * 2_000_000, "long.txt")
    await stage.until(lambda: names(stage) == ["long.txt"] and stage.shell.session.attachments.is_complete(""))
    again = AttachmentPresenter(stage.core)
    assert again.of("") == []
    assert not again.is_complete("")
    await stage.until(lambda: again.is_complete(""))
    assert again.of("") == stage.shell.session.attachments.of("")
    again.remove("", again.of("")[0].id)
    await stage.until(lambda: not kept(stage))


async def test_what_is_no_text_or_picture_is_refused_in_words(stage: Stage, tmp_path: Path) -> None:
    held = stage.shell.session.attachments
    said: list[str] = []
    held.refused.connect(lambda _id, words: said.append(words))
    (tmp_path / "a.bin").write_bytes(b"\x7fELF\0")
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "large.txt").open("wb") as file:
        file.truncate(50_000_001)
    paths = [str(tmp_path / name) for name in ("a.bin", "pipe", "large.txt", "none", ".")]
    held.add_files("", paths)
    await stage.until(lambda: held.is_complete(""))
    assert [words.split("”")[1].strip(" ") for words in said] == [
        "is neither text nor a PNG, JPEG, GIF or WebP picture: it is not attached.",
        "cannot be read.",
        "is larger than 50 MB.",
        "cannot be read.",
        "cannot be read.",
    ]
    assert names(stage) == []
    assert kept(stage) == set()


async def test_there_is_a_most(stage: Stage) -> None:
    held = stage.shell.session.attachments
    said: list[str] = []
    held.refused.connect(lambda _id, words: said.append(words))
    for place in range(MOST + 1):
        held.add_text("", str(place), f"{place}.txt")
    await stage.until(lambda: held.is_complete(""))
    assert len(held.of("")) == MOST
    assert said == ["At most 20 attachments go with one message."]


async def test_a_refused_message_gives_its_attachments_back(stage: Stage) -> None:
    held, shell = stage.shell.session.attachments, stage.shell
    stage.server.add(chat("ok", hold_after=0))
    back: list[object] = []
    shell.agent.send_refused.connect(lambda text, attached: back.append(attached))
    shell.agent.send("one")
    await stage.until(lambda: shell.messages.count() == 2)
    session_id = shell.session.current_id()
    held.add_text(session_id, "x", "f.txt")
    await stage.until(lambda: held.is_complete(session_id) and held.of(session_id))
    taken = held.take(session_id)
    shell.agent.send("two", taken)
    await stage.until(lambda: back == [tuple(taken)])
    held.give_back(session_id, taken)
    assert held.of(session_id) == taken
    assert await stage.core.store.read(lambda tx: tx.attachments.drafted(session_id)) == taken
    stage.server.release("hold")
    await stage.until(lambda: not shell.agent.is_running())


async def test_what_was_said_in_another_session_can_be_attached(stage: Stage) -> None:
    held, shell = stage.shell.session.attachments, stage.shell
    stage.server.add(chat("four"))
    shell.agent.send("two and two")
    await stage.until(lambda: shell.messages.count() == 2 and not shell.agent.is_running())
    other = shell.session.current_id()
    shell.session.new_session()
    held.add_session("", other, "Sums")
    await stage.until(lambda: names(stage) == ["Sums.md"])
    (one,) = held.of("")
    assert isinstance(one.block, FileBlock)
    assert one.block.text == "# Sums\n\n## User\n\ntwo and two\n\n## Assistant\n\nfour\n"


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of file sizes")
async def test_a_full_disk_keeps_the_paste_and_says_so(stage: Stage) -> None:
    held = stage.shell.session.attachments
    said: list[str] = []
    held.refused.connect(lambda _id, words: said.append(words))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, before[1]))
    try:
        held.add_text("", "y" * 2_000_000, "paste.txt")
        await stage.until(lambda: held.is_complete(""))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert names(stage) == ["paste.txt"]
    assert len(said) == 1
    await held.store_rest()
    (one,) = await stage.core.store.read(lambda tx: tx.attachments.drafted(""))
    assert one == held.of("")[0]
    assert len(kept(stage)) == 1
