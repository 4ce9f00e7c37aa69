"""The body of a responses request, and what of it is given up when a server does not take it.

Nothing is stored on the server (``store`` false), so reasoning is asked for in its encrypted form. ``strict`` is
false for every tool: otherwise optional parameters are refused.
"""

import re
from typing import Any

from deepchat_desktop.domain.prompt import ModelRequest, UserMessage
from deepchat_desktop.domain.tools import ToolSpec
from deepchat_desktop.services.providers.cache_key import cache_key, takes_cache_key
from deepchat_desktop.services.providers.error_body import read_error
from deepchat_desktop.services.providers.openai_responses_input import InputWriter, instructions_of
from deepchat_desktop.services.providers.refusals import is_about_a_field
from deepchat_desktop.services.providers.tool_names import wire_name

REASONING_ITEMS = "reasoning items"
"""What is given up when the server cannot read its own reasoning again (another account, another region)."""
_SUMMARY = "reasoning.summary"
_OPTIONAL = (
    _SUMMARY,
    "reasoning.effort",
    "reasoning.encrypted_content",
    "include",
    "max_output_tokens",
    "temperature",
    "top_p",
    "prompt_cache_key",
    "store",
    "reasoning",
)
_REASONS = re.compile(r"(?:openai/)?(?:o\d|gpt-[5-9](?!\.?\d*-chat)|gpt-oss|codex)|grok-[4-9]|deepseek-v[4-9]")


def request_body(
    request: ModelRequest, url: str, family: str, refused: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """Return the body as a JSON value. ``refused`` are fields that this model's server does not take."""
    tools = request.tools if request.capabilities.tools is not False else ()
    vision = request.capabilities.vision is not False
    writer = InputWriter(family, vision=vision, reasoning=REASONING_ITEMS not in refused)
    body: dict[str, Any] = {"model": request.model, "input": writer.write(request.messages), "stream": True}
    body["store"] = False
    if instructions := instructions_of(request.messages):
        body["instructions"] = instructions
    if tools:
        body["tools"] = list({wire_name(tool.name): _tool(tool) for tool in tools}.values())
    if request.max_output is not None:
        body["max_output_tokens"] = request.max_output
    if takes_cache_key(url) and any(isinstance(message, UserMessage) for message in request.messages):
        body["prompt_cache_key"] = cache_key(request.messages)
    if reasons(request):
        body["include"] = ["reasoning.encrypted_content"]
        effort = {"effort": request.reasoning_effort} if request.reasoning_effort else {}
        body["reasoning"] = {**effort, "summary": "auto"}
    else:
        sampling = {"temperature": request.temperature, "top_p": request.top_p}
        body |= {name: value for name, value in sampling.items() if value is not None}
    body |= {name: value for name, value in request.extra.items() if name not in body}
    return _without(body, refused)


def reasons(request: ModelRequest) -> bool:
    """Return whether the model is one that reasons: told by its list, by the request, or by its name."""
    known = bool(request.capabilities.reasoning) or request.reasoning_effort is not None
    return known or bool(_REASONS.match(request.model.lower()))


def refused_field(body: bytes, sent: dict[str, Any]) -> str | None:
    """Return what of ``sent`` a 400 or 422 says it does not take, or None."""
    facts = read_error(body)
    text = facts.message.lower()
    carried = any(item.get("type") == "reasoning" for item in sent["input"])
    if carried and ("invalid_encrypted_content" in facts.codes or "encrypted content" in text):
        return REASONING_ITEMS
    named: str | None = None
    if "verified" in text and "summar" in text:
        named = _SUMMARY  # OpenAI gives summaries to verified organizations only
    elif is_about_a_field(facts):
        by_param = next((name for name in _OPTIONAL if facts.param == name), None)
        named = by_param or next((name for name in _OPTIONAL if name in text), None)
    if named == "reasoning.encrypted_content":
        named = "include"
    return named if named is not None and _is_sent(named, sent) else None


def _is_sent(name: str, sent: dict[str, Any]) -> bool:
    head, _, tail = name.partition(".")
    return head in sent and (not tail or tail in sent[head])


def _without(body: dict[str, Any], refused: frozenset[str]) -> dict[str, Any]:
    for name in refused:
        head, _, tail = name.partition(".")
        if tail and isinstance(body.get(head), dict):
            body[head] = {key: value for key, value in body[head].items() if key != tail}
        elif not tail:
            body.pop(head, None)
    if body.get("reasoning") == {}:
        del body["reasoning"]
    return body


def _tool(tool: ToolSpec) -> dict[str, Any]:
    return {
        "type": "function",
        "name": wire_name(tool.name),
        "description": tool.description,
        "parameters": tool.parameters or {"type": "object", "properties": {}},
        "strict": False,
    }
