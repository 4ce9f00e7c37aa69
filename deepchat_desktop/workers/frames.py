"""Messages over a pipe: four bytes of length, big endian, then a JSON object in UTF-8.

Invariants: a message longer than the limit is refused by its length alone, before a byte of it is kept; a long list is
encoded some entries at a time, since the encoder lets no other thread run.
"""

import json
from typing import Any

MAX_FRAME = 16_000_000
AT_ONCE = 500
"""Entries of a list that are encoded together."""
Message = dict[str, Any]


class BadFrame(Exception):
    """What came is no message, or is too long."""


def pack(message: Message, limit: int = MAX_FRAME) -> bytes:
    """Return a message as bytes. Raises ``BadFrame`` when it is longer than ``limit``."""
    body = ("{" + ",".join(f"{_json(key)}:{_value(value)}" for key, value in message.items()) + "}").encode()
    if len(body) > limit:
        raise BadFrame(f"a message of {len(body)} bytes")
    return len(body).to_bytes(4, "big") + body


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _value(value: Any) -> str:
    if not isinstance(value, list) or len(value) <= AT_ONCE:
        return _json(value)
    return "[" + ",".join(_json(value[at : at + AT_ONCE])[1:-1] for at in range(0, len(value), AT_ONCE)) + "]"


class Unpacker:
    """Puts messages together from bytes that come in any cutting."""

    def __init__(self, limit: int = MAX_FRAME) -> None:
        self._limit = limit
        self._held = bytearray()

    def feed(self, data: bytes) -> list[Message]:
        """Take bytes; return the messages that are complete now. Raises ``BadFrame``."""
        self._held += data
        made: list[Message] = []
        while len(self._held) >= 4:
            length = int.from_bytes(self._held[:4], "big")
            if length > self._limit:
                raise BadFrame(f"a message of {length} bytes")
            if len(self._held) < 4 + length:
                break
            body = bytes(self._held[4 : 4 + length])
            del self._held[: 4 + length]
            made.append(_read(body))
        return made


def _read(body: bytes) -> Message:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadFrame("not JSON") from error
    if not isinstance(message, dict):
        raise BadFrame("not an object")
    return message
