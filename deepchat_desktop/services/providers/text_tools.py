"""Tools for a model that knows no function calling: they stand in its prompt, and its calls in its text.

One wrapper around any provider. Invariants: the provider sees a request without tools, calls and results; what goes
back to the model of a call is what it could have written itself; a text from outside cannot end a result early. A call
that cannot be read is a call with unreadable arguments, which the run answers so that the model can mend it.
"""

import json
import re
from collections import deque
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from typing import Any, assert_never

from deepchat_desktop.domain.prompt import (
    AssistantMessage,
    ModelRequest,
    PromptCall,
    PromptMessage,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from deepchat_desktop.domain.settings import ModelSettings
from deepchat_desktop.domain.stream import ProviderEvent, Stop, StreamError, TextDelta, ToolCallEnd, ToolCallStart
from deepchat_desktop.domain.tools import InvalidArguments, ToolSpec, parse_arguments
from deepchat_desktop.services.providers.base import Provider
from deepchat_desktop.services.providers.tool_tags import Piece, TagParser
from deepchat_desktop.services.providers.wire_json import as_dict, as_text, parse

NAMELESS = "function_call"
"""What a call is called of which not even the name can be read."""
_GUIDE = """You can call tools. To call one, write its name and its arguments as JSON between these tags:
<function_call>{"name": "tool", "arguments": {"key": "value"}}</function_call>
You may write several calls, one after the other. Write nothing after the last one: the results come in the next \
message. Never write a <function_result> yourself. The tools are, one a line, with the JSON Schema of their arguments:
"""
_ARGUMENTS = ("arguments", "parameters", "args", "input")
_TAG = re.compile(r"<(?=/?(?:function_call|function_result|tool_call)>)")
_FENCED = re.compile(r"```\w*\s*([\s\S]*?)\s*```")
_NAME = re.compile(r'"name"\s*:\s*"([^"\\\s]{1,128})"')


class TextTools:
    """A provider whose models call tools by text; see ``Provider``."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ProviderEvent, None]:
        """Send one round with its tools as text and yield the calls that come as text."""
        if not request.tools:
            async with aclosing(self._provider.stream(_rewritten(request))) as events:  # type: ignore[type-var]
                async for event in events:
                    yield event
            return
        reader = CallReader(tool.name for tool in request.tools)
        async with aclosing(self._provider.stream(_rewritten(request))) as events:  # type: ignore[type-var]
            async for event in events:
                for told in reader.take(event):
                    yield told

    async def list_models(self) -> tuple[ModelSettings, ...]:
        """Return the provider's models."""
        return await self._provider.list_models()

    async def aclose(self) -> None:
        """Close the provider's connections."""
        await self._provider.aclose()


class CallReader:
    """Turns an answer with calls in its text into one with calls. ``names`` are the tools that there are."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(names)
        self._parser = TagParser()
        self._ends: list[ToolCallEnd] = []

    def take(self, event: ProviderEvent) -> list[ProviderEvent]:
        """Return what an event means; calls end with the answer, since its limit may have cut them off."""
        match event:
            case TextDelta():
                return self._told(self._parser.feed(event.text))
            case Stop(reason="max_tokens") | StreamError():
                told = self._told(self._parser.flush())
                cut = [end.model_copy(update={"complete": False, "arguments": None}) for end in self._ends]
                return [*told, *cut, event]
            case Stop():
                told = self._told(self._parser.flush())
                reason = "tool_use" if self._ends else event.reason
                return [*told, *self._ends, event.model_copy(update={"reason": reason})]
            case _:
                return [event]

    def _told(self, pieces: list[Piece]) -> list[ProviderEvent]:
        events: list[ProviderEvent] = []
        for kind, text in pieces:
            if kind == "text":
                events.append(TextDelta(text=text))
            elif text.strip() or kind == "call":
                events += self._called(text)
        return events

    def _called(self, text: str) -> list[ProviderEvent]:
        """Return the starts of the calls between two tags and remember their ends."""
        starts: list[ProviderEvent] = []
        for name, arguments_text in self._read(text.strip()):
            key = str(len(self._ends))
            try:
                arguments = None if name == NAMELESS else parse_arguments(arguments_text)
            except InvalidArguments:
                arguments = None
            starts.append(ToolCallStart(key=key, name=name))
            self._ends.append(
                ToolCallEnd(key=key, name=name, arguments_text=arguments_text, arguments=arguments)
            )
        return starts

    def _read(self, text: str) -> list[tuple[str, str]]:
        """Return names and argument texts; of what cannot be read all of the text as arguments."""
        if (fenced := _FENCED.fullmatch(text)) is not None:
            text = fenced[1]
        value = parse(text)
        items = value if isinstance(value, list) and value else [value]
        if all(isinstance(item, dict) for item in items) and _strict(items, text):
            return [self._call(item) or (NAMELESS, json.dumps(item, ensure_ascii=False)) for item in items]
        named = _NAME.search(text)
        return [(named[1] if named else NAMELESS, text)]

    def _call(self, value: dict[str, Any]) -> tuple[str, str] | None:
        """Return name and arguments of a call in one of the shapes that models write, None for any other object."""
        for inner in (value, *(as_dict(value.get(key)) for key in ("function_call", "tool_call", "function", "tool"))):
            name = as_text(inner.get("name")) or as_text(inner.get("tool")) or as_text(inner.get("function"))
            if name:
                given: Any = next((inner[key] for key in _ARGUMENTS if key in inner), {})
                return name, given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
        if len(value) == 1 and (name := next(iter(value))) in self._names:
            return name, json.dumps(value[name], ensure_ascii=False)
        return None


def _strict(items: list[Any], text: str) -> bool:
    """Return whether one object is strict JSON: a key that stands twice would hide half of a call."""
    if len(items) > 1 or not text.startswith("{"):
        return True
    try:
        parse_arguments(text)
    except InvalidArguments:
        return False
    return True


def _rewritten(request: ModelRequest) -> ModelRequest:
    """Return the request with tools, calls and results as text."""
    messages = _as_text(request.messages)
    if request.tools:
        guide = _GUIDE + "\n".join(map(_described, request.tools))
        first = messages[0] if messages else None
        if isinstance(first, SystemMessage):
            messages[0] = SystemMessage(text=f"{first.text}\n\n{guide}")
        else:
            messages.insert(0, SystemMessage(text=guide))
    return request.model_copy(update={"messages": tuple(messages), "tools": ()})


def _described(tool: ToolSpec) -> str:
    told = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return json.dumps(told, ensure_ascii=False)


def _as_text(messages: Sequence[PromptMessage]) -> list[PromptMessage]:
    wire: list[PromptMessage] = []
    todo = deque(messages)
    while todo:
        message = todo.popleft()
        match message:
            case ToolMessage():
                results = [message]
                while todo and isinstance(head := todo[0], ToolMessage):
                    results.append(head)
                    todo.popleft()
                wire.append(_results(results, todo))
            case AssistantMessage() if message.calls:
                said = "\n".join(filter(None, [message.text, *map(_written, message.calls)]))
                wire.append(message.model_copy(update={"text": said, "calls": (), "carry": ()}))
            case SystemMessage() | UserMessage() | AssistantMessage():
                wire.append(message)
            case _:
                assert_never(message)
    return wire


def _results(results: list[ToolMessage], todo: deque[PromptMessage]) -> UserMessage:
    """Return results as what the user says, together with what the user says next: nobody speaks twice."""
    texts = [_result(result) for result in results]
    images = tuple(image for result in results for image in result.images)
    if todo and isinstance(head := todo[0], UserMessage):
        todo.popleft()
        texts.append(head.text)
        images += head.images
    return UserMessage(text="\n".join(texts), images=images)


def _written(call: PromptCall) -> str:
    return f"<function_call>{_safe({'name': call.name, 'arguments': call.arguments})}</function_call>"


def _result(result: ToolMessage) -> str:
    told = {"name": result.name, "error" if result.is_error else "result": result.text}
    return f"<function_result>{_safe(told)}</function_result>"


def _safe(value: dict[str, Any]) -> str:
    """Return JSON in which nothing is one of the tags."""
    return _TAG.sub(r"\\u003c", json.dumps(value, ensure_ascii=False))
