"""An answer that streams into a long conversation: in real time, and flush by flush to see whether flushes grow."""

from __future__ import annotations

import time
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt, QTimer

from benchmarks.lateness import Heart
from benchmarks.message_list import corpus
from benchmarks.message_list.measure_frames import Result, loaded, p95, percentile, spread
from benchmarks.message_list.stage import shift
from benchmarks.message_list.subject import Subject
from deepchat_desktop.domain.blocks import TextBlock
from deepchat_desktop.domain.events import BlockSet, BlockText, MessageAdded, MessageFinished
from deepchat_desktop.domain.messages import Message
from deepchat_desktop.presenters.message_list_model import MessageListModel

RATE = 1000
"""Tokens a second."""
FEED_MS = 4
STREAM_S = 8.0
READ_S = 5.0
"""So long somebody reads before they ask."""
FLUSH_TOKENS = 33
GROWTH_LIMIT_S = 15.0
ANSWER = "answer"


class FlushProbe:
    """Times what the views of a model do in the slots of its signals: from the first slot to the last.

    Made before the list, so that its first slot comes first; `close` comes after the list was made.
    """

    def __init__(self, model: MessageListModel) -> None:
        self._model, self._began = model, 0.0
        self.flush_ms: list[float] = []
        model.block_text.connect(self._open)
        model.block_changed.connect(self._open)

    def close(self) -> None:
        self._model.block_text.connect(self._shut)
        self._model.block_changed.connect(self._shut)

    def _open(self) -> None:
        self._began = time.perf_counter()

    def _shut(self) -> None:
        self.flush_ms.append((time.perf_counter() - self._began) * 1000)


def begin(subject: Subject) -> None:
    """Add an answer that streams, with one open text block."""
    message = Message(id=ANSWER, session_id="bench", role="assistant", status="streaming", created_at=1, updated_at=1)
    subject.model.apply(MessageAdded(session_id="bench", message=message))
    block = TextBlock(text="", open=True)
    subject.model.apply(BlockSet(session_id="bench", message_id=ANSWER, index=0, block=block))


def grow(subject: Subject, text: str) -> None:
    subject.model.apply(BlockText(session_id="bench", message_id=ANSWER, index=0, text=text))


def finish(subject: Subject, text: str) -> None:
    """End the answer as the runtime does: with the whole message."""
    message = Message(
        id=ANSWER, session_id="bench", role="assistant", blocks=(TextBlock(text=text),), created_at=1, updated_at=1
    )
    subject.model.apply(MessageFinished(session_id="bench", message=message))


class Feeder:
    """Hands over each token when it is due."""

    def __init__(self, subject: Subject, tokens: list[str]) -> None:
        self._subject, self._tokens = subject, tokens
        self.sent = 0
        self._began = time.perf_counter()
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._feed)
        self._timer.start(FEED_MS)

    def _feed(self) -> None:
        due = min(len(self._tokens), int((time.perf_counter() - self._began) * RATE))
        for token in self._tokens[self.sent : due]:
            grow(self._subject, token)
        self.sent = due

    def stop(self) -> None:
        self._timer.stop()


def stream(subject: Subject, path: Path, probe: FlushProbe) -> Result:
    """1,000 tokens a second in Qt's own loop, the end in view; how late the loop is, and what it costs."""
    loaded(subject, path)
    subject.clock.rest(READ_S)
    app = QCoreApplication.instance()
    assert app is not None
    begin(subject)
    subject.clock.settle(1.0)
    probe.flush_ms.clear()
    paints, painting = subject.stage.paints, subject.stage.painting_s
    feeder, heart = Feeder(subject, corpus.cut(corpus.stream_text("mixed"))), Heart()
    heart.start()
    QTimer.singleShot(int(STREAM_S * 1000), app.quit)
    wall, cpu = time.perf_counter(), time.process_time()
    app.exec()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    heart.stop()
    feeder.stop()
    paints, painting = subject.stage.paints - paints, subject.stage.painting_s - painting
    assert paints, "a window that is not shown paints nothing, and its figures say nothing"
    return {
        "late_p99": percentile(heart.late_ms, 0.99), "late_max": max(heart.late_ms),
        "flush": p95(probe.flush_ms), "cpu": cpu / wall,
        "note:late_p99": f"{feeder.sent / wall:.0f} tokens a second",
        "note:flush": f"{spread(probe.flush_ms)}; {len(probe.flush_ms)} flushes",
        "note:cpu": f"{paints} paints of {painting * 1000 / max(1, paints):.1f} ms",
    }  # fmt: skip


def growth(subject: Subject, path: Path, kind: str) -> Result:
    """The cost of flushes in the last quarter of a long answer against the first, painting apart."""
    loaded(subject, path)
    begin(subject)
    tokens = corpus.cut(corpus.stream_text(kind))
    work: list[float] = []
    painted: list[float] = []
    end = time.perf_counter() + GROWTH_LIMIT_S
    chunks = ["".join(tokens[at : at + FLUSH_TOKENS]) for at in range(0, len(tokens), FLUSH_TOKENS)]
    for chunk in chunks:
        painting, began = subject.stage.painting_s, time.perf_counter()
        grow(subject, chunk)
        subject.model.flush()
        QCoreApplication.sendPostedEvents()
        subject.clock.turn()
        whole, paint = time.perf_counter() - began, subject.stage.painting_s - painting
        work.append((whole - paint) * 1000)
        painted.append(whole * 1000)
        if time.perf_counter() > end:
            break
    key, done = f"grow_{kind}", len(work) / len(chunks)
    part = max(1, len(chunks) // 4)
    first, last = p95(work[:part]), p95(work[-part:])
    cut = "" if done == 1 else f"; NOT DONE: {done:.0%} in {GROWTH_LIMIT_S:.0f} s"
    words = f"{first:.1f} to {last:.1f} ms; with paint x{p95(painted[-part:]) / p95(painted[:part]):.1f}{cut}"
    # An answer that was not done has no last quarter to compare.
    return {key: last / first if done == 1 else None, f"note:{key}": words, f"last_{kind}": last}


def drift(subject: Subject, path: Path) -> Result:
    """How far what is read moves while an answer arrives and ends below it."""
    loaded(subject, path)
    begin(subject)
    text = corpus.stream_text("mixed", 24_000)
    tokens = corpus.cut(text)
    grow(subject, "".join(tokens[:2000]))
    subject.clock.settle(2.0)
    for _ in range(10):
        subject.wheel(60)
    subject.clock.settle(2.0)
    before, worst = subject.clock.lines(), 0
    for at in range(2000, len(tokens), 100):
        grow(subject, "".join(tokens[at : at + 100]))
        subject.model.flush()
        subject.clock.turn()
        if at % 1000 == 0:
            worst = max(worst, abs(shift(before, subject.clock.lines())))
    finish(subject, text)
    subject.clock.settle(2.0)
    worst = max(worst, abs(shift(before, subject.clock.lines())))
    return {"drift_stream": worst}
