"""Runs every measurement of every list in a process of its own, in turns, and prints the table.

Invariants: the lists take turns run by run, so that a change of the machine's speed meets all of them; a process that
takes longer than its time is ended and its figures are n/a; after ``LIMIT_S`` nothing new of the two Qt lists begins.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.message_list import corpus, measure_open
from benchmarks.message_list.budget import CHROMIUM, HEAD, LINES, OURS, ROWS, Table
from benchmarks.process import ROOT

LIMIT_S = 450.0
PROCESS_LIMIT_S = 75.0
RUNS = {"open": 3, "open_memory": 3, "jump": 2, "wheel": 2, "drag": 2, "resize": 2, "whole": 1, "stream": 1,
        "drift": 1, "place": 1, "memory": 1, "grow_mixed": 1, "grow_code": 1, "grow_paragraph": 1,
        "grow_table": 1, "grow_list": 1}  # fmt: skip
ONLY_OURS = {"open", "place"}


def run_child(subject: str, measurement: str, path: Path, data_dir: Path, limit_s: float) -> dict[str, Any]:
    """Return one process's figures; without figures, why there are none."""
    command = [sys.executable, "-m", "benchmarks.message_list.child", subject, measurement, str(path), str(data_dir)]
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=limit_s,
                              check=False)  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"failed": f"{subject} {measurement}: not done after {limit_s:.0f} s"}
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"ended with {done.returncode}"]
        return {"failed": f"{subject} {measurement}: {last[0]}"}
    return dict(json.loads(done.stdout.strip().splitlines()[-1]))


def _schedule() -> list[tuple[str, str]]:
    """Return (subject, measurement) pairs: first runs of all, then second ones, so that a cut leaves none out."""
    return [
        (subject, measurement)
        for number in range(max(RUNS.values()))
        for measurement, runs in RUNS.items()
        if number < runs
        for subject in (OURS, ROWS)
        if subject == OURS or measurement not in ONLY_OURS
    ]


def collect(path: Path, data_dir: Path, table: Table) -> list[str]:
    """Fill the table; returns what could not be measured and why. A second run that has no time left is none of it."""
    began, missing, seen = time.monotonic(), list[str](), set[tuple[str, str]]()
    for subject, measurement in _schedule():
        left = LIMIT_S - (time.monotonic() - began)
        if left <= 0:
            missing += [] if (subject, measurement) in seen else [f"{subject} {measurement}: no time left"]
            continue
        seen.add((subject, measurement))
        result = run_child(subject, measurement, path, data_dir, min(PROCESS_LIMIT_S, left + 10))
        missing += [result.pop("failed")] if "failed" in result else []
        table.add(subject, result)
        print(f"# {subject} {measurement}, load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
    return missing


def run(*, with_chromium: bool = False, count: int = corpus.MESSAGES) -> int:
    """Measure and print; 1 if a process failed."""
    table = Table()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.json"
        data_dir = measure_open.data_folder(path)
        corpus.save(path, count)
        measure_open.fill(data_dir, path)
        load = os.getloadavg()[0]
        missing = collect(path, data_dir, table)
        if with_chromium:
            from benchmarks.message_list import chromium

            for result in chromium.measure(path):
                missing += [result.pop("failed")] if "failed" in result else []
                table.add(CHROMIUM, result)
        size = path.stat().st_size / 1e6
    print(f"{count:,} messages, {size:.1f} MB; load {load:.1f} at the start, {os.getloadavg()[0]:.1f} at the end")
    print(HEAD)
    for line in LINES:
        print(table.row(line), flush=True)
    for why in missing:
        print(f"missing: {why}")
    return 1 if missing else 0
