"""Builds answers of a chat-completions server for ``WireServer``: text, reasoning, tool calls, usage, an end."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from tests.fakes.wire_server import Answer, Close, Drop, Gate, Pause, Step

DONE = b"data: [DONE]\n\n"


def event(value: object) -> bytes:
    """Return one server-sent event."""
    try:
        data = json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # a lone surrogate comes as an escape
        data = json.dumps(value).encode()
    return b"data: " + data + b"\n\n"


def chunk(delta: Mapping[str, Any], finish: str | None = None, **more: Any) -> bytes:
    """Return one chunk of choice 0."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return event({"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "fake", "choices": [choice], **more})


def tokens(text: str) -> list[str]:
    """Cut a text into words with the blanks before them; joined they are the text."""
    return re.findall(r"\s*\S+|\s+\Z", text)


def chat(
    text: str | Sequence[str] = "",
    *,
    reasoning: str | Sequence[str] = "",
    tool_calls: Sequence[Mapping[str, Any]] = (),
    usage: Sequence[int] | None = (10, 5),
    finish: str | None = None,
    delay: float = 0.0,
    hold_after: int | None = None,
    end: Literal["done", "eof", "drop", "stall"] = "done",
    match: str | None = None,
) -> Answer:
    """Return a streamed answer.

    ``text`` and ``reasoning`` are cut into words unless given in pieces; ``delay`` seconds pass before each piece.
    ``tool_calls`` are ``{"id", "name", "arguments": object or text}``. ``usage`` is (input, output). ``hold_after``
    puts the gate "hold" after that many pieces of any kind. ``end``: "done" is the normal end, "eof" stops without
    one, "drop" resets, "stall" waits at the gate "stall".
    """
    pieces = [chunk({"reasoning_content": piece}) for piece in _split(reasoning)]
    pieces += [chunk({"content": piece}) for piece in _split(text)]
    pieces += [piece for index, call in enumerate(tool_calls) for piece in _call(index, call)]
    steps: list[Step] = [chunk({"role": "assistant", "content": ""})]
    for count, piece in enumerate(pieces):
        if count == hold_after:
            steps.append(Gate("hold"))
        steps += [Pause(delay), piece] if delay else [piece]
    steps += _end(end, finish or ("tool_calls" if tool_calls else "stop"), usage)
    return Answer(steps=tuple(steps), match=match)


def _split(text: str | Sequence[str]) -> list[str]:
    return tokens(text) if isinstance(text, str) else list(text)


def _call(index: int, call: Mapping[str, Any]) -> list[bytes]:
    arguments = call.get("arguments", {})
    written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    head = {"index": index, "id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": ""}}
    half = len(written) // 2
    parts = [part for part in (written[:half], written[half:]) if part]
    fragments = [head, *({"index": index, "function": {"arguments": part}} for part in parts)]
    return [chunk({"tool_calls": [fragment]}) for fragment in fragments]


def _end(end: str, finish: str, usage: Sequence[int] | None) -> list[Step]:
    match end:
        case "eof":
            return []
        case "drop":
            return [Drop()]
        case "stall":
            return [Gate("stall"), Close()]
    steps: list[Step] = [chunk({}, finish)]
    if usage is not None:
        given, made = usage
        counts = {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}
        steps.append(event({"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [], "usage": counts}))
    return [*steps, DONE]
