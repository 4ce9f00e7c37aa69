"""Draws the messages of a conversation as bars, each where it stands in the tree of heights.

Invariants: the work follows the px of the strip and not the number of messages: where several share ``PITCH`` px
they share one bar. Whose a bar is shows in its side, an error and a request in their form, not in the colour alone.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, log2

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter

from deepchat_desktop.ui.chat.minimap_rows import MapRows, Mark
from deepchat_desktop.ui.message_list.heights import Heights
from deepchat_desktop.ui.paint import dot, painting, rr
from deepchat_desktop.ui.theme import theme

WIDTH = 56
OVER = 8
"""Px below the track, where a mark of the last message may end."""
PITCH = 3.0
"""The least room for a bar, in px."""
LARGEST = 0.06
"""Px of the strip for one px of the conversation, at most: short conversations are not pulled apart."""
_SAMPLES = 4
"""How many of the messages that share a bar are looked at for its length."""
_BOT, _USER, _HIT, _MARK = (11.0, 28.0), (45.0, 16.0), (49.0, 5.0), (4.0, 3.0)
"""The edge a lane's bars begin at (the user's: end at) and their longest length, in px."""
_LEAST, _MUCH = 5.0, 4096.0


@dataclass(frozen=True)
class Bar:
    """The messages ``first`` to ``last`` (not included) at ``y`` px of the track; ``room`` px are theirs."""

    y: float
    room: float
    first: int
    last: int


def scale(heights: Heights, track: float) -> float:
    """Return px of the track for one px of the conversation."""
    return min(LARGEST, track / max(1, heights.total()))


def bars(heights: Heights, track: float) -> Iterator[Bar]:
    """Yield the bars from the top down, one for each message where there is room."""
    by, count, row, top = scale(heights, track), heights.count(), 0, 0.0
    while row < count:
        after = row + 1
        end = heights.prefix(after) * by
        if end - top < PITCH and after < count:
            at, rest = heights.find(ceil((top + PITCH) / by))
            after = max(after, at + (rest > 0))
            end = heights.prefix(after) * by
        yield Bar(top, end - top, row, after)
        row, top = after, end


def draw(heights: Heights, rows: MapRows, hits: Sequence[int], track: float, dpr: float) -> QImage:
    """Return the bars with marks of ``hits`` (how many in each message) as an image ``track`` and ``OVER`` px high."""
    size = (ceil(WIDTH * dpr), ceil((track + OVER) * dpr))
    image = QImage(*size, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(dpr)
    image.fill(theme.clear)
    answers, questions, ticks = _boxes(bars(heights, track), rows, hits)
    with painting(image) as p:
        for areas, colour in ((answers, theme.mapbot), (questions, theme.mapuser), (ticks, theme.warn)):
            p.setPen(Qt.PenStyle.NoPen)
            p.setBrush(colour)
            p.drawRects(areas)
        for row, mark in sorted(rows.marks.items()):
            _mark(p, heights.prefix(row) * scale(heights, track), mark)
    return image


def _boxes(
    found: Iterable[Bar], rows: MapRows, hits: Sequence[int]
) -> tuple[list[QRectF], list[QRectF], list[QRectF]]:
    """Return what is drawn for answers, for questions and for hits."""
    answers: list[QRectF] = []
    questions: list[QRectF] = []
    ticks: list[QRectF] = []
    for bar in found:
        shared = bar.last > bar.first + 1
        step = max(1, (bar.last - bar.first) // _SAMPLES) | 1  # odd: questions and answers take turns
        bot, user = rows.longest(range(bar.first, bar.last, step))
        y, long = round(bar.y), 0.0
        if user:
            long = _length(user, _USER[1])
            high = PITCH - 1 if shared else min(_thickness(user, bar.room), 3.0)
            questions.append(QRectF(_USER[0] - long, y, long, high))
        if bot:
            free = _USER[0] - long - 2 - _BOT[0] if user else _BOT[1]
            high = PITCH - 1 if shared else _thickness(bot, bar.room)
            answers.append(QRectF(_BOT[0], y, min(_length(bot, _BOT[1]), free), high))
        if any(hits[bar.first : bar.last]):
            ticks.append(QRectF(_HIT[0], y, _HIT[1], 3))
    return answers, questions, ticks


def _length(tokens: int, longest: float) -> float:
    return round(_LEAST + (longest - _LEAST) * min(1.0, log2(1 + tokens / 16) / log2(1 + _MUCH / 16)))


def _thickness(tokens: int, room: float) -> float:
    return round(max(2.0, min(8.0, room - 1, 1.5 + 1.5 * log2(1 + tokens / 64))))


def _mark(p: QPainter, y: float, mark: Mark) -> None:
    """Draw an error as a bar and a request as a disc."""
    if mark == "error":
        rr(p, QRectF(_MARK[0], round(y) - 2, _MARK[1], 8), 1, theme.danger)
    else:
        dot(p, QPointF(_MARK[0] + 2, round(y) + 2), 3, theme.warn)
