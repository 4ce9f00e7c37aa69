"""What the soak and the bad input print, without a window."""

from __future__ import annotations

import pytest

from benchmarks import bad_input, soak


def test_the_slope_is_that_of_the_line_that_fits_best() -> None:
    assert soak.slope_per_minute([(0, 100.0), (30, 101.0), (60, 102.0)]) == pytest.approx(2)
    assert soak.slope_per_minute([(0, 100.0)]) == 0


def test_a_text_is_streamed_whole_and_its_worst_act_counts() -> None:
    for text in bad_input.streamed().values():
        assert "".join(bad_input.pieces(text)) == text
    result = {"name": "nul", "way": "loaded", "hold_ms": {"open": 5.0, "copy": 120.0}, "copied": False}
    (figure,) = bad_input.figures([result])
    assert figure.value == 120
    assert "NOT COPIED" in figure.note
