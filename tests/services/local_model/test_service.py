"""The local model's process: on demand, one at a time, gone when idle, back when it died. A real model answers."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from deepchat_desktop.domain.errors import LocalModelError
from deepchat_desktop.services.local_model.catalog import STARTER_ID, list_models
from deepchat_desktop.services.local_model.server import LocalEndpoint
from deepchat_desktop.services.local_model.service import LocalModel
from deepchat_desktop.services.runtime.tasks import TaskOwner

Make = Callable[..., LocalModel]
WAIT_S = 30.0


@pytest.fixture
def folder(tmp_path: Path, model_file: Path) -> Path:
    """A models folder with two names for the real file."""
    models = tmp_path / "models"
    models.mkdir()
    for name in ("a", "b"):
        (models / f"{name}.gguf").symlink_to(model_file)
    return models


@pytest.fixture
async def make(anyio_backend: Any) -> AsyncIterator[Make]:
    """Build local models that are stopped after the test; nothing they started may be left."""
    owner = TaskOwner()
    made: list[LocalModel] = []

    def build(models: Path, **options: float) -> LocalModel:
        made.append(LocalModel(models, owner.start, **options))
        return made[-1]

    yield build
    for model in made:
        await model.stop()
        assert model.pid is None
    assert await owner.close() == []


async def ask(endpoint: LocalEndpoint, token: str | None = None) -> httpx.Response:
    async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
        return await client.post(
            f"{endpoint.base_url}/chat/completions",
            headers={"Authorization": f"Bearer {token or endpoint.token}"},
            json={"messages": [{"role": "user", "content": "Say hello."}], "max_tokens": 4, "temperature": 0},
        )


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(WAIT_S):
        while not condition():
            await asyncio.sleep(0.01)


async def gone(pid: int) -> None:
    """Wait until no process has this id."""

    def check() -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        return False

    await until(check)


@pytest.mark.anyio
async def test_it_answers_whoever_has_the_token(make: Make, folder: Path) -> None:
    model = make(folder)
    assert model.pid is None
    endpoint = await model.ensure()
    answer = await ask(endpoint)
    assert answer.status_code == 200
    assert answer.json()["usage"]["completion_tokens"] > 0
    assert (await ask(endpoint, token="another")).status_code == 401
    assert endpoint.base_url.startswith("http://127.0.0.1:")


@pytest.mark.anyio
async def test_it_runs_on_the_loop_of_the_window(qt_loop: Any, make: Make, folder: Path) -> None:
    model = make(folder)
    async with model.lease() as endpoint:
        assert (await ask(endpoint)).status_code == 200
    pid = model.pid
    await model.stop()
    assert pid is not None
    await gone(pid)


@pytest.mark.anyio
async def test_many_wishes_at_once_start_one_process(make: Make, folder: Path) -> None:
    model = make(folder)
    endpoints: list[LocalEndpoint] = await asyncio.gather(*(model.ensure("a") for _ in range(5)))
    assert len(set(endpoints)) == 1


@pytest.mark.anyio
async def test_it_starts_again_after_it_was_killed(make: Make, folder: Path) -> None:
    model = make(folder)
    first = await model.ensure()
    assert model.pid is not None
    pid = model.pid
    os.kill(pid, signal.SIGKILL)
    await gone(pid)
    second = await model.ensure()
    assert second != first
    assert (await ask(second)).status_code == 200


@pytest.mark.anyio
async def test_a_larger_context_or_another_model_exchanges_the_process(make: Make, folder: Path) -> None:
    model = make(folder)
    small = await model.ensure("a", 1024)
    assert await model.ensure("a", 512) == small
    first_pid = model.pid
    larger = await model.ensure("a", 2048)
    other = await model.ensure("b", 2048)
    assert len({small, larger, other}) == 3
    assert first_pid is not None
    await gone(first_pid)


@pytest.mark.anyio
async def test_a_lease_is_never_cut_by_another_wish(make: Make, folder: Path) -> None:
    model = make(folder)
    order: list[str] = []

    async def other() -> None:
        await model.ensure("b")
        order.append("other started")

    async with asyncio.TaskGroup() as group, model.lease("a") as endpoint:
        group.create_task(other())
        assert (await ask(endpoint)).status_code == 200
        order.append("stream ended")
    assert order == ["stream ended", "other started"]


@pytest.mark.anyio
async def test_it_stops_when_idle_but_not_in_use(make: Make, folder: Path) -> None:
    model = make(folder, idle_s=0.2)
    async with model.lease() as endpoint:
        pid = model.pid
        await asyncio.sleep(0.5)
        assert model.in_use
        assert model.pid == pid
        assert (await ask(endpoint)).status_code == 200
    assert pid is not None
    await gone(pid)
    await until(lambda: model.pid is None)
    async with model.lease() as endpoint:
        assert (await ask(endpoint)).status_code == 200


@pytest.mark.anyio
async def test_stop_ends_a_process_that_still_loads(make: Make, folder: Path) -> None:
    model = make(folder)
    loading = asyncio.create_task(model.ensure())
    await until(lambda: model.pid is not None)
    pid = model.pid
    await model.stop()
    with pytest.raises(LocalModelError):
        await loading
    assert pid is not None
    await gone(pid)


@pytest.mark.anyio
async def test_a_cancelled_start_leaves_no_process(make: Make, folder: Path) -> None:
    model = make(folder)
    loading = asyncio.create_task(model.ensure())
    await until(lambda: model.pid is not None)
    pid = model.pid
    loading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await loading
    assert pid is not None
    await gone(pid)


@pytest.mark.anyio
async def test_a_start_has_a_time_limit(make: Make, folder: Path) -> None:
    model = make(folder, start_limit_s=0.0)
    with pytest.raises(LocalModelError) as caught:
        await model.ensure()
    assert (caught.value.code, caught.value.retryable) == ("local_model_no_answer", True)
    assert model.pid is None


async def code_of(work: Awaitable[object]) -> str:
    with pytest.raises(LocalModelError) as caught:
        await work
    return caught.value.code


@pytest.mark.anyio
async def test_a_missing_model_is_said_without_a_process(make: Make, tmp_path: Path) -> None:
    model = make(tmp_path / "nothing")
    assert model.available() == []
    assert await code_of(model.ensure()) == "local_model_missing"
    assert await code_of(model.ensure("x")) == "local_model_missing"


@pytest.mark.anyio
async def test_a_file_that_is_no_model_is_said(make: Make, tmp_path: Path) -> None:
    (tmp_path / "page.gguf").write_text("<html>")
    assert await code_of(make(tmp_path).ensure("page")) == "local_model_not_gguf"


@pytest.mark.anyio
async def test_a_cut_model_is_said(make: Make, tmp_path: Path, model_file: Path) -> None:
    with model_file.open("rb") as file:
        (tmp_path / "cut.gguf").write_bytes(file.read(3_000_000))
    assert await code_of(make(tmp_path).ensure("cut")) == "local_model_not_loaded"


@pytest.mark.anyio
async def test_a_program_that_cannot_start_is_said(make: Make, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(folder / "no-such-python"))
    assert await code_of(make(folder).ensure()) == "local_model_not_started"


@pytest.mark.anyio
async def test_a_process_that_dies_at_start_is_said(
    make: Make, folder: Path, monkeypatch: pytest.MonkeyPatch, expected_logs: Any
) -> None:
    expected_logs("deepchat_desktop.services.local_model.server", "ended at start")
    broken = folder / "broken-python"
    broken.write_text("#!/bin/sh\necho out of luck >&2\nexit 7\n")
    broken.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(broken))
    with pytest.raises(LocalModelError, match="exit code 7"):
        await make(folder).ensure()


def test_the_starter_stands_first_and_is_told_as_tiny(tmp_path: Path) -> None:
    for name in ("Zeta", "alpha", STARTER_ID):
        (tmp_path / f"{name}.gguf").write_bytes(b"GGUF")
    (tmp_path / ".half.gguf.part").write_bytes(b"GGUF")
    found = list_models(tmp_path)
    assert [model.id for model in found] == [STARTER_ID, "alpha", "Zeta"]
    assert "tiny" in found[0].title
    assert not any(model.settings.capabilities.tools for model in found)
