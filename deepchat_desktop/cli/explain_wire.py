"""``explain wire``: what a recorded provider response says, in the product's own terms.

Nothing is sent and nothing is stored.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from deepchat_desktop.cli.output import Output
from deepchat_desktop.cli.parser import LATER, UsageError


def run(args: argparse.Namespace, out: Output) -> int:
    """Fold the file and print the result. The response may well be an error: telling so is a success."""
    from deepchat_desktop.services.providers.registry import DECODERS
    from deepchat_desktop.services.providers.wire_fold import fold

    if args.api not in DECODERS:
        raise UsageError(f"The API style {args.api} {LATER}")
    body = _bytes(args.file)
    headers = _headers(args.headers) if args.headers else {}
    result = fold(args.api, pieces(body, args.cut or len(body)), args.status, headers)
    if out.json_mode:
        out.data(result)
    else:
        _print(result, out)
    return 0


def pieces(body: bytes, size: int) -> Iterator[bytes]:
    """Cut ``body`` into pieces of ``size`` bytes; nothing comes of an empty body."""
    for start in range(0, len(body), max(1, size)):
        yield body[start : start + size]


def _bytes(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise UsageError(f"Cannot read {name}: {error.strerror or error}.") from error


def _headers(name: str) -> dict[str, str]:
    try:
        value = json.loads(_bytes(name))
    except ValueError as error:
        raise UsageError(f"{name} is not JSON: {error}.") from error
    if not isinstance(value, dict):
        raise UsageError(f"{name} must hold one JSON object of header names and values.")
    return {str(key): str(text) for key, text in value.items()}


def _print(result: dict[str, Any], out: Output) -> None:
    for name in ("reasoning", "text"):
        if result.get(name):
            out.line(f"{name}:")
            out.line(str(result[name]))
    for call in result.get("tool_calls") or ():
        out.line(f"call: {call['name']}({json.dumps(call['arguments'], ensure_ascii=False)})")
    shown = {"text", "reasoning", "tool_calls"}
    for name, value in result.items():
        if name not in shown and value not in (None, [], {}):
            out.line(f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}")
