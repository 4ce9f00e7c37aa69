"""The worker that reads and draws what a message may hold: long Markdown, long code, formulas, diagrams.

It gets one job after the other as frames on stdin and answers each with ``{"id", "done"}`` or ``{"id", "failed"}``.
Invariants: its memory is bounded, it can write no file, and nothing but answers goes to its stdout. It keeps no
state from one job to the next.
"""

import os
import sys
from collections.abc import Callable
from typing import Any

from deepchat_desktop.workers import guard
from deepchat_desktop.workers.frames import Message, Unpacker, pack

MEMORY = 1 << 30
"""Bytes of address space."""


def run(config: guard.Config) -> int:
    """Work until stdin ends."""
    answers = _own_stdout()
    _limit()
    unpacker = Unpacker()
    while True:
        for job in unpacker.feed(guard.incoming.get()):
            _write(answers, pack(_answer(job)))


def _own_stdout() -> int:
    """Keep stdout for answers: what a library prints must not come between them."""
    answers = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return answers


def _limit() -> None:
    sys.dont_write_bytecode = True
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _write(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


def _answer(job: Message) -> Message:
    try:
        return {"id": job["id"], "done": JOBS[job["job"]](job)}
    except MemoryError:
        return {"id": job["id"], "failed": "It needs too much memory."}
    except Exception as error:  # noqa: BLE001 - whatever a foreign library raises is this job's answer
        return {"id": job["id"], "failed": _line(error)}


def _line(error: Exception) -> str:
    """Return an error as one short line."""
    words = " ".join(str(error).split())
    return words[:300] or type(error).__name__


def _parity(job: Message) -> Message:
    """Answer which parts of a text must be joined, and what it defines: see ``markdown_parity``."""
    from deepchat_desktop.ui.blocks.markdown_parity import compared
    from deepchat_desktop.ui.blocks.scanner import Part

    found = compared(job["text"], [Part._make((*part[:-1], tuple(part[-1]))) for part in job["parts"]])
    notes = found.references.notes.get("refs", {})
    return {"ranges": found.ranges, "links": found.references.links, "notes": list(notes)}


def _highlight(job: Message) -> list[int]:
    """Answer the runs of a code: the number of a tone and a length, again and again."""
    from deepchat_desktop.ui.blocks.highlight import TONES, lex

    numbers = {tone: number for number, tone in enumerate(TONES)}
    runs = lex(job["language"], job["code"])
    return [number for _, tone, words, _ in runs for number in (numbers[tone], len(words))]


def _formula(job: Message) -> str:
    from deepchat_desktop.workers.render_formula import draw

    return draw(job["tex"], display=job["display"])


def _diagram(job: Message) -> dict[str, Any]:
    from deepchat_desktop.workers.render_diagram import draw

    return draw(job["source"], job["colours"], job["scale"])


JOBS: dict[str, Callable[[Message], object]] = {
    "parity": _parity,
    "highlight": _highlight,
    "formula": _formula,
    "diagram": _diagram,
}
