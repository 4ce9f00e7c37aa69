"""How long the window's event loop is held by texts that were not made for it, loaded from the store and streamed.

Each text is opened in the real window, scrolled through, resized, selected whole and copied; what is copied must be
the text. The longest hold of each is printed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.figure import Figure
from benchmarks.process import ROOT, screen

GOAL_MS = 100
LIMIT_S = 600
PIECES = 1_500
"""About so many chunks a text is streamed in."""
FENCE = "```"


def texts(scale: float = 1.0) -> dict[str, str]:
    """Return the texts by name; ``scale`` below 1 makes the large ones smaller."""

    def count(most: int) -> int:
        return max(1, round(most * scale))

    head, row = "| a | b | c | d |\n|---|---|---|---|\n", "| {0} | cell {0} | `code` | **bold** |\n"
    return {
        "one line": "word " * count(2_000_000) + "end",
        "one line without blanks": "x" * count(10_000_000),
        "one line of code": f"{FENCE}python\n" + "call(1, 'two') + " * count(590_000) + f"1\n{FENCE}",
        "list items": "\n".join(f"- item {at}" for at in range(count(100_000))),
        "nested list": "\n".join("  " * at + f"- level {at}" for at in range(count(300))),
        "table rows": head + "".join(map(row.format, range(count(5_000)))) + "| end |",
        "unclosed fence": f"{FENCE}python\n" + "\n".join(f"value{at} = {at}" for at in range(count(50_000))),
        "many unclosed fences": "\n\n".join(f"{FENCE * (at % 3 + 1)}\ntext {at}" for at in range(count(3_000))),
        "nested quotes": "\n".join("> " * at + f"quote {at}" for at in range(1, 1 + count(200))),
        "deep html": "<div>" * count(20_000) + "deep" + "</div>" * count(20_000),
        "html lines": "<b>\n" * count(20_000) + "deep\n" + "</b>\n" * count(20_000) + "end",
        "nul": "before \0 after \0\0\n\n- \0 item\n\n`\0` end",
        "lone surrogates": "before \ud800 after \udfff\n\n```\n\ud83d\n```\n\nend",
        "bidi": "safe \u202etxt.exe\u202c and \u2066isolated\u2069 \u200f end " * count(2_000) + "end",
        "tag characters": ("plain" + "".join(chr(0xE0000 + ord(c)) for c in "hidden") + " ") * count(2_000) + "end",
        "emoji": "👩‍👩‍👧‍👦🏳️‍🌈👍🏽🇩🇪 " * count(5_000) + "end",
        "one endless cluster": "a" + "\u0301" * count(50_000) + " end",
        "joined without end": "👩" + "\u200d👩" * count(20_000) + " end",
        "right to left": "\n\n".join("שלום עולם מתחיל כאן ومرحبا بالعالم 123 abc." for _ in range(count(5_000))),
        "tiny paragraphs": "\n\n".join("p" for _ in range(count(100_000))),
        "opening brackets": "[" * count(50_000) + "end",
        "bracket pairs": "[]" * count(25_000) + "end",
        "emphasis": "*a **b " * count(10_000) + "end",
        "backticks": " ".join("`" * (at % 200 + 1) for at in range(count(2_000))) + " end",
        "definitions": "\n\n".join(f"[a{at}]: /url{at}" for at in range(count(5_000))) + "\n\n[a1] end",
    }


def streamed() -> dict[str, str]:
    """Return what is streamed: the same, the large ones at a size that a model can send."""
    return texts(0.03)


def pieces(text: str) -> list[str]:
    """Cut a text for streaming."""
    size = max(1, len(text) // PIECES)
    return [text[at : at + size] for at in range(0, len(text), size)]


def as_copied(text: str) -> str:
    """Return what a clipboard can carry: UTF-8 has no lone surrogates."""
    return text.encode("utf-8", "replace").decode()


def run(names: list[str]) -> list[dict[str, Any]]:
    """Return what became of each text (all without ``names``): name, way, hold_ms by act, copied. Raises on failure."""
    with tempfile.TemporaryDirectory() as folder, screen() as settings:
        command = [sys.executable, "-m", "benchmarks.bad_input_window", folder, *names]
        done = subprocess.run(
            command, cwd=ROOT, env=os.environ | settings, check=True, stdout=subprocess.PIPE, text=True,
            timeout=LIMIT_S,
        )  # fmt: skip
    return [json.loads(line) for line in done.stdout.splitlines()]


def figures(results: list[dict[str, Any]]) -> list[Figure]:
    """Return a line for each text."""
    out = list[Figure]()
    for got in results:
        holds = got["hold_ms"]
        note = ", ".join(f"{act} {ms:.0f}" for act, ms in holds.items())
        note += "" if got["copied"] else "; NOT COPIED AS IT CAME"
        out.append(Figure(f"{got['way']}: {got['name']}", max(holds.values()), "ms", GOAL_MS, note))
    return out


def measure() -> list[Figure]:
    """Measure all texts."""
    if not Path("/proc/self/fd").exists():
        return []
    return figures(run([]))
