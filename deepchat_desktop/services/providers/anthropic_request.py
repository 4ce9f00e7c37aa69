"""The body of a messages request, and what of it is given up when a server does not take it.

Invariants: no text block is empty and the last answer does not end in blanks; all results of a turn stand first in
the one user message after it, each call with exactly one; reasoning goes back byte for byte, only to the family it
came from and only with the very calls it led to. The instructions and the newest message are marked for the cache:
a long conversation is then read at a tenth of the price.
"""

import re
from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Any, assert_never

from deepchat_desktop.domain.blocks import ImageBlock
from deepchat_desktop.domain.prompt import (
    AssistantMessage,
    ModelRequest,
    PromptMessage,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from deepchat_desktop.domain.tools import ToolSpec
from deepchat_desktop.domain.turns import NO_RESULT
from deepchat_desktop.services.providers.error_body import read_error
from deepchat_desktop.services.providers.openai_chat_messages import IMAGE_NOT_SENT
from deepchat_desktop.services.providers.openai_responses_input import instructions_of
from deepchat_desktop.services.providers.refusals import is_about_a_field
from deepchat_desktop.services.providers.tool_names import wire_name
from deepchat_desktop.services.providers.wire_json import as_dict, as_list, as_text

Wire = dict[str, Any]
DEFAULT_OUTPUT = 8192
"""``max_tokens`` is required; the smallest limit of the models that are still served."""
BUDGETS = {"minimal": 1024, "low": 2048, "medium": 8192, "high": 16384, "xhigh": 24576, "max": 32000}
"""Tokens of thinking for an effort, for the models that want a number."""
ADAPTIVE, NUMBERED = "thinking.adaptive", "thinking.enabled"
_ADAPTIVE_MODELS = re.compile(r"claude-(?:opus-4-[7-9]|[a-z]+-(?:[5-9]|\d\d)(?:-|$))")
_OPTIONAL = ("temperature", "top_p", "top_k", "output_config", "thinking", "cache_control", "tools")
_CACHE: Wire = {"type": "ephemeral"}


def request_body(request: ModelRequest, family: str, refused: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return the body as a JSON value. ``refused`` are fields that this model's server does not take."""
    tools = request.tools if request.capabilities.tools is not False else ()
    cache = "cache_control" not in refused
    limit = request.max_output or request.capabilities.max_output or DEFAULT_OUTPUT
    messages = _Writer(family, vision=request.capabilities.vision is not False, tools=bool(tools)).write(
        request.messages
    )
    body: dict[str, Any] = {"model": request.model, "max_tokens": limit, "messages": messages, "stream": True}
    if instructions := instructions_of(request.messages).strip():
        body["system"] = [{"type": "text", "text": instructions, **({"cache_control": _CACHE} if cache else {})}]
    if tools:
        body["tools"] = list({wire_name(tool.name): _tool(tool) for tool in tools}.values())
    if cache and messages and isinstance(messages[-1]["content"], list):
        messages[-1]["content"][-1] = {**messages[-1]["content"][-1], "cache_control": _CACHE}
    thinking = _thinking(request, limit, refused)
    body |= thinking
    if not thinking:
        sampling = {"temperature": request.temperature, "top_p": request.top_p}
        body |= {name: value for name, value in sampling.items() if value is not None}
    body |= {name: value for name, value in request.extra.items() if name not in body}
    return {name: value for name, value in body.items() if name not in refused}


def refused_field(body: bytes, sent: dict[str, Any]) -> str | None:
    """Return what of ``sent`` a 400 says it does not take, or None."""
    facts = read_error(body)
    text = facts.message.lower()
    kind = as_dict(sent.get("thinking")).get("type")
    if kind and "thinking" in text and ("adaptive" in text or "enabled" in text) and "expected `thinking`" not in text:
        return ADAPTIVE if kind == "adaptive" else NUMBERED
    if not is_about_a_field(facts):
        return None
    return next((name for name in _OPTIONAL if name in text and _is_sent(name, sent)), None)


def _is_sent(name: str, sent: dict[str, Any]) -> bool:
    return name in sent or (name == "cache_control" and "cache_control" in str(sent.get("system", "")))


def _thinking(request: ModelRequest, limit: int, refused: frozenset[str]) -> dict[str, Any]:
    """Return how the model is asked to think: newer ones take an effort, older ones a number of tokens."""
    effort = request.reasoning_effort
    if effort is None or effort == "none" or "thinking" in refused or request.capabilities.reasoning is False:
        return {}
    adaptive = bool(_ADAPTIVE_MODELS.match(request.model)) or NUMBERED in refused
    if adaptive and ADAPTIVE not in refused:
        return {"thinking": {"type": "adaptive"}, "output_config": {"effort": effort}}
    budget = min(BUDGETS.get(effort, BUDGETS["medium"]), limit - 1024)
    return {"thinking": {"type": "enabled", "budget_tokens": budget}} if budget >= 1024 else {}


def _tool(tool: ToolSpec) -> Wire:
    schema = tool.parameters or {"type": "object", "properties": {}}
    return {"name": wire_name(tool.name), "description": tool.description, "input_schema": schema}


class _Writer:
    """Writes the messages of one request."""

    def __init__(self, family: str, *, vision: bool, tools: bool) -> None:
        self._family = family
        self._vision = vision
        self._tools = tools

    def write(self, messages: Sequence[PromptMessage]) -> list[Wire]:
        wire: list[Wire] = []
        todo = deque(messages)
        while todo:
            message = todo.popleft()
            match message:
                case SystemMessage() | ToolMessage():
                    pass  # the instructions stand apart; a result without its call is none
                case UserMessage():
                    _add(wire, "user", self._said(message))
                case AssistantMessage():
                    results: list[ToolMessage] = []
                    while todo and isinstance(head := todo[0], ToolMessage):
                        results.append(head)
                        todo.popleft()
                    ids = _different([call.id for call in message.calls])
                    _add(wire, "assistant", self._answer(message, ids))
                    _add(wire, "user", self._results(message, ids, results))
                case _:
                    assert_never(message)
        return _trimmed(wire)

    def _said(self, message: UserMessage | ToolMessage) -> list[Wire]:
        return [*_text(message.text), *[self._image(image) for image in message.images]]

    def _image(self, image: ImageBlock) -> Wire:
        if not self._vision:
            return {"type": "text", "text": IMAGE_NOT_SENT}
        source = {"type": "base64", "media_type": image.media_type, "data": image.data}
        return {"type": "image", "source": source}

    def _answer(self, said: AssistantMessage, ids: Sequence[str]) -> list[Wire]:
        if carried := self._carried(said, ids):
            return carried
        calls = [
            {"type": "tool_use", "id": wire_id, "name": wire_name(call.name), "input": call.arguments}
            for call, wire_id in zip(said.calls, ids, strict=True)
        ]
        return [*_text(said.text), *calls]

    def _carried(self, said: AssistantMessage, ids: Sequence[str]) -> list[Wire]:
        """Return the answer as it came, if it is this family's and its calls are still the same."""
        blocks = [block for block in said.carry if block.family == self._family]
        content = [as_dict(item) for block in blocks for item in as_list(block.data.get("content"))]
        calls = [as_text(item.get("id")) for item in content if item.get("type") == "tool_use"]
        told = "".join(as_text(item.get("text")) for item in content if item.get("type") == "text")
        if not content or calls != list(ids) or not said.text.startswith(told):
            return []
        kept = [item for item in content if item.get("type") != "text" or as_text(item.get("text")).strip()]
        # A round that went on after a pause may have added text alone, which is carried by no part.
        first_call = next((at for at, item in enumerate(kept) if item.get("type") == "tool_use"), len(kept))
        return [*kept[:first_call], *_text(said.text[len(told) :]), *kept[first_call:]]

    def _results(self, said: AssistantMessage, ids: Sequence[str], results: Sequence[ToolMessage]) -> list[Wire]:
        waiting: defaultdict[str, deque[ToolMessage]] = defaultdict(deque)
        for result in results:
            waiting[result.call_id].append(result)
        wire: list[Wire] = []
        for call, wire_id in zip(said.calls, ids, strict=True):
            queue = waiting[call.id]
            missing = ToolMessage(call_id=call.id, name=call.name, text=NO_RESULT, is_error=True)
            result = queue.popleft() if queue else missing
            block: Wire = {"type": "tool_result", "tool_use_id": wire_id, "content": self._said(result) or "(empty)"}
            wire.append({**block, "is_error": True} if result.is_error else block)
        return wire


def _text(text: str) -> list[Wire]:
    return [{"type": "text", "text": text}] if text.strip() else []


def _add(wire: list[Wire], role: str, content: list[Wire]) -> None:
    """Add content to the last message if it is of the same role: roles take turns."""
    if not content:
        return
    if wire and wire[-1]["role"] == role:
        wire[-1]["content"] += content
    else:
        wire.append({"role": role, "content": content})


def _trimmed(wire: list[Wire]) -> list[Wire]:
    """Take blanks off the end of a last answer, which a server would have to continue."""
    if wire and wire[-1]["role"] == "assistant" and wire[-1]["content"][-1].get("type") == "text":
        last = wire[-1]["content"][-1]
        wire[-1]["content"][-1] = {**last, "text": last["text"].rstrip()}
    return wire


def _different(ids: Sequence[str]) -> list[str]:
    """Return ids that a server takes (letters, digits, ``_`` and ``-``), different from each other."""
    taken: list[str] = []
    for place, given in enumerate(ids):
        wire_id = re.sub(r"[^a-zA-Z0-9_-]", "_", given)[:64] or f"call_{place}"
        taken.append(wire_id if wire_id not in taken else f"{wire_id[:56]}_{place}")
    return taken
