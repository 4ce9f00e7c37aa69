"""One measured figure beside its goal."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """`value` and `goal` in `unit`, lower is better; no goal means: shown for information."""

    name: str
    value: float
    unit: str
    goal: float | None = None
    note: str = ""

    def row(self) -> str:
        """Return the line of the table."""
        goal = f"{self.goal:g} {self.unit}" if self.goal is not None else "-"
        ratio = f"{self.value / self.goal:.2f}" if self.goal else "-"
        return f"{self.name:<44} {self.value:>9.1f} {self.unit:<6} {goal:>10} {ratio:>6}  {self.note}".rstrip()


HEAD = f"{'figure':<44} {'measured':>16} {'goal':>10} {'ratio':>6}  note"
