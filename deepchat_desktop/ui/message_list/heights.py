"""The heights of all messages as a Fenwick tree: sums, finds and corrections in O(log n).

Invariant: heights are whole px and at least 0; ``prefix(count())`` is ``total()``.
"""

from collections.abc import Iterable


class Heights:
    """Row heights in px."""

    def __init__(self) -> None:
        self._heights: list[int] = []
        self._tree: list[int] = [0]

    def reset(self, heights: Iterable[int]) -> None:
        """Replace all heights in O(n)."""
        self._heights = list(heights)
        tree = [0, *self._heights]
        for index in range(1, len(tree)):
            above = index + (index & -index)
            if above < len(tree):
                tree[above] += tree[index]
        self._tree = tree

    def count(self) -> int:
        """Return the number of rows."""
        return len(self._heights)

    def append(self, height: int) -> None:
        """Add a row at the end."""
        self._heights.append(height)
        index = len(self._heights)
        self._tree.append(height + self.prefix(index - 1) - self.prefix(index - (index & -index)))

    def get(self, row: int) -> int:
        """Return one height."""
        return self._heights[row]

    def set(self, row: int, height: int) -> None:
        """Correct one height."""
        change = height - self._heights[row]
        if change:
            self._heights[row] = height
            index = row + 1
            while index < len(self._tree):
                self._tree[index] += change
                index += index & -index

    def prefix(self, row: int) -> int:
        """Return the height of all rows before ``row``."""
        total, index = 0, row
        while index > 0:
            total += self._tree[index]
            index -= index & -index
        return total

    def total(self) -> int:
        """Return the height of all rows."""
        return self.prefix(len(self._heights))

    def find(self, y: int) -> tuple[int, int]:
        """Return the row that holds a height and how far into it that is; the last row beyond the end."""
        size = len(self._heights)
        index, rest, step = 0, max(0, y), 1 << size.bit_length()
        while step:
            ahead = index + step
            if ahead <= size and self._tree[ahead] <= rest:
                index, rest = ahead, rest - self._tree[ahead]
            step >>= 1
        if index >= size and size:
            return size - 1, self._heights[-1]
        return index, rest
