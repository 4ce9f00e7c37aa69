"""The user's own limit for one provider: requests start evenly spaced, first come first served."""

import asyncio
import time


class RateLimit:
    """At most ``per_minute`` requests start in a minute; None is no limit."""

    def __init__(self, per_minute: float | None) -> None:
        self._every_s = 60.0 / per_minute if per_minute else 0.0
        self._free_at = 0.0

    def delay_s(self) -> float:
        """Return how long a request that comes now would wait, in seconds."""
        return max(0.0, self._free_at - time.monotonic())

    async def turn(self) -> None:
        """Wait for the next turn. Who is cancelled as the last in the line gives the place back."""
        wait_s = self.delay_s()
        mine = time.monotonic() + wait_s
        self._free_at = mine + self._every_s
        if not wait_s:
            return
        try:
            await asyncio.sleep(wait_s)
        except asyncio.CancelledError:
            if self._free_at == mine + self._every_s:
                self._free_at = mine
            raise
