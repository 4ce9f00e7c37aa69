"""How fast streamed answers are read from bytes: the reader alone, each style's adapter, and their memory; no network.

The bodies are made here, in the shape and size that the vendors send. `MB/s` goes up with speed, so its rows show the
goal in the note; the ratio column is for costs.
"""

from __future__ import annotations

import json
import struct
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from itertools import islice

from benchmarks.figure import Figure

EVENTS = 20_000
MEMORY_EVENTS = 1_000_000
READ_BYTES = 16_384
GOAL_MB_S = 20
KEEP_THE_TEXT = frozenset({"anthropic", "bedrock"})
"""Styles whose answers go back whole, so that their text is kept while it comes (with a quarter of room to grow)."""


def _event(name: str, value: object) -> bytes:
    head = f"event: {name}\n".encode() if name else b""
    return head + b"data: " + json.dumps(value).encode() + b"\n\n"


def _chat(events: int) -> Iterator[bytes]:
    common = {
        "id": "chatcmpl-AbCdEfGhIjKlMnOpQrStUvWxYz012",
        "object": "chat.completion.chunk",
        "created": 1757630616,
        "model": "gpt-4.1-mini-2025-04-14",
        "service_tier": "default",
        "system_fingerprint": "fp_0123456789",
    }
    choice = {"index": 0, "delta": {"content": " word"}, "logprobs": None, "finish_reason": None}
    piece = _event("", {**common, "choices": [choice], "usage": None, "obfuscation": "abcdefgh"})
    for _ in range(events):
        yield piece
    yield _event("", {**common, "choices": [{**choice, "delta": {}, "finish_reason": "stop"}]})
    yield b"data: [DONE]\n\n"


def _responses(events: int) -> Iterator[bytes]:
    delta = {
        "type": "response.output_text.delta",
        "sequence_number": 146,
        "item_id": "msg_68c350a75ddc819ea5406470460be7850f2d670b80edc507",
        "output_index": 0,
        "content_index": 0,
        "delta": " word",
        "logprobs": [],
        "obfuscation": "abcdefgh",
    }
    piece = _event("response.output_text.delta", delta)
    for _ in range(events):
        yield piece
    yield _event("response.completed", {"type": "response.completed", "response": {"status": "completed"}})


def _anthropic(events: int) -> Iterator[bytes]:
    start = {"role": "assistant", "content": [], "usage": {"input_tokens": 5, "output_tokens": 1}}
    yield _event("message_start", {"type": "message_start", "message": start})
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    yield _event("content_block_start", block)
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": " word"}}
    piece = _event("content_block_delta", delta)
    for _ in range(events):
        yield piece
    yield _event("content_block_stop", {"type": "content_block_stop", "index": 0})
    end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}}
    yield _event("message_delta", end)
    yield _event("message_stop", {"type": "message_stop"})


def _gemini(events: int) -> Iterator[bytes]:
    usage = {"promptTokenCount": 5, "candidatesTokenCount": 9, "totalTokenCount": 14}
    chunk = {"candidates": [{"content": {"parts": [{"text": " word"}], "role": "model"}, "index": 0}]}
    piece = _event("", {**chunk, "usageMetadata": usage, "modelVersion": "gemini-2.5-flash", "responseId": "abcdefgh"})
    for _ in range(events):
        yield piece
    yield _event("", {"candidates": [{"finishReason": "STOP", "index": 0}], "usageMetadata": usage})


def _ollama(events: int) -> Iterator[bytes]:
    common = {"model": "qwen3:4b", "created_at": "2026-01-01T00:00:00.000000Z"}
    message = {"role": "assistant", "content": " word"}
    piece = json.dumps({**common, "message": message, "done": False}).encode() + b"\n"
    for _ in range(events):
        yield piece
    end = {**common, "message": {**message, "content": ""}, "done": True, "done_reason": "stop"}
    yield json.dumps(end).encode() + b"\n"


def _frame(name: str, value: object) -> bytes:
    """Return a binary event of Amazon's."""
    headers = b"".join(
        bytes([len(key)]) + key.encode() + b"\x07" + struct.pack(">H", len(text)) + text.encode()
        for key, text in ((":event-type", name), (":content-type", "application/json"), (":message-type", "event"))
    )
    data = json.dumps(value).encode()
    prelude = struct.pack(">II", 16 + len(headers) + len(data), len(headers))
    message = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + data
    return message + struct.pack(">I", zlib.crc32(message))


def _bedrock(events: int) -> Iterator[bytes]:
    yield _frame("messageStart", {"role": "assistant"})
    piece = _frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": " word"}, "p": "abcdefghijklmnop"})
    for _ in range(events):
        yield piece
    yield _frame("contentBlockStop", {"contentBlockIndex": 0})
    yield _frame("messageStop", {"stopReason": "end_turn"})
    yield _frame("metadata", {"usage": {"inputTokens": 5, "outputTokens": 9}})


BODIES: dict[str, Callable[[int], Iterator[bytes]]] = {
    "openai_chat": _chat,
    "openai_responses": _responses,
    "anthropic": _anthropic,
    "bedrock": _bedrock,
    "gemini": _gemini,
    "ollama": _ollama,
}


def reads(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield a body as a socket gives it: joined to about `READ_BYTES`."""
    while block := b"".join(islice(pieces, 64)):
        for at in range(0, len(block), READ_BYTES):
            yield block[at : at + READ_BYTES]


def _reader() -> Figure:
    """Return the speed of the byte reader alone."""
    from deepchat_desktop.services.providers.sse import SseSplitter

    data = list(reads(_chat(EVENTS * 5)))
    size = sum(map(len, data))
    splitter = SseSplitter()
    started = time.perf_counter()
    got = sum(len(splitter.feed(piece)) for piece in data)
    seconds = time.perf_counter() - started
    note = f"goal {GOAL_MB_S} MB/s or more; {got} events, {size / 1e6:.0f} MB"
    return Figure("byte reader (server-sent events)", size / seconds / 1e6, "MB/s", None, note)


def _adapter(api: str, read: int) -> Figure:
    """Return the speed of a style's decoder, from bytes to provider events, in reads of that many bytes."""
    from deepchat_desktop.services.providers.registry import make_decoder

    body = b"".join(BODIES[api](EVENTS))
    decoder = make_decoder(api)
    started = time.perf_counter()
    out = 0
    for at in range(0, len(body), read):
        out += len(decoder.feed(body[at : at + read]))
    out += len(decoder.finish())
    seconds = time.perf_counter() - started
    note = f"{EVENTS / seconds:,.0f} events/s; {out} provider events"
    return Figure(f"{api}, reads of {read:,} bytes", len(body) / seconds / 1e6, "MB/s", None, note)


def _memory(api: str) -> Figure:
    """Return how much a decoder's memory grew between the first tenth of a very long answer and its end."""
    from deepchat_desktop.services.providers.registry import make_decoder

    decoder = make_decoder(api)
    early = done = 0
    tracemalloc.start()
    for piece in reads(BODIES[api](MEMORY_EVENTS)):
        decoder.feed(piece)
        done += piece.count(b" word")
        if not early and done >= MEMORY_EVENTS // 10:
            early = tracemalloc.get_traced_memory()[0]
    grown = tracemalloc.get_traced_memory()[0] - early
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    note = f"{MEMORY_EVENTS:,} events; peak {peak / 1e3:.0f} kB"
    goal = 1.25 * MEMORY_EVENTS * len(" word") / 1e3 if api in KEEP_THE_TEXT else 100
    return Figure(f"{api}, growth over a million events", max(grown, 0) / 1e3, "kB", goal, note)


def measure() -> Iterator[Figure]:
    """Yield the figures of the reader and of every style that has a decoder."""
    from deepchat_desktop.services.providers.registry import DECODERS

    yield _reader()
    styles = [api for api in BODIES if api in DECODERS]
    for api in styles:
        yield _adapter(api, READ_BYTES)
        yield _adapter(api, 1400)
    for api in styles:
        yield _memory(api)
