"""Garbage goes in pauses, also what was frozen while it lived; nothing is collected while somebody waits."""

import gc
import weakref
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication

from deepchat_desktop.ui.pauses import AT_LATEST, LONG, QUIET_S, Pauses

BUSY = 2 * QUIET_S


class Ring:
    """An object that only a collection can take away."""

    def __init__(self) -> None:
        self.me = self


@pytest.fixture
def pauses(qapp: QCoreApplication) -> Iterator[Pauses]:
    gc.collect()
    gc.disable()  # what is collected here, the pauses collected
    yield Pauses(qapp)
    gc.unfreeze()
    gc.enable()


def garbage() -> "weakref.ref[Ring]":
    """Return what nobody holds any more, after as much work as makes a pause worth it."""
    ring = Ring()
    gc.collect(1)
    return weakref.ref(ring)


def test_a_pause_collects_what_is_new_and_freezes_what_lives(pauses: Pauses) -> None:
    dead, living = garbage(), Ring()
    pauses.passed(BUSY)
    assert dead() is not None
    assert pauses.recent == 0
    pauses.passed(0.0)
    assert dead() is None
    assert pauses.recent == 1
    assert gc.get_freeze_count() > 0
    assert not any(known is living for known in gc.get_objects())


def test_a_pause_without_anything_new_does_nothing(pauses: Pauses) -> None:
    garbage()
    for _ in range(5):
        pauses.passed(0.0)
    assert (pauses.recent, pauses.whole) == (1, 0)


def test_what_dies_frozen_goes_in_a_long_pause(pauses: Pauses) -> None:
    ring = Ring()
    garbage()
    pauses.passed(0.0)
    dying = weakref.ref(ring)
    del ring
    for _ in range(LONG - 2):
        pauses.passed(0.0)
    assert dying() is not None
    pauses.passed(0.0)
    assert dying() is None
    for _ in range(2 * LONG):
        pauses.passed(0.0)
    assert pauses.whole == 1


def test_somebody_who_never_rests_long_has_it_done_in_a_short_pause(pauses: Pauses) -> None:
    garbage()
    for _ in range(AT_LATEST):
        pauses.passed(BUSY)
    assert (pauses.recent, pauses.whole) == (0, 0)
    pauses.passed(0.0)
    assert (pauses.recent, pauses.whole) == (1, 1)
