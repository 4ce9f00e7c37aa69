"""The render process: real, and ended by what it is given, without taking anything else along."""

from __future__ import annotations

import asyncio
import base64
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from deepchat_desktop.services.render import WAITING, RenderFailed, RenderWorker
from deepchat_desktop.services.runtime.tasks import TaskOwner
from deepchat_desktop.ui.blocks.highlight import TONES, lex
from deepchat_desktop.ui.blocks.markdown_parity import compared
from deepchat_desktop.ui.blocks.scanner import scan
from deepchat_desktop.workers.frames import BadFrame, Unpacker, pack

pytestmark = pytest.mark.anyio
FORMULA = {"tex": r"\frac{a}{b}", "display": True}
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals")
linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")


@pytest.fixture
async def tasks() -> AsyncIterator[TaskOwner]:
    owner = TaskOwner()
    yield owner
    assert await owner.close() == []


async def test_nothing_runs_until_it_is_asked_and_nothing_of_ours_is_in_it(
    tasks: TaskOwner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "SENTINEL")
    worker = RenderWorker(tasks.start)
    assert worker.pid is None
    svg = await worker.ask("formula", FORMULA)
    assert svg.startswith("<svg")
    if sys.platform == "linux":
        names = {part.partition(b"=")[0] for part in Path(f"/proc/{worker.pid}/environ").read_bytes().split(b"\0")}
        assert names - {b""} <= {b"PYTHONPATH", b"LC_CTYPE"}
    await worker.ask("formula", FORMULA)
    assert worker.started == 1


@posix
async def test_a_killed_process_costs_its_job_only(tasks: TaskOwner) -> None:
    worker = RenderWorker(tasks.start)
    await worker.ask("formula", FORMULA)
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGSTOP)  # so that it is killed in the middle of a job
    lost = tasks.start(worker.ask("formula", FORMULA), "lost", awaited=True)
    next_one = tasks.start(worker.ask("formula", FORMULA), "next", awaited=True)
    await asyncio.sleep(0.05)
    os.kill(worker.pid, signal.SIGKILL)
    with pytest.raises(RenderFailed, match="process ended"):
        await lost
    assert (await next_one).startswith("<svg")
    assert worker.started == 2


@posix
async def test_a_hanging_job_is_ended(tasks: TaskOwner) -> None:
    worker = RenderWorker(tasks.start, limits_s={"formula": 5.0, "highlight": 0.3})
    await worker.ask("formula", FORMULA)
    hanging = worker.pid
    assert hanging is not None
    os.kill(hanging, signal.SIGSTOP)
    with pytest.raises(RenderFailed, match="too long"):
        await worker.ask("highlight", {"language": "python", "code": "x"})
    assert (await worker.ask("formula", FORMULA)).startswith("<svg")
    assert worker.pid != hanging


async def test_an_answer_beyond_the_limit_is_not_read(tasks: TaskOwner) -> None:
    worker = RenderWorker(tasks.start, max_frame=500)
    with pytest.raises(RenderFailed, match="too large"):
        await worker.ask("formula", FORMULA)
    assert worker.pid is None


async def test_an_idle_process_is_ended_and_comes_back(tasks: TaskOwner) -> None:
    worker = RenderWorker(tasks.start, idle_s=0.05)
    await worker.ask("formula", FORMULA)
    async with asyncio.timeout(10):
        while worker.pid is not None:
            await asyncio.sleep(0.01)
    await worker.ask("formula", FORMULA)
    assert worker.started == 2


async def test_more_than_may_wait_is_refused(tasks: TaskOwner) -> None:
    worker = RenderWorker(tasks.start)
    asked = [tasks.start(worker.ask("formula", FORMULA), f"job {n}", awaited=True) for n in range(WAITING + 5)]
    done = await asyncio.gather(*asked, return_exceptions=True)
    refused = [result for result in done if isinstance(result, RenderFailed)]
    assert len(refused) == 5
    assert all(isinstance(result, str) for result in done[:WAITING])


@linux
async def test_memory_is_bounded(tasks: TaskOwner) -> None:
    worker = RenderWorker(tasks.start)
    await worker.ask("formula", FORMULA)
    limits = Path(f"/proc/{worker.pid}/limits").read_text(encoding="utf-8").splitlines()
    rows = {line[:26].strip(): line[26:].split()[0] for line in limits}
    assert rows["Max address space"] == str(1 << 30)
    assert rows["Max file size"] == "0"
    assert rows["Max core file size"] == "0"


@pytest.mark.parametrize(
    ("tex", "words"),
    [(r"\frac{a", "no formula"), (r"\ce{H2O}", r"\ce is not known"), (r"\input{/etc/passwd}", r"\input is not known"),
     (r"\text{速度}", "no mathematical glyph"), ("x" * 5_000, "too long")],
)  # fmt: skip
async def test_what_cannot_be_set_says_why(tasks: TaskOwner, tex: str, words: str) -> None:
    with pytest.raises(RenderFailed) as caught:
        await RenderWorker(tasks.start).ask("formula", {"tex": tex, "display": False})
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


DIAGRAMS = {
    "flowchart": "flowchart TD\n a[读取] -->|是| b{ok?}",
    "sequence": "sequenceDiagram\n participant U as 用户\n U->>App: hello",
    "class": "classDiagram\n Animal <|-- Duck",
    "state": "stateDiagram-v2\n [*] --> Still",
    "pie": 'pie title Pets\n "Dogs" : 3\n "Cats" : 2',
}


async def test_diagrams_are_pictures(tasks: TaskOwner) -> None:
    worker = RenderWorker(tasks.start)
    for name, source in DIAGRAMS.items():
        drawn: dict[str, Any] = await worker.ask(
            "diagram", {"source": source, "colours": {"background": "#FFFFFF"}, "scale": 1.0}
        )
        data = base64.b64decode(drawn["png"])
        assert data.startswith(b"\x89PNG"), name
        assert int.from_bytes(data[16:20], "big") > 30, name
    with pytest.raises(RenderFailed, match="line 2"):
        await worker.ask("diagram", {"source": "flowchart LR\n a --> --> b", "colours": {}, "scale": 1.0})
    assert worker.started == 1


async def test_colours_found_there_are_the_colours_found_here(tasks: TaskOwner) -> None:
    code = "def f(x):\n    return '%s' % x  # words\n" * 700
    flat = await RenderWorker(tasks.start).ask("highlight", {"language": "python", "code": code})
    runs = [(TONES[tone], length) for tone, length in zip(flat[::2], flat[1::2], strict=True)]
    assert runs == [(tone, len(words)) for _, tone, words, _ in lex("python", code)]


async def test_a_long_text_is_compared_with_a_reading_as_a_whole(tasks: TaskOwner) -> None:
    good = "A paragraph.\n\n- one\n- two\n\n```py\nx\n```\n\n" * 300
    odd = "See[^n].\n\n[^n]: a note\n\n    that goes on\n\n"
    worker = RenderWorker(tasks.start)
    assert (await worker.ask("parity", {"text": good, "parts": scan(good)}))["ranges"] == []
    text = good + odd + good
    answer = await worker.ask("parity", {"text": text, "parts": scan(text)})
    assert answer["notes"] == [":n"]
    (joined,) = answer["ranges"]
    assert text[slice(*joined)] == odd.removeprefix("See[^n].\n\n")


@pytest.mark.parametrize(
    "text",
    ["| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 300, "A sentence of words. " * 1_000,
     "".join(f"{at}. an entry\n" for at in range(1, 900)), "<b>\n" * 900],
    ids=["table", "paragraph", "list", "lines"],
)  # fmt: skip
def test_what_was_cut_for_its_length_stays_cut(text: str) -> None:
    parts = scan(text)
    assert len(parts) > 1
    assert compared(text, parts).ranges == []


def test_a_long_list_in_a_frame_is_encoded_in_steps_and_arrives_whole() -> None:
    message = {"parts": [[at, "ü", None] for at in range(1_201)], "none": [], "text": "x"}
    assert Unpacker().feed(pack(message)) == [message]


def test_frames_come_in_any_cutting() -> None:
    data = pack({"a": "ü" * 50}) + pack({"b": [1]})
    for step in (1, 3, 1000):
        unpacker = Unpacker()
        made = [m for at in range(0, len(data), step) for m in unpacker.feed(data[at : at + step])]
        assert made == [{"a": "ü" * 50}, {"b": [1]}]
    with pytest.raises(BadFrame):
        Unpacker(100).feed((1 << 30).to_bytes(4, "big"))
    for body in (b"[1]", b"{", b"\xff", b"[" * 99_999):
        with pytest.raises(BadFrame):
            Unpacker().feed(len(body).to_bytes(4, "big") + body)
