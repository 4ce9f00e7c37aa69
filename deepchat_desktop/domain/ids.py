"""Identifiers: 26 characters, sortable by time, safe in file names and URLs (ULID, Crockford base 32)."""

import os
import time

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

SessionId = str
MessageId = str
RunId = str
RequestId = str
CallId = str
InteractionId = str


def encode(milliseconds: int, entropy: bytes) -> str:
    """Return the ULID text of a time in ms since 1970 (48 bits) and 10 bytes of entropy."""
    if not 0 <= milliseconds < 1 << 48 or len(entropy) != 10:
        raise ValueError("a ULID takes 48 bits of time and 10 bytes of entropy")
    number = milliseconds << 80 | int.from_bytes(entropy)
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))


def new_id() -> str:
    """Return a fresh identifier. Order between ids of the same millisecond is not promised."""
    return encode(time.time_ns() // 1_000_000, os.urandom(10))


def is_id(text: str) -> bool:
    """Tell whether ``text`` has the shape of an identifier."""
    return len(text) == 26 and all(char in _ALPHABET for char in text)
