"""PySide6 keeps the references of None, True and False (docs/adr/0001): the bad wheels lose one with each call."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from PySide6.QtCore import QObject, Signal

CALLS = 10_000


class Source(QObject):
    """Emits what the bad wheels lose references to."""

    flag = Signal(bool)
    thing = Signal(object)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None, True and False are immortal from Python 3.12 on")
@pytest.mark.parametrize("value", [True, False, None], ids=repr)
def test_signals_give_no_references_away(qapp: Any, value: bool | None) -> None:
    source = Source()
    source.flag.connect(lambda flag: None)
    source.thing.connect(lambda thing: None)
    before = sys.getrefcount(value)
    for _ in range(CALLS):
        source.thing.emit(value)
        source.flag.emit(bool(value))
        source.blockSignals(False)
        source.signalsBlocked()
    assert abs(sys.getrefcount(value) - before) < CALLS // 10
