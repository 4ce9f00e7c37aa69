"""How fast a chat completion's events are read from bytes: the reader and the adapter's decoder, no network."""

from __future__ import annotations

import json
import time

from benchmarks.figure import Figure

EVENTS = 20_000


def body(events: int) -> bytes:
    """Return a streamed answer of that many small pieces of text."""
    def event(value: object) -> bytes:
        return b"data: " + json.dumps(value).encode() + b"\n\n"

    piece = {"id": "1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "word "}}]}
    end = {**piece, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    return event(piece) * events + event(end) + b"data: [DONE]\n\n"


def measure() -> list[Figure]:
    """Return the cost of one event, once whole and once in network-sized pieces."""
    from deepchat_desktop.services.providers.registry import make_decoder

    data, figures = body(EVENTS), []
    for cut, name in ((len(data), "whole"), (1400, "in pieces of 1,400 bytes")):
        decoder = make_decoder("openai_chat")
        started = time.perf_counter()
        got = 0
        for at in range(0, len(data), cut):
            got += len(decoder.feed(data[at : at + cut]))
        got += len(decoder.finish())
        microseconds = (time.perf_counter() - started) / EVENTS * 1e6
        figures.append(Figure(f"decoding an event, {name}", microseconds, "us", None, f"{got} events out"))
    return figures
