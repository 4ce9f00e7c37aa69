"""The rival in Qt does its job: places, following, colours, reuse of rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QTextBlock
from pytestqt.qtbot import QtBot

from benchmarks.message_list import corpus, measure_frames, measure_stream
from benchmarks.message_list.rows import WARM, Heights, RowList
from benchmarks.message_list.stage import Clock, Stage, shift
from benchmarks.message_list.subject import ROWS, Subject
from deepchat_desktop.presenters.message_list_model import MessageListModel


@pytest.fixture
def subject(qtbot: QtBot) -> Subject:
    model = MessageListModel()
    area = RowList(model)
    stage = Stage(area)
    qtbot.addWidget(stage)
    stage.show()
    qtbot.waitExposed(stage)
    return Subject(ROWS, model, stage, area, Clock(stage, area.viewport))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    corpus.save(tmp_path / "corpus.json", 120)
    return tmp_path / "corpus.json"


def rows_of(subject: Subject) -> RowList:
    assert isinstance(subject.area, RowList)
    return subject.area


def test_heights_find_rows_and_tops() -> None:
    heights = Heights([10, 20, 30, 40])
    assert [heights.top(row) for row in range(5)] == [0, 10, 30, 60, 100]
    assert [heights.row_at(y) for y in (0, 9, 10, 29, 30, 99, 500)] == [0, 0, 1, 1, 2, 3, 3]
    assert heights.set(1, 25) == 5
    assert heights.top(4) == 105


def test_it_opens_at_the_end_with_few_rows_and_reuses_them(subject: Subject, path: Path) -> None:
    subject.model.load(corpus.messages(path), "bench")
    bar = subject.area.verticalScrollBar()
    assert bar.value() == bar.maximum() > 0
    assert rows_of(subject).parsed < 10
    for share in range(20):
        subject.drag(int(bar.maximum() * share / 20))
    assert len(rows_of(subject)._rows) <= WARM + 20


def test_code_is_coloured(subject: Subject) -> None:
    subject.model.load(corpus.as_messages(["?", "```python\ndef f() -> int:\n    return 1\n```"], "s"), "s")
    formats: list[int] = []
    block: QTextBlock = rows_of(subject)._rows[1].document().begin()
    while block.isValid():
        formats.append(len(block.layout().formats()))
        block = block.next()
    assert formats[0] >= 3


def test_it_follows_the_end_and_keeps_the_place_elsewhere(subject: Subject, path: Path) -> None:
    subject.model.load(corpus.messages(path), "bench")
    bar = subject.area.verticalScrollBar()
    measure_stream.begin(subject)
    measure_stream.grow(subject, corpus.stream_text("mixed", 4_000))
    subject.model.flush()
    assert bar.value() == bar.maximum()
    subject.wheel(600)
    subject.clock.settle(0.2)
    here = subject.clock.lines()
    measure_stream.grow(subject, "\n\nmore\n\nand more")
    subject.model.flush()
    subject.clock.settle(0.2)
    assert bar.value() < bar.maximum()
    assert subject.clock.lines() == here


def test_frames_are_followed_to_their_final_picture(subject: Subject, path: Path) -> None:
    subject.model.load(corpus.messages(path), "bench")
    subject.clock.settle(1.0)
    frame = subject.clock.watch(lambda: subject.drag(0))
    assert frame.painted
    assert frame.final_ms >= frame.first_ms > 0
    assert not subject.clock.watch(lambda: subject.drag(0)).painted
    assert subject.clock.frame(lambda: subject.wheel(-60)) > 0
    assert measure_frames.p95([float(value) for value in range(100)]) == 95


def test_a_shift_is_found_by_the_lines_that_stay() -> None:
    lines = list(range(100))
    assert shift(lines, lines) == 0
    assert shift(lines, [900, 901, 902, *lines[:-3]]) == 3
    assert shift(lines, [*lines[2:], 900, 901]) == -2
    assert shift(lines, list(range(500, 600))) == 0
    assert shift([7] * 100, [7] * 100) == 0
