"""What a tool is to the model and to the permission rules, and the strict reading of its arguments."""

import json
from typing import Any, Literal

from pydantic import Field

from deepchat_desktop.domain.base import Value

Effect = Literal["read", "write"]
MAX_ARGUMENT_BYTES = 1_000_000
MAX_ARGUMENT_DEPTH = 64


class ToolSpec(Value):
    """A tool as the model is told of it. ``parameters`` is a JSON Schema of an object."""

    name: str
    description: str
    parameters: dict[str, Any]
    effect: Effect = "read"


class ToolCall(Value):
    """A call that is about to be judged and perhaps run. ``arguments_text`` is what the model wrote."""

    call_id: str
    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    arguments_text: str = "{}"


class ToolResult(Value):
    """What a call gave. ``text`` is what the model sees."""

    status: Literal["success", "error", "denied", "skipped", "interrupted"]
    text: str


class InvalidArguments(ValueError):
    """The argument text is not one strict JSON object (ARG-1); the text says why."""


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise InvalidArguments("a key stands twice in the arguments")
    return result


def _no_constant(name: str) -> float:
    raise InvalidArguments(f"{name} is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise InvalidArguments("a number is too large")
    return value


def _depth(value: object) -> int:
    deepest, todo = 0, [(value, 1)]
    while todo:
        item, level = todo.pop()
        deepest = max(deepest, level)
        if isinstance(item, dict):
            todo.extend((child, level + 1) for child in item.values())
        elif isinstance(item, list):
            todo.extend((child, level + 1) for child in item)
    return deepest


def parse_arguments(text: str) -> dict[str, Any]:
    """Read a call's argument text strictly (ARG-1, ARG-2).

    Empty text, blank text and the JSON ``null`` are an empty object: several servers send them for tools
    without parameters. Raises ``InvalidArguments`` for anything that is not exactly one JSON object.
    """
    if text.strip(" \t\r\n") in ("", "null"):
        return {}
    if len(text.encode("utf-8", "surrogatepass")) > MAX_ARGUMENT_BYTES:
        raise InvalidArguments("the arguments are larger than 1 MB")
    try:
        value = json.loads(
            text, object_pairs_hook=_no_duplicates, parse_constant=_no_constant, parse_float=_finite
        )
    except RecursionError:
        raise InvalidArguments("the arguments are nested too deeply") from None
    except InvalidArguments:
        raise
    except ValueError as error:
        raise InvalidArguments(f"the arguments are not JSON: {error}") from None
    if not isinstance(value, dict):
        raise InvalidArguments("the arguments are not a JSON object")
    if _depth(value) > MAX_ARGUMENT_DEPTH:
        raise InvalidArguments("the arguments are nested too deeply")
    return value


def arguments_or_none(text: str) -> dict[str, Any] | None:
    """Return what ``parse_arguments`` returns, or None where it raises."""
    try:
        return parse_arguments(text)
    except InvalidArguments:
        return None
