"""The body of a messages request, and what of it is given up when a server does not take it.

Tools, instructions and the newest user message are marked for the cache: a long conversation is then read at a tenth
of the price. A block that goes back verbatim is never marked.
"""

from typing import Any

from deepchat_desktop.domain.blocks import ImageBlock
from deepchat_desktop.domain.prompt import ModelRequest, PromptCall
from deepchat_desktop.domain.tools import ToolSpec
from deepchat_desktop.services.providers.anthropic_thinking import REASONING_BACK, refused_thinking, thinking_fields
from deepchat_desktop.services.providers.error_body import read_error
from deepchat_desktop.services.providers.openai_responses_input import instructions_of
from deepchat_desktop.services.providers.refusals import is_about_a_field
from deepchat_desktop.services.providers.tool_names import wire_name
from deepchat_desktop.services.providers.turn_writer import TurnWriter, Wire
from deepchat_desktop.services.providers.wire_json import as_text

DEFAULT_OUTPUT = 8192
"""``max_tokens`` is required; the smallest limit of the models that are still served."""
_OPTIONAL = ("temperature", "top_p", "top_k", "output_config", "thinking", "cache_control", "tools")
_CACHE: Wire = {"cache_control": {"type": "ephemeral"}}


def request_body(
    request: ModelRequest,
    family: str,
    refused: frozenset[str] = frozenset(),
    thinking_types: frozenset[str] = frozenset(),
) -> dict[str, Any]:
    """Return the body as a JSON value.

    ``refused`` are fields that this model's server does not take, ``thinking_types`` what its list told of thinking.
    """
    tools = request.tools if request.capabilities.tools is not False and "tools" not in refused else ()
    limit = request.max_output or request.capabilities.max_output or DEFAULT_OUTPUT
    vision, carry = request.capabilities.vision is not False, REASONING_BACK not in refused
    messages = _Writer(family, vision=vision, tools=bool(tools), carry=carry).write(request.messages)
    body: dict[str, Any] = {"model": request.model, "max_tokens": limit, "messages": messages, "stream": True}
    if instructions := instructions_of(request.messages).strip():
        body["system"] = [{"type": "text", "text": instructions}]
    if tools:
        body["tools"] = list({wire_name(tool.name): _tool(tool) for tool in tools}.values())
    if "cache_control" not in refused:
        _mark(body)
    thinking = thinking_fields(request, limit, refused, thinking_types)
    body |= thinking or sampling(request)
    body |= {name: value for name, value in request.extra.items() if name not in body}
    return {name: value for name, value in body.items() if name not in refused}


def sampling(request: ModelRequest) -> dict[str, Any]:
    """Return how the model picks its words. Newer models take a temperature or a ``top_p``, not both."""
    if request.temperature is not None:
        return {"temperature": request.temperature}
    return {} if request.top_p is None else {"top_p": request.top_p}


def refused_field(body: bytes, sent: dict[str, Any]) -> str | None:
    """Return what of ``sent`` a 400 says it does not take, or None."""
    facts = read_error(body)
    if (given_up := refused_thinking(facts, sent.get("thinking"))) is not None:
        return given_up
    if not is_about_a_field(facts):
        return None
    text = facts.message.lower()
    return next((name for name in _OPTIONAL if name in text and _is_sent(name, sent)), None)


def _is_sent(name: str, sent: dict[str, Any]) -> bool:
    return name in sent or name == "cache_control"


def _mark(body: dict[str, Any]) -> None:
    """Mark where the cache may end: after the tools, the instructions and the newest thing the user sent."""
    for name in ("tools", "system"):
        if blocks := body.get(name):
            blocks[-1] = {**blocks[-1], **_CACHE}
    newest = next((message for message in reversed(body["messages"]) if message["role"] == "user"), None)
    if newest is not None:
        newest["content"][-1] = {**newest["content"][-1], **_CACHE}


def _tool(tool: ToolSpec) -> Wire:
    schema = tool.parameters or {"type": "object", "properties": {}}
    return {"name": wire_name(tool.name), "description": tool.description, "input_schema": schema}


class _Writer(TurnWriter):
    """Writes the messages of one request."""

    def text_block(self, text: str) -> Wire:
        return {"type": "text", "text": text}

    def image_block(self, image: ImageBlock) -> Wire:
        source = {"type": "base64", "media_type": image.media_type, "data": image.data}
        return {"type": "image", "source": source}

    def call_block(self, call: PromptCall, wire_id: str) -> Wire:
        return {"type": "tool_use", "id": wire_id, "name": wire_name(call.name), "input": call.arguments}

    def result_block(self, wire_id: str, content: list[Wire], *, is_error: bool) -> Wire:
        block: Wire = {"type": "tool_result", "tool_use_id": wire_id, "content": content}
        return {**block, "is_error": True} if is_error else block

    def call_id(self, block: Wire) -> str | None:
        return as_text(block.get("id")) if block.get("type") == "tool_use" else None

    def text_of(self, block: Wire) -> str | None:
        return as_text(block.get("text")) if block.get("type") == "text" else None
