"""The list's benchmark: the table, and each measurement once with a short conversation in a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.message_list import budget, chromium, corpus, measure_open, run


def test_a_row_has_medians_ratios_and_what_nobody_can() -> None:
    table = budget.Table()
    for value in (9.0, 3.0, 4.0):
        table.add(budget.OURS, {"wheel": value, "note:wheel": "p50 1"})
    table.add(budget.ROWS, {"wheel": 8.0})
    line = budget.Line("wheel", "wheel frame p95", "ms", 8)
    assert " ".join(table.row(line).split()) == "wheel frame p95 4.00 ms 8 ms 0.50 8.00 0.50 n/a - p50 1"
    find = budget.Line("find", "find", "ms", 60)
    assert " ".join(table.row(find).split()) == "find n/a 60 ms - n/a - n/a -"


def test_a_rival_may_be_asked_for_something_else() -> None:
    table = budget.Table()
    table.add(budget.OURS, {"open": 50.0})
    table.add(budget.ROWS, {"open_memory": 25.0})
    assert table.row(budget.LINES[0]).split()[-5:] == ["0.50", "25", "2.00", "n/a", "-"]


def test_a_process_that_fails_or_takes_too_long_says_so(tmp_path: Path) -> None:
    path = tmp_path / "corpus.json"
    corpus.save(path, 10)
    assert "no measurement" in run.run_child("rows", "nothing", path, tmp_path, 60)["failed"]
    assert "not done" in run.run_child("rows", "stream", path, tmp_path, 0.2)["failed"]


KEYS = {
    "open_memory": {"open_memory"}, "jump": {"jump_first", "jump_final", "drift_jump"}, "wheel": {"wheel"},
    "drag": {"drag"}, "resize": {"resize"}, "memory": {"pss"}, "drift": {"drift_stream"},
    "stream": {"late_p99", "late_max", "flush", "cpu"}, "grow_list": {"grow_list", "last_list"},
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("subject", ["ours", "rows"])
@pytest.mark.parametrize("measurement", KEYS)
def test_each_measurement_gives_its_figures(subject: str, measurement: str, tmp_path: Path) -> None:
    path = tmp_path / "corpus.json"
    corpus.save(path, 60)
    measure_open.fill(measure_open.data_folder(path), path)
    got = run.run_child(subject, measurement, path, tmp_path, 90)
    assert "failed" not in got
    assert KEYS[measurement] <= got.keys()


@pytest.mark.slow
def test_opening_goes_through_the_database(tmp_path: Path) -> None:
    path, data_dir = tmp_path / "corpus.json", tmp_path / "data"
    corpus.save(path, 60)
    measure_open.fill(data_dir, path)
    got = run.run_child("ours", "open", path, data_dir, 90)
    assert got["open"] > 0


@pytest.mark.slow
@pytest.mark.skipif(not chromium.available() or sys.platform != "linux", reason="needs chromium and npm")
def test_the_browser_measures_itself(tmp_path: Path) -> None:
    path = tmp_path / "corpus.json"
    corpus.save(path, 60)
    files = chromium.page_files(path, tmp_path / "npm")
    got: dict[str, object] = {}
    for part in ("frames", "stream", "mixed", "memory"):
        got |= chromium.measure_part(files, part, tmp_path / part)
    assert "failed" not in got
    assert {"open_memory", "wheel", "drag", "jump_first", "late_p99", "flush", "cpu", "grow_mixed", "pss"} <= got.keys()
