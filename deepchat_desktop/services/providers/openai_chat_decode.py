"""Reads the answer of a chat-completions server: a stream of chunks, or one JSON object instead.

Invariants: only choice 0 counts; completed calls decide between ``tool_use`` and ``complete``; an error anywhere
wins over a finish reason; an end is believed only if the server said so (``finish_reason`` or ``[DONE]``),
everything else is ``truncated_stream``.
"""

from typing import Any

from deepchat_desktop.domain.stream import CarryPart, ProviderEvent, StreamError
from deepchat_desktop.services.providers import openai_chat_finish as ending
from deepchat_desktop.services.providers.openai_chat_delta import DeltaReader
from deepchat_desktop.services.providers.sse import SseSplitter
from deepchat_desktop.services.providers.stream_decoder import StreamDecoder
from deepchat_desktop.services.providers.wire_errors import classify
from deepchat_desktop.services.providers.wire_json import as_dict, as_list, as_text


class ChatDecoder(StreamDecoder):
    """One answer."""

    def __init__(self, family: str = "generic") -> None:
        super().__init__(SseSplitter(), family)
        self._delta = DeltaReader()
        self._finish: str | None = None
        self._native = ""

    @property
    def told_end(self) -> bool:
        """Whether the server gave a finish reason; usage and ``[DONE]`` may still follow."""
        return self._finish is not None

    def _message(self, name: str, value: dict[str, Any]) -> list[ProviderEvent]:
        choice = _first_choice(value)
        usage = (
            as_dict(value.get("usage"))
            or as_dict(choice.get("usage"))
            or as_dict(as_dict(value.get("x_groq")).get("usage"))
        )
        if usage:
            self._usage = ending.usage_of(usage)
        events = self._delta.read(as_dict(choice.get("delta")) or as_dict(choice.get("message")))
        if value.get("error") or value.get("object") == "error" or _is_bare_error(value):
            return events + self._fail(classify(None, {}, value))
        self._finish = as_text(choice.get("finish_reason")) or self._finish
        self._native = as_text(choice.get("native_finish_reason")) or self._native
        return events

    def _end(self, *, saw_done: bool) -> list[ProviderEvent]:
        delta = self._delta
        events = delta.flush()
        last = ending.last_event(
            self._finish, self._native, saw_done=saw_done, calls=bool(delta.calls), refusal=delta.refusal
        )
        cut = isinstance(last, StreamError) or last.reason == "max_tokens"
        if carry := delta.carry():
            events.append(CarryPart(family=self._family, data=carry))
        return [*events, *delta.calls.end(cut=cut), last]

    def _cut(self) -> list[ProviderEvent]:
        return [*self._delta.flush(), *self._delta.calls.end(cut=True)]


def _first_choice(chunk: dict[str, Any]) -> dict[str, Any]:
    for item in as_list(chunk.get("choices")):
        choice = as_dict(item)
        if choice and choice.get("index") in (0, None):
            return choice
    return {}


def _is_bare_error(chunk: dict[str, Any]) -> bool:
    """Tell an error body from a chunk: it has a text about what went wrong and none of a chunk's parts."""
    return ("detail" in chunk or "message" in chunk) and not ({"choices", "usage", "id"} & chunk.keys())
