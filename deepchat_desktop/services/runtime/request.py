"""One round: one provider call with its retries, accumulated into the run's answer.

Transient failures are tried twice more, 0.5 s doubling to 8 s with full jitter above half; ``Retry-After`` is
honoured up to 60 s. Nothing is ever tried again after something was shown.
"""

import asyncio
import random
import time
from collections.abc import Callable
from contextlib import aclosing

from deepchat_desktop.domain.accumulate import accumulate
from deepchat_desktop.domain.events import Notice, RetryWaiting, RuntimeEvent, TurnWaiting
from deepchat_desktop.domain.ids import new_id
from deepchat_desktop.domain.prompt import ModelRequest
from deepchat_desktop.domain.stream import ProviderEvent, RateLimited, Stop, StreamError, UsageReported, Warned
from deepchat_desktop.services.clock import now_ms
from deepchat_desktop.services.runtime.echo import Echo
from deepchat_desktop.services.runtime.run import Run

RETRIES = 2
FIRST_WAIT_S, LONGEST_WAIT_S, LONGEST_RETRY_AFTER_S = 0.5, 8.0, 60.0


async def ask_model(
    run: Run, request: ModelRequest, echo: Echo, emit: Callable[[RuntimeEvent], None]
) -> Stop | StreamError:
    """Carry out one round and return how it ended. Raises ``StoreError`` when the answer cannot be stored."""
    for attempt in range(RETRIES + 1):
        end, shown = await _attempt(run, request, echo, emit)
        if isinstance(end, Stop):
            return end
        wait = _wait_before_retry(end, attempt)
        if shown or wait is None:
            return end
        emit(RetryWaiting(session_id=run.session.id, attempt=attempt + 1, wait_s=wait, error=end.message))
        await asyncio.sleep(wait)
    raise AssertionError("the last attempt always returns")


async def _attempt(
    run: Run, request: ModelRequest, echo: Echo, emit: Callable[[RuntimeEvent], None]
) -> tuple[Stop | StreamError, bool]:
    """Stream once. The second value tells whether anything was shown."""
    before = len(run.answer.blocks)
    end: Stop | StreamError | None = None
    began: float | None = None
    try:
        async with aclosing(run.connected.provider.stream(request)) as events:  # type: ignore[type-var]
            async for event in events:
                if began is None and not isinstance(event, UsageReported | RateLimited | Warned | StreamError | Stop):
                    began = time.monotonic()
                    run.first_token = run.first_token or began
                if isinstance(event, RateLimited):
                    emit(TurnWaiting(session_id=run.session.id, wait_s=event.wait_s))
                if isinstance(event, Warned):
                    emit(Notice(session_id=run.session.id, code=event.code, text=event.text))
                _take(run, event, echo)
                echo.raise_failure()
                if isinstance(event, Stop | StreamError):
                    end = event
    finally:
        run.streamed += time.monotonic() - began if began is not None else 0.0
    if end is None:
        end = StreamError(error="truncated_stream", message="The answer ended without an end.", retryable=True)
    return end, len(run.answer.blocks) > before


def _take(run: Run, event: ProviderEvent, echo: Echo) -> None:
    new_call_id = new_id() if event.kind == "tool_call_start" else ""
    echo.apply(accumulate(run.answer, event, now=now_ms(), new_call_id=new_call_id))


def _wait_before_retry(error: StreamError, attempt: int) -> float | None:
    """Return the seconds to wait before the next attempt, or None when there is none."""
    if not error.retryable or attempt >= RETRIES:
        return None
    if error.retry_after_s is not None:
        return error.retry_after_s if error.retry_after_s <= LONGEST_RETRY_AFTER_S else None
    ceiling: float = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0**attempt)
    return ceiling * random.uniform(0.5, 1.0)
