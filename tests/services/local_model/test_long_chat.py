"""The embedded model as a person uses it: a long chat in a small window, a death in between, no leftovers."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from deepchat_desktop.core import Core, open_core
from deepchat_desktop.domain.events import RuntimeEvent
from deepchat_desktop.domain.messages import Connection, SessionSettings

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.timeout(600)]

TURNS = 40


async def core_with_model(data_dir: Path, model: Path, events: list[RuntimeEvent]) -> tuple[Core, str]:
    folder = data_dir / "models"
    folder.mkdir(parents=True)
    (folder / model.name).symlink_to(model)
    core = open_core(data_dir, events.append)
    await core.start()
    settings = SessionSettings(
        connection=Connection(provider="local", model=model.stem), context=2_048, max_output=24, mode="chat"
    )
    return core, (await core.runtime.create_session(settings)).id


async def test_forty_turns_in_a_window_of_2048(data_dir: Path, model_file: Path) -> None:
    core, session = await core_with_model(data_dir, model_file, [])
    for number in range(TURNS):
        ended = await core.runtime.process_message(session, f"Tell me one short fact about the number {number}.")
        assert ended.outcome == "completed", ended.error
        assert ended.text.strip()
        assert ended.usage.input + ended.usage.output <= 2_048
    messages = await core.store.read(lambda tx: tx.messages.of_session(session))
    assert len(messages) == 2 * TURNS
    pid = core.local_model.pid
    await core.close()
    assert pid is not None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_a_dead_model_process_is_told_and_started_again(data_dir: Path, model_file: Path) -> None:
    events: list[RuntimeEvent] = []
    core, session = await core_with_model(data_dir, model_file, events)
    await core.runtime.process_message(session, "Say hello.")
    first = core.local_model.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    await asyncio.sleep(0.2)

    ended = await core.runtime.process_message(session, "Say hello again.")

    assert ended.outcome == "completed"
    assert core.local_model.pid not in (None, first)
    await core.close()
