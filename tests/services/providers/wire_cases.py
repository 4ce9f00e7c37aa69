"""The wire cases of ``tests/data/wire`` and how a folded answer is compared with what a case expects."""

import json
import os
import random
import struct
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from deepchat_desktop.services.providers.registry import DECODERS
from deepchat_desktop.services.providers.wire_fold import fold

DATA = Path(__file__).parents[2] / "data" / "wire"
RECORDINGS = Path(os.environ.get("DEEPCHAT_WIRE_RECORDINGS", "/nonexistent"))


def cases(kind: str) -> list[dict[str, Any]]:
    """Return the cases of a kind."""
    index = json.loads((DATA / "index.json").read_text(encoding="utf-8"))
    return [case for case in index["cases"] if case["kind"] == kind]


def readable(entries: Iterable[dict[str, Any]]) -> list[ParameterSet]:
    """Return the entries as parameters; one whose style has no decoder is skipped by name."""
    return [
        pytest.param(
            entry,
            id=entry.get("id") or entry["file"],
            marks=[] if style_of(entry) in DECODERS else pytest.mark.skip(f"no decoder for {style_of(entry)} yet"),
        )
        for entry in entries
    ]


def style_of(entry: dict[str, Any]) -> str:
    """Return the API style that reads an entry; what is the same for all styles is read as chat completions."""
    return "openai_chat" if entry["api"] == "any" else str(entry["api"])


def body_of(case: dict[str, Any]) -> bytes:
    body = (DATA / case["file"]).read_bytes()
    if case["kind"] == "stream_events":
        return b"".join(aws_frame(name, value) for name, value in json.loads(body)["events"])
    return body


def aws_frame(name: str, payload: object, kind: str = "event") -> bytes:
    """Return one message of ``application/vnd.amazon.eventstream``: prelude, headers, JSON, both checksums.

    ``kind`` is "event" or "exception".
    """
    headers = b"".join(
        bytes([len(header)]) + header.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
        for header, value in ((f":{kind}-type", name), (":message-type", kind))
    )
    data = json.dumps(payload).encode()
    prelude = struct.pack(">II", 16 + len(headers) + len(data), len(headers))
    message = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + data
    return message + struct.pack(">I", zlib.crc32(message))


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
        elif name == "ids_unique":
            ids = [call["id"] for call in result["tool_calls"]]
            wrong += [] if len(set(filter(None, ids))) in (0, len(ids)) else [f"ids: {ids}"]
        elif name == "server_tools":
            wrong += server_tool_differences(result, want)
        elif name == "hint":
            continue  # what the loop does next is tested with a real server
        elif name == "carry":
            shown = {part: value for part, value in want.items() if part != "request"}
            wrong += [] if _holds(result.get(name), shown) else [f"carry: {result.get(name)!r} is not {shown!r}"]
        elif not _holds(result.get(name), want):
            wrong.append(f"{name}: {result.get(name)!r} is not {want!r}")
    return wrong


def server_tool_differences(result: dict[str, Any], want: list[str]) -> list[str]:
    """Return whether calls that the provider runs itself are shown, in their order.

    ``want`` may say the wire's type before the name ("server_tool_use:web_search"), and results beside calls.
    """
    names = [entry.rpartition(":")[2] for entry in want if not entry.endswith(("result:", "_output", "_result"))]
    shown = result.get("server_tools", [])
    return [] if [name for name in shown if name in names] == names else [f"server_tools: {shown} is not {want}"]


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
