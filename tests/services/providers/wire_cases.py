"""The wire cases of ``tests/data/wire`` and how a folded answer is compared with what a case expects."""

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from deepchat_desktop.services.providers.wire_fold import fold

DATA = Path(__file__).parents[2] / "data" / "wire"
RECORDINGS = Path(os.environ.get("DEEPCHAT_WIRE_RECORDINGS", "/nonexistent"))


def cases(kind: str) -> list[dict[str, Any]]:
    """Return the cases of a kind."""
    index = json.loads((DATA / "index.json").read_text(encoding="utf-8"))
    return [case for case in index["cases"] if case["kind"] == kind]


def body_of(case: dict[str, Any]) -> bytes:
    return (DATA / case["file"]).read_bytes()


def json_of(case_id: str) -> Any:
    return json.loads((DATA / f"{case_id}.json").read_text(encoding="utf-8"))


def cuts(body: bytes, seed: int) -> Iterator[list[bytes]]:
    """Yield a body whole, byte by byte, and in three ways at random."""
    yield [body]
    yield [body[place : place + 1] for place in range(len(body))]
    rng = random.Random(seed)
    for _ in range(3):
        yield random_cut(body, rng)


def random_cut(body: bytes, rng: random.Random) -> list[bytes]:
    pieces, start = [], 0
    while start < len(body):
        size = rng.choice((1, 2, 3, 7, 40, 300))
        pieces.append(body[start : start + size])
        start += size
    return pieces


def fold_chat(pieces: list[bytes], status: int = 200, headers: dict[str, str] | None = None) -> dict[str, Any]:
    return fold("openai_chat", pieces, status, headers)


def differences(result: dict[str, Any], expected: dict[str, Any]) -> list[str]:
    """Return what of ``expected`` the result does not hold; objects may have more fields, lists may not."""
    wrong = []
    for name, want in expected.items():
        if name == "error":
            wrong += _error_differences(result["error"] or {}, want)
        elif not _holds(result.get(name), want):
            wrong.append(f"{name}: {result.get(name)!r} is not {want!r}")
    return wrong


def _error_differences(error: dict[str, Any], want: dict[str, Any]) -> list[str]:
    told = [name for name in ("kind", "retryable") if name in want]
    wrong = [f"{name}: {error.get(name)!r}" for name in told if error.get(name) != want[name]]
    message = error.get("message", "")
    if want.get("message_contains", "") not in message or len(message) > want.get("message_max_len", 300):
        wrong.append(f"message: {message!r}")
    return wrong + [f"message has {part!r}" for part in want.get("message_excludes", ()) if part in message]


def _holds(value: Any, want: Any) -> bool:
    if isinstance(want, dict):
        return isinstance(value, dict) and all(name in value and _holds(value[name], want[name]) for name in want)
    if isinstance(want, list):
        return isinstance(value, list) and len(value) == len(want) and all(map(_holds, value, want))
    return bool(value == want)
