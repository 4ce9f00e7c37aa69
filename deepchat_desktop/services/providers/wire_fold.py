"""Folds a recorded answer into one plain object: what ``explain wire --json`` prints.

It runs the same decoder as a live stream, so it shows what the program would have understood.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from deepchat_desktop.domain.stream import (
    CarryPart,
    ImagePart,
    ProviderEvent,
    ReasoningDelta,
    Stop,
    StreamError,
    TextDelta,
    ToolCallEnd,
    ToolCallStart,
    UsageReported,
)
from deepchat_desktop.services.providers.registry import make_decoder
from deepchat_desktop.services.providers.wire_errors import classify


def fold(
    api: str, chunks: Iterable[bytes], status: int = 200, headers: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return what an answer says.

    Keys: text, reasoning, tool_calls, stop, usage, error; where they occur also incomplete_tool_calls,
    retry_after_s, refusal, images, carry, continue_turn, and server_tools: the names of calls that the provider ran
    itself. Raises ``ProviderError`` for an unknown style.
    """
    decoder = make_decoder(api)
    if status >= 300:
        return fold_events([classify(status, headers or {}, b"".join(chunks))])
    events: list[ProviderEvent] = []
    for chunk in chunks:
        events += decoder.feed(chunk)
    return fold_events(events + decoder.finish())


def fold_events(events: Iterable[ProviderEvent]) -> dict[str, Any]:
    """Return what a finished stream of events says."""
    result: dict[str, Any] = {
        "text": "",
        "reasoning": "",
        "tool_calls": [],
        "stop": "error",
        "usage": None,
        "error": None,
    }
    text: list[str] = []
    reasoning: list[str] = []
    theirs: set[str] = set()
    for event in events:
        match event:
            case TextDelta():
                text.append(event.text)
            case ReasoningDelta():
                reasoning.append(event.text)
            case UsageReported():
                result["usage"] = event.usage.model_dump()
            case ToolCallStart(by_provider=True):
                theirs.add(event.key)
                result.setdefault("server_tools", []).append(event.name)
            case ToolCallEnd() if event.key not in theirs:
                _add_call(result, event)
            case ImagePart():
                result.setdefault("images", []).append({"mime": event.media_type, "b64": event.data})
            case CarryPart():
                _add_carry(result.setdefault("carry", {}), event.data)
            case Stop() | StreamError():
                _add_end(result, event)
            case _:
                pass
    return {**result, "text": "".join(text), "reasoning": "".join(reasoning)}


def _add_call(result: dict[str, Any], call: ToolCallEnd) -> None:
    if not call.complete:
        cut = {"id": call.id or None, "name": call.name, "arguments_raw": call.arguments_text}
        result.setdefault("incomplete_tool_calls", []).append(cut)
        return
    folded: dict[str, Any] = {"id": call.id or None, "name": call.name, "arguments": call.arguments}
    if call.arguments is None:
        folded["arguments_invalid_raw"] = call.arguments_text
    result["tool_calls"].append(folded)


def _add_carry(carry: dict[str, Any], data: dict[str, Any]) -> None:
    for name, value in data.items():
        known = carry.get(name)
        if isinstance(known, list) and isinstance(value, list):
            carry[name] = [*known, *value]
        else:
            carry[name] = value


def _add_end(result: dict[str, Any], event: Stop | StreamError) -> None:
    if isinstance(event, Stop):
        result["stop"] = event.reason
        if event.refusal:
            result["refusal"] = True
        if event.continue_turn:
            result["continue_turn"] = True
        return
    result["error"] = {"kind": event.error, "retryable": event.retryable, "message": event.message}
    if event.status is not None:
        result["error"]["status"] = event.status
    if event.retry_after_s is not None:
        result["retry_after_s"] = event.retry_after_s
