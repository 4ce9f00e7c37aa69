"""The body of a Converse request, and what of it is given up when a model does not take it.

Bedrock refuses what a model behind it cannot do (tools, instructions, cache points), each in its own words. Cache
points go only to the families that have them, after the tools, the instructions and the newest user message.
"""

import re
from typing import Any

from deepchat_desktop.domain.blocks import ImageBlock
from deepchat_desktop.domain.prompt import ModelRequest, PromptCall
from deepchat_desktop.domain.tools import ToolSpec
from deepchat_desktop.services.providers.anthropic_request import DEFAULT_OUTPUT, sampling
from deepchat_desktop.services.providers.anthropic_thinking import REASONING_BACK, refused_thinking, thinking_fields
from deepchat_desktop.services.providers.error_body import read_error
from deepchat_desktop.services.providers.openai_responses_input import instructions_of
from deepchat_desktop.services.providers.refusals import is_about_a_field
from deepchat_desktop.services.providers.tool_names import wire_name
from deepchat_desktop.services.providers.turn_writer import TurnWriter, Wire
from deepchat_desktop.services.providers.wire_json import as_dict, as_text

_CACHED = re.compile(r"anthropic\.claude-(?:3-7|3-5-haiku|[a-z]+-\d)|amazon\.nova")
_TOOLS_CACHED = re.compile(r"anthropic\.claude")
_NUMBERED_EFFORTS = re.compile(r"anthropic\.claude")
_NOVA_EFFORTS = re.compile(r"amazon\.nova-(?:[2-9]|premier-v[2-9])")
_CACHE_POINT: Wire = {"cachePoint": {"type": "default"}}
_NAMES = {"temperature": "temperature", "top_p": "topP"}
_OPTIONAL: dict[str, tuple[str, ...]] = {
    "tools": ("tool use", "toolconfig", "tools"),
    "system": ("system prompt", "system message", "system"),
    "cachePoint": ("cachepoint", "prompt caching", "cache point"),
    "temperature": ("temperature",),
    "topP": ("topp", "top_p"),
    "additionalModelRequestFields": ("additionalmodelrequestfields", "extraneous key", "reasoningconfig"),
}
"""What a request can do without, and the words by which it is refused."""


def request_body(request: ModelRequest, family: str, refused: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return the body as a JSON value. ``refused`` is what this model does not take."""
    tools = request.tools if request.capabilities.tools is not False and "tools" not in refused else ()
    vision, carry = request.capabilities.vision is not False, REASONING_BACK not in refused
    messages = _Writer(family, vision=vision, tools=bool(tools), carry=carry).write(request.messages)
    body: dict[str, Any] = {"messages": messages}
    if instructions := instructions_of(request.messages).strip():
        _instruct(body, instructions, apart="system" not in refused)
    if tools:
        body["toolConfig"] = {"tools": list({wire_name(tool.name): _tool(tool) for tool in tools}.values())}
    if "cachePoint" not in refused and _CACHED.search(request.model):
        _mark(body, tools=bool(_TOOLS_CACHED.search(request.model)))
    more = _thinking(request, refused)
    picks = {} if "thinking" in more else {_NAMES[name]: value for name, value in sampling(request).items()}
    limit = {"maxTokens": request.max_output} if request.max_output or "thinking" in more else {}
    if "thinking" in more:
        limit = {"maxTokens": _limit(request)}
    if limits := {name: value for name, value in (limit | picks).items() if name not in refused}:
        body["inferenceConfig"] = limits
    if (more := {**request.extra, **more}) and "additionalModelRequestFields" not in refused:
        body["additionalModelRequestFields"] = more
    return body


def refused_field(body: bytes, sent: dict[str, Any]) -> str | None:
    """Return what of ``sent`` a 400 says it does not take, or None."""
    facts = read_error(body)
    more = as_dict(sent.get("additionalModelRequestFields"))
    if (given_up := refused_thinking(facts, more.get("thinking"))) is not None:
        return given_up
    text = facts.message.lower()
    if not is_about_a_field(facts):
        return None
    there = {*sent, *as_dict(sent.get("inferenceConfig"))} | ({"tools"} if "toolConfig" in sent else set())
    there |= {"cachePoint"} if "cachePoint" in str(sent) else set()
    return next((name for name, words in _OPTIONAL.items() if name in there and any(w in text for w in words)), None)


def _limit(request: ModelRequest) -> int:
    return request.max_output or request.capabilities.max_output or DEFAULT_OUTPUT


def _thinking(request: ModelRequest, refused: frozenset[str]) -> dict[str, Any]:
    """Return the model's own fields that ask it to think."""
    effort = request.reasoning_effort
    if _NUMBERED_EFFORTS.search(request.model):
        return thinking_fields(request, _limit(request), refused)
    if effort in ("low", "medium", "high") and _NOVA_EFFORTS.search(request.model):
        return {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": effort}}
    return {}


def _instruct(body: dict[str, Any], instructions: str, *, apart: bool) -> None:
    """Put the instructions apart, or in front of the first message where a model knows no others."""
    if apart:
        body["system"] = [{"text": instructions}]
    elif body["messages"]:
        first = body["messages"][0]
        first["content"] = [{"text": instructions}, *first["content"]]


def _mark(body: dict[str, Any], *, tools: bool) -> None:
    for blocks in (body.get("system"), as_dict(body.get("toolConfig")).get("tools") if tools else None):
        if blocks:
            blocks.append(_CACHE_POINT)
    newest = next((message for message in reversed(body["messages"]) if message["role"] == "user"), None)
    if newest is not None:
        newest["content"].append(_CACHE_POINT)


def _tool(tool: ToolSpec) -> Wire:
    schema = tool.parameters or {"type": "object", "properties": {}}
    spec = {"name": wire_name(tool.name), "inputSchema": {"json": schema}}
    return {"toolSpec": {**spec, "description": tool.description} if tool.description else spec}


class _Writer(TurnWriter):
    """Writes the messages of one request."""

    def text_block(self, text: str) -> Wire:
        return {"text": text}

    def image_block(self, image: ImageBlock) -> Wire:
        kind = image.media_type.partition("/")[2].replace("jpg", "jpeg")
        return {"image": {"format": kind, "source": {"bytes": image.data}}}

    def call_block(self, call: PromptCall, wire_id: str) -> Wire:
        return {"toolUse": {"toolUseId": wire_id, "name": wire_name(call.name), "input": call.arguments}}

    def result_block(self, wire_id: str, content: list[Wire], *, is_error: bool) -> Wire:
        result: Wire = {"toolUseId": wire_id, "content": content}
        return {"toolResult": {**result, "status": "error"} if is_error else result}

    def call_id(self, block: Wire) -> str | None:
        call = as_dict(block.get("toolUse"))
        return as_text(call.get("toolUseId")) if call and call.get("type") in (None, "tool_use") else None

    def text_of(self, block: Wire) -> str | None:
        return as_text(block.get("text")) if "text" in block else None
