"""The wall clock, for records only: order is by sequence number, and limits are by the monotonic clock (APR-7)."""

import time


def now_ms() -> int:
    """Return the time in ms since 1970."""
    return time.time_ns() // 1_000_000
