"""The budget of the message list: each figure with its goal, and how it may stand to the two rivals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

OURS, ROWS, CHROMIUM = "ours", "rows", "chromium"


@dataclass(frozen=True)
class Line:
    """A figure: lower is better. ``key`` names it in what the measurements return."""

    key: str
    name: str
    unit: str
    goal: float | None = None
    rival_key: str = ""
    """What the rivals are asked for instead, where they cannot do the same."""


LINES = (
    Line("open", "open it, database included, coloured", "ms", 100, "open_memory"),
    Line("open_memory", "open it from memory, coloured", "ms"),
    Line("wheel", "wheel frame p95", "ms", 8),
    Line("drag", "drag frame p95", "ms", 16),
    Line("jump_first", "jump p95, first frame", "ms", 16),
    Line("jump_final", "jump p95, coloured", "ms", 25),
    Line("late_p99", "streaming: loop lateness p99", "ms", 16),
    Line("late_max", "streaming: loop lateness max", "ms", 50),
    Line("flush", "streaming: flush p95", "ms", 4),
    Line("cpu", "streaming: share of a core", "core", 0.5),
    Line("grow_mixed", "flush growth, mixed answer", "x", 1.5),
    Line("grow_code", "flush growth, one code block", "x", 2),
    Line("grow_paragraph", "flush growth, one paragraph", "x", 2),
    Line("grow_table", "flush growth, one table", "x", 2),
    Line("grow_list", "flush growth, one list", "x", 2),
    Line("last_mixed", "last quarter's flush p95, mixed answer", "ms"),
    Line("last_code", "last quarter's flush p95, one code block", "ms"),
    Line("last_paragraph", "last quarter's flush p95, one paragraph", "ms"),
    Line("last_table", "last quarter's flush p95, one table", "ms"),
    Line("last_list", "last quarter's flush p95, one list", "ms"),
    Line("resize", "resize frame p95", "ms", 16),
    Line("find", "find in all messages", "ms", 60),
    Line("copy", "select all, copy as Markdown", "ms", 50),
    Line("pss", "memory after scrolling through (PSS)", "MB", 200),
    Line("drift_jump", "drift after a jump, worst", "px", 1),
    Line("drift_stream", "drift while an answer arrives, worst", "px", 1),
    Line("drift_image", "drift when pictures come above", "px", 1),
    Line("drift_font", "drift when the type grows", "px", 1),
    Line("minimap", "minimap repaint p95", "ms", 4),
)
HEAD = (
    f"{'figure':<40} {'ours':>11} {'goal':>9} {'ratio':>6} {'rows':>9} {'ratio':>6} {'chromium':>9} {'ratio':>6}  note"
)


@dataclass
class Table:
    """All that was measured; medians of the runs are printed."""

    runs: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """Subject to the results of its measurements."""

    def add(self, subject: str, result: dict[str, Any]) -> None:
        self.runs.setdefault(subject, []).append(result)

    def value(self, subject: str, key: str) -> float | None:
        """Return the median of a figure, the lower one of two middle ones; None where there is none."""
        values = sorted(float(run[key]) for run in self.runs.get(subject, ()) if run.get(key) is not None)
        return values[(len(values) - 1) // 2] if values else None

    def note(self, subject: str, key: str) -> str:
        """Return the last run's words on a figure."""
        return next((run[f"note:{key}"] for run in reversed(self.runs.get(subject, [])) if f"note:{key}" in run), "")

    def row(self, line: Line) -> str:
        """Return a line of the printed table."""
        ours = self.value(OURS, line.key)
        text = f"{line.name:<40} {_shown(ours, line.unit):>11} {_goal(line):>9} {_ratio(ours, line.goal):>6}"
        for rival in (ROWS, CHROMIUM):
            theirs = self.value(rival, line.rival_key or line.key)
            text += f" {_shown(theirs):>9} {_ratio(ours, theirs):>6}"
        notes = ((subject, self.note(subject, line.key)) for subject in (OURS, ROWS, CHROMIUM))
        said = "; ".join(note if subject == OURS else f"[{subject}: {note}]" for subject, note in notes if note)
        return f"{text}  {said}".rstrip()


def _shown(value: float | None, unit: str = "") -> str:
    if value is None:
        return "n/a"
    return f"{value:.2f} {unit}".rstrip() if value < 10 else f"{value:.0f} {unit}".rstrip()


def _goal(line: Line) -> str:
    return f"{line.goal:g} {line.unit}" if line.goal is not None else "-"


def _ratio(value: float | None, other: float | None) -> str:
    return f"{value / other:.2f}" if value is not None and other else "-"
