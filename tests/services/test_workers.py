"""Workers: they are this program, they hear only what they are told, and they end with their parent."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from deepchat_desktop.workers import main, spawn

ROOT = Path(__file__).resolve().parents[2]
WAIT_S = 20.0


@pytest.mark.anyio
async def test_a_worker_answers_and_ends() -> None:
    process = await spawn.start_worker("echo", {"say": "grüezi"})
    assert process.stdout is not None
    assert json.loads(await process.stdout.readline()) == {"echo": "grüezi"}
    assert await spawn.stop(process) == 0


@pytest.mark.anyio
async def test_nothing_but_the_name_is_in_the_arguments() -> None:
    assert spawn.worker_argv("echo")[-2:] == ["--worker", "echo"]
    assert spawn.worker_argv("echo")[0] == sys.executable


def test_a_frozen_program_starts_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert spawn.worker_argv("echo") == [sys.executable, "--worker", "echo"]


def test_an_unknown_worker_is_refused() -> None:
    assert main("no-such-worker") == 2


def test_the_environment_of_a_child_is_an_allow_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "SENTINEL")
    monkeypatch.setenv("PIP_INDEX_URL", "SENTINEL")
    monkeypatch.setenv("https_proxy", "SENTINEL")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert "SENTINEL" not in spawn.child_environment().values()
    assert spawn.child_environment()["LC_ALL"] == "C.UTF-8"
    for_pip = spawn.child_environment(spawn.NETWORK_VARIABLES, ("PIP_",))
    assert (for_pip["PIP_INDEX_URL"], for_pip["https_proxy"]) == ("SENTINEL", "SENTINEL")
    assert "OPENAI_API_KEY" not in for_pip


@pytest.mark.anyio
async def test_a_module_in_the_working_folder_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("deepchat_desktop", "pip", "json"):
        (tmp_path / f"{name}.py").write_text("import pathlib; pathlib.Path('was-run').touch(); raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    process = await spawn.start_worker("echo", {"say": 1})
    assert process.stdout is not None
    assert json.loads(await process.stdout.readline()) == {"echo": 1}
    await spawn.stop(process)
    assert not (tmp_path / "was-run").exists()


@pytest.mark.anyio
async def test_closing_stdin_ends_a_worker_that_waits(model_file: Path) -> None:
    process = await _serving(model_file)
    assert process.stdin is not None
    process.stdin.close()
    async with asyncio.timeout(WAIT_S):
        assert await process.wait() == 0


@pytest.mark.anyio
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGTERM")
async def test_sigterm_ends_a_worker(model_file: Path) -> None:
    process = await _serving(model_file)
    process.terminate()
    async with asyncio.timeout(WAIT_S):
        assert await process.wait() == -signal.SIGTERM


@pytest.mark.anyio
async def test_a_process_that_ignores_everything_is_killed() -> None:
    stubborn = "import signal,time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True); time.sleep(99)"
    process = await spawn.start([sys.executable, "-c", stubborn], spawn.child_environment())
    assert process.stdout is not None
    await process.stdout.readline()
    assert await spawn.stop(process, patience_s=0.1) == -signal.SIGKILL


PARENT = """
import asyncio, sys
from deepchat_desktop.workers import spawn
async def main():
    process = await spawn.start_worker("local_model", {"model": sys.argv[1], "context": 512, "token": "t"})
    await process.stdout.readline()
    print(process.pid, flush=True)
    await asyncio.sleep(99)
asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no kill -9")
def test_a_worker_ends_when_its_parent_is_killed(model_file: Path) -> None:
    env = spawn.child_environment(extra={"PYTHONPATH": str(ROOT)})
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(model_file)], env=env, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        assert _runs(worker)
        parent.kill()
    deadline = time.monotonic() + WAIT_S
    while _runs(worker) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _runs(worker)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")


async def _serving(model: Path) -> asyncio.subprocess.Process:
    process = await spawn.start_worker("local_model", {"model": str(model), "context": 512, "token": "t"})
    assert process.stdout is not None
    assert "port" in json.loads(await process.stdout.readline())
    return process
