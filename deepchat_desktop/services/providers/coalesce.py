"""Joins adjacent pieces of one kind, so that a network read costs one event a block and not one a token."""

from deepchat_desktop.domain.stream import ProviderEvent, ReasoningDelta, TextDelta, ToolCallChunk


def coalesced(events: list[ProviderEvent]) -> list[ProviderEvent]:
    """Return the same stream with adjacent text, reasoning and argument pieces joined."""
    joined: list[ProviderEvent] = []
    pieces: list[str] = []
    for event in events:
        if isinstance(event, TextDelta | ReasoningDelta | ToolCallChunk):
            if joined and _continues(joined[-1], event):
                pieces.append(event.text)
                continue
            _close(joined, pieces)
            pieces = [event.text]
        joined.append(event)
    _close(joined, pieces)
    return joined


def _continues(last: ProviderEvent, event: TextDelta | ReasoningDelta | ToolCallChunk) -> bool:
    if isinstance(event, ToolCallChunk):
        return isinstance(last, ToolCallChunk) and last.key == event.key
    return last.kind == event.kind


def _close(joined: list[ProviderEvent], pieces: list[str]) -> None:
    """Give the last delta in ``joined`` the text of all its pieces."""
    if len(pieces) < 2:
        return
    for index in range(len(joined) - 1, -1, -1):
        last = joined[index]
        if isinstance(last, TextDelta | ReasoningDelta | ToolCallChunk):
            joined[index] = last.model_copy(update={"text": "".join(pieces)})
            return
