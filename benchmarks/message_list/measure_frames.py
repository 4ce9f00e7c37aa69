"""Frames of a list that stands in a long conversation: jumps, wheel, drags, resizes; and what takes all messages."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from benchmarks.memory import pss_mb
from benchmarks.message_list import corpus, measure_open
from benchmarks.message_list.stage import HEIGHT, WIDTH, bar_range
from benchmarks.message_list.subject import Subject
from deepchat_desktop.services.store import StoredMessages

Result = dict[str, Any]
JUMPS, WHEELS, DRAGS, RESIZES = 40, 240, 100, 60
WHEEL_PX, DRAG_PX = 60, 1500
SCROLL_LIMIT_S, REST_S = 40.0, 5.0


def p95(values: list[float]) -> float:
    """Return the 95th percentile of a list that is not empty."""
    return percentile(values, 0.95)


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def spread(values: list[float]) -> str:
    return f"p50 {median(values):.1f}, max {max(values):.1f}"


def warm(subject: Subject) -> None:
    """Show every kind of block once, as a window that is in use has done: what must be imported is."""
    subject.model.load(corpus.warm_messages(), "warm")
    subject.clock.settle(2.0)
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        subject.drag(int(share * bar_range(subject.area)))
        subject.clock.settle(1.0)


def loaded(subject: Subject, path: Path) -> StoredMessages:
    """Load the conversation as its rows, as the program does, and let it come to rest; returns the messages."""
    warm(subject)
    messages = measure_open.stored(path)
    assert messages, "figures of an empty conversation say nothing"
    subject.model.load(messages, "bench")
    subject.clock.settle(12.0)
    return messages


def _to_middle(subject: Subject) -> None:
    subject.drag(bar_range(subject.area) // 2)
    subject.clock.settle()


def _go(subject: Subject, share: float) -> None:
    subject.drag(int(share * bar_range(subject.area)))


def open_from_memory(subject: Subject, path: Path) -> Result:
    """From the call that shows the messages to the final picture of the first screen."""
    messages = corpus.messages(path)
    warm(subject)
    frame = subject.clock.watch(lambda: subject.model.load(messages, "bench"))
    if not frame.painted:
        return {}
    return {"open_memory": frame.final_ms, "note:open_memory": f"first paint {frame.first_ms:.0f} ms"}


def jump(subject: Subject, path: Path) -> Result:
    """Jumps to places by chance, each followed until its picture is final."""
    loaded(subject, path)
    chance = Random(corpus.SEED)
    places = [chance.random() for _ in range(JUMPS)]
    frames = [subject.clock.watch(partial(_go, subject, at)) for at in places]
    frames = [frame for frame in frames if frame.painted]
    if not frames:
        return {}
    first, final = [frame.first_ms for frame in frames], [frame.final_ms for frame in frames]
    moved, reach = max(abs(frame.moved) for frame in frames), bar_range(subject.area)
    return {
        "jump_first": p95(first), "note:jump_first": f"{spread(first)}; the bar reaches {reach / 1e6:.2f} M px",
        "jump_final": p95(final), "note:jump_final": spread(final), "drift_jump": moved,
        "note:drift_jump": f"{sum(frame.moved != 0 for frame in frames)} of {len(frames)} jumps moved afterwards",
    }  # fmt: skip


def _frames(subject: Subject, acts: list[Callable[[], None]], key: str) -> Result:
    """Take frames; those that painted nothing, because there was nowhere to go, do not count."""
    painted, taken = subject.stage.paints, list[float]()
    for act in acts:
        milliseconds = subject.clock.frame(act)
        if subject.stage.paints != painted:
            taken.append(milliseconds)
        painted = subject.stage.paints
    if not taken:
        return {}
    idle = f", {len(acts) - len(taken)} did not paint" if len(taken) < len(acts) else ""
    return {key: p95(taken), f"note:{key}": spread(taken) + idle}


def wheel(subject: Subject, path: Path) -> Result:
    """Half notches: a third up, a sixth down, the rest up."""
    loaded(subject, path)
    _to_middle(subject)
    up = [True] * (WHEELS // 3) + [False] * (WHEELS // 6) + [True] * (WHEELS - WHEELS // 3 - WHEELS // 6)
    return _frames(subject, [partial(subject.wheel, WHEEL_PX if to else -WHEEL_PX) for to in up], "wheel")


def drag(subject: Subject, path: Path) -> Result:
    """The bar's handle pulled up, a view and a half at a time."""
    loaded(subject, path)
    _to_middle(subject)
    bar = subject.area.verticalScrollBar()
    return _frames(subject, [lambda: subject.drag(max(0, bar.value() - DRAG_PX))] * DRAGS, "drag")


def resize(subject: Subject, path: Path) -> Result:
    """The window's edge pulled in and out, 8 px at a time, in the middle of the conversation."""
    loaded(subject, path)
    _to_middle(subject)
    steps = [*range(0, RESIZES // 2), *range(RESIZES // 2, 0, -1)]
    return _frames(subject, [partial(subject.stage.resize, WIDTH - 8 * by - 8, HEIGHT) for by in steps], "resize")


def whole(subject: Subject, path: Path) -> Result:
    """Finding in, and copying, all messages."""
    messages = loaded(subject, path)
    result: Result = {}
    times: list[float] = []
    for words in ("bridge_window", "城市", "Reader42"):
        began = time.perf_counter()
        hits = subject.find(words)
        times.append((time.perf_counter() - began) * 1000)
        if hits is not None:
            result |= {"find": median(times), "note:find": f"{hits} hits of the last of {len(times)} words"}
    began = time.perf_counter()
    if subject.copy_all():
        taken = (time.perf_counter() - began) * 1000
        text = subject.copied()
        first = (message.blocks[0].read() for message in messages)
        wanted = sum(len(block.text) for block in first if block.kind == "text")
        result |= {"copy": taken, "note:copy": f"{len(text) / wanted:.0%} of {wanted / 1e6:.1f} M characters copied"}
    if (strip := subject.minimap()) is not None:
        taken_ms: list[float] = []
        for _ in range(51):
            subject.wheel(WHEEL_PX)
            subject.clock.settle(0.05)
            began = time.perf_counter()
            strip.repaint()
            taken_ms.append((time.perf_counter() - began) * 1000)
        result |= {"minimap": p95(taken_ms[1:]), "note:minimap": spread(taken_ms[1:])}
    return result


def memory(subject: Subject, path: Path) -> Result:
    """The process's memory at rest after scrolling up through all messages, screen by screen within the time."""
    loaded(subject, path)
    bar, began = subject.area.verticalScrollBar(), time.perf_counter()
    whole_px, screens, step = max(1, bar.maximum()), 0, max(1, bar.pageStep())
    while bar.value() > 0 and (elapsed := time.perf_counter() - began) < SCROLL_LIMIT_S:
        if screens == 50:  # what the rest would take decides how much of it is looked at
            rest_s = bar.value() / step * elapsed / screens
            step = max(step, int(step * rest_s / (SCROLL_LIMIT_S * 0.8)))
        subject.clock.frame(partial(subject.drag, max(0, bar.value() - step)))
        screens += 1
    peak = pss_mb(os.getpid())
    subject.clock.rest(REST_S)
    left_out = bar.value() / max(whole_px, bar.maximum())
    words = f"{peak:.0f} MB while it moves; {screens} screens, a step of {step} px, {left_out:.0%} left out"
    return {"pss": pss_mb(os.getpid()), "note:pss": words}
