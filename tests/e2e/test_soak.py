"""The busy window for a short while, and texts that were not made for it: nothing is lost, nobody complains."""

from __future__ import annotations

import shutil
import sys

import pytest

from benchmarks import bad_input, soak
from benchmarks.figure import HEAD

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux" or not shutil.which("Xvfb"), reason="needs Linux and Xvfb"),
]
SECONDS, MESSAGES = 25, 2_000


def test_a_busy_window_loses_nothing_and_keeps_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    got = soak.soak(SECONDS, MESSAGES)
    with capsys.disabled():
        print("", HEAD, *(figure.row() for figure in soak.figures(got, SECONDS)), sep="\n")
    assert got["rounds"] >= 1
    assert got["wrong"] == 0
    assert got["records"] == got["exceptions"] == []
    assert got["after"]["files"] <= got["before"]["files"] + 2
    assert got["after"]["tasks"] <= got["before"]["tasks"]


def test_bad_input_is_shown_and_copied_as_it_came(capsys: pytest.CaptureFixture[str]) -> None:
    results = bad_input.run([])
    with capsys.disabled():
        print("", HEAD, *(figure.row() for figure in bad_input.figures(results)), sep="\n")
    assert len(results) == len(bad_input.texts()) + len(bad_input.streamed())
    assert [got["name"] for got in results if not got["copied"]] == []
    assert [got for got in results if got["records"] or got["exceptions"]] == []
