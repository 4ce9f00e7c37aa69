"""Two minutes of a busy window: answers stream in at 1,000 tokens a second while it is scrolled, searched and resized.

The real window runs over a real store with several sessions, one of 10,000 messages, in a process of its own; a
scripted server in another one sends the same long answer of mixed Markdown to each question. Memory is read from
outside each second. ``DEEPCHAT_SOAK_SECONDS`` sets how long, ``DEEPCHAT_SOAK_MESSAGES`` how many messages.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.figure import Figure
from benchmarks.memory import pss_mb
from benchmarks.message_list import corpus, measure_open
from benchmarks.process import ROOT, screen

SECONDS, MESSAGES = 120, 10_000
WARM_SHARE = 0.25
"""The part of the time that memory is given to come to its level."""
ANSWER_CHARS = 24_000
PAUSE_S = 0.00065
GRACE_S = 120
LONG = "bench"


def answer_text() -> str:
    """Return what the server answers."""
    return corpus.stream_text("mixed", ANSWER_CHARS)


def answer(pieces: list[str]) -> dict[str, Any]:
    """Return an answer for the server's script, a chunk for each piece, about a thousand a second."""
    steps: list[Any] = []
    for piece in pieces:
        chunk = {"id": "1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": piece}}]}
        steps += [f"data: {json.dumps(chunk)}\n\n", {"pause": PAUSE_S}]
    end = {"id": "1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    return {"steps": [*steps, f"data: {json.dumps(end)}\n\n", "data: [DONE]\n\n"]}


def script(answers: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the server's script: the answers in turn, then the last one again and again."""
    return {"answers": answers, "repeat_last": True}


@contextmanager
def server(folder: Path, told: dict[str, Any]) -> Iterator[int]:
    """Run a scripted server; yields its port."""
    path = folder / "script.json"
    path.write_text(json.dumps(told), encoding="utf-8")
    command = [sys.executable, "-m", "tests.fakes.wire_server", str(path), "--until-stdin-closes"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


def slope_per_minute(samples: list[tuple[float, float]]) -> float:
    """Return the slope of the line that fits (second, value) best, per minute; 0 for fewer than two."""
    if len(samples) < 2:
        return 0.0
    mean_x = sum(x for x, _ in samples) / len(samples)
    mean_y = sum(y for _, y in samples) / len(samples)
    across = sum((x - mean_x) ** 2 for x, _ in samples)
    return 60 * sum((x - mean_x) * (y - mean_y) for x, y in samples) / across


def soak(seconds: float, messages: int) -> dict[str, Any]:
    """Return what the window told of itself, with ``pss``: (second, MB) since its work began. Raises on its failure."""
    with tempfile.TemporaryDirectory() as name, screen() as settings:
        folder = Path(name)
        corpus.save(folder / "corpus.json", messages)
        measure_open.fill(folder / "data", folder / "corpus.json")
        with server(folder, script([answer(corpus.cut(answer_text()))])) as port:
            command = [sys.executable, "-m", "benchmarks.soak_window", str(folder / "data"), str(port), str(seconds)]
            with subprocess.Popen(command, cwd=ROOT, env=os.environ | settings, stdout=subprocess.PIPE,
                                  text=True) as process:  # fmt: skip
                try:
                    return _follow(process, seconds)
                finally:
                    process.terminate()


def _follow(process: subprocess.Popen[str], seconds: float) -> dict[str, Any]:
    assert process.stdout is not None
    if process.stdout.readline().strip() != "begin":
        raise RuntimeError("the window ended before its work began")
    began, samples = time.monotonic(), list[tuple[float, float]]()
    while process.poll() is None and (now := time.monotonic() - began) < seconds:
        samples.append((now, pss_mb(process.pid)))
        time.sleep(1.0)
    told = process.communicate(timeout=GRACE_S)[0].strip().splitlines()
    if not told:
        raise RuntimeError(f"the window ended with {process.returncode} and told nothing")
    return dict(json.loads(told[-1])) | {"pss": samples}


def figures(got: dict[str, Any], seconds: float) -> list[Figure]:
    """Return the table of one soak."""
    warm = [sample for sample in got["pss"] if sample[0] >= seconds * WARM_SHARE]
    before, after = got["before"], got["after"]
    said = "; ".join([*got["records"], *got["exceptions"]][:3])
    rounds = f"{got['rounds']} rounds, {got['answers']} answers, {got['rate']:.0f} tokens a second"
    return [
        Figure("soak: memory after the warm-up (PSS)", warm[0][1], "MB", None, rounds),
        Figure("soak: memory at the end (PSS)", warm[-1][1], "MB", 200, f"most {max(y for _, y in warm):.0f}"),
        Figure("soak: memory's slope after the warm-up", slope_per_minute(warm), "MB/min", 2),
        Figure("soak: loop lateness, 99th percentile", got["p99_ms"], "ms", 16),
        Figure("soak: loop lateness, maximum", got["max_ms"], "ms", 50, got["worst"]),
        Figure("soak: log records", len(got["records"]), "", 0, said),
        Figure("soak: exceptions", len(got["exceptions"]), "", 0),
        Figure("soak: answers that are not what was sent", got["wrong"], "", 0),
        Figure("soak: open files more than at first", after["files"] - before["files"], "", 0, f"{after['files']}"),
        Figure("soak: threads more than at first", after["threads"] - before["threads"], "", 0, f"{after['threads']}"),
        Figure("soak: tasks more than at first", after["tasks"] - before["tasks"], "", 0, f"{after['tasks']}"),
    ]


def measure() -> list[Figure]:
    """Run it as long as the environment says (Linux)."""
    if not Path("/proc/self/smaps_rollup").exists():
        return []
    seconds = float(os.environ.get("DEEPCHAT_SOAK_SECONDS", SECONDS))
    return figures(soak(seconds, int(os.environ.get("DEEPCHAT_SOAK_MESSAGES", MESSAGES))), seconds)
