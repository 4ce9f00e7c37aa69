"""The body of a Gemini request, and what of it is given up when a model does not take it."""

import re
from typing import Any

from deepchat_desktop.domain.prompt import ModelRequest
from deepchat_desktop.domain.tools import ToolSpec
from deepchat_desktop.services.providers.error_body import read_error
from deepchat_desktop.services.providers.gemini_messages import ContentWriter
from deepchat_desktop.services.providers.gemini_schema import parameters_of
from deepchat_desktop.services.providers.gemini_thinking import LEVEL, signs_calls, thinking_config
from deepchat_desktop.services.providers.openai_responses_input import instructions_of
from deepchat_desktop.services.providers.tool_names import wire_name
from deepchat_desktop.services.providers.wire_json import as_dict

SIGNATURES = "thought signatures"
"""Given up for one round: the server could not read a signature that it was sent back, or misses one."""
OWN_SCHEMA = "parameters"
"""Given up for a model that refuses the translated schema: it gets the schema as it is."""
_SYSTEM, _TOOLS = "systemInstruction", "tools"
_REFUSALS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (SIGNATURES, re.compile(r"thought[ _]?signature")),
    (_SYSTEM, re.compile(r"(?:developer|system)[ _]?instruction.* (?:not enabled|not supported)")),
    (_TOOLS, re.compile(r"(?:function calling|tool use).* (?:not enabled|not supported|unsupported)")),
    (LEVEL, re.compile(r"thinking[ _]?level")),
    ("thinkingConfig", re.compile(r"thinking|thoughts")),
    (OWN_SCHEMA, re.compile(r"function_?declarations|schema|should be non-empty for object type")),
    ("temperature", re.compile(r"temperature")),
    ("topP", re.compile(r"top_?p\b")),
)
Wire = dict[str, Any]


def request_body(request: ModelRequest, family: str, refused: frozenset[str] = frozenset()) -> Wire:
    """Return the body as a JSON value. ``refused`` is what this model does not take."""
    tools = request.tools if request.capabilities.tools is not False and _TOOLS not in refused else ()
    newer = signs_calls(request.model.lower())
    writer = ContentWriter(
        family,
        vision=request.capabilities.vision is not False,
        tools=bool(tools),
        carry=SIGNATURES not in refused,
        signed=newer or SIGNATURES in refused,
        nested=newer,
    )
    body: Wire = {"contents": writer.contents(request.messages)}
    if instructions := instructions_of(request.messages).strip():
        _instruct(body, instructions, apart=_SYSTEM not in refused)
    if tools:
        own = OWN_SCHEMA not in refused
        told = {wire_name(tool.name): _declaration(tool, translated=own) for tool in tools}
        body["tools"] = [{"functionDeclarations": list(told.values())}]
    if config := _config(request, refused):
        body["generationConfig"] = config
    for name, value in request.extra.items():
        if name not in body:
            body[name] = value
        elif isinstance(value, dict) and isinstance(body[name], dict):
            body[name] = {**value, **body[name]}
    return body


def refused_field(body: bytes, sent: Wire) -> str | None:
    """Return what of ``sent`` a 400 says the model cannot do or read, or None."""
    text = read_error(body).message.lower()
    config = as_dict(sent.get("generationConfig"))
    there = {SIGNATURES, *sent, *config, *as_dict(config.get("thinkingConfig"))}
    there |= {OWN_SCHEMA} if any("parameters" in each for each in _declarations(sent)) else set()
    return next((name for name, words in _REFUSALS if name in there and words.search(text)), None)


def _declarations(sent: Wire) -> list[Wire]:
    return [each for tool in sent.get("tools", ()) for each in tool.get("functionDeclarations", ())]


def _config(request: ModelRequest, refused: frozenset[str]) -> Wire:
    wanted = {
        "maxOutputTokens": request.max_output,
        "temperature": request.temperature,
        "topP": request.top_p,
        "thinkingConfig": thinking_config(request, refused) or None,
    }
    return {name: value for name, value in wanted.items() if value is not None and name not in refused}


def _instruct(body: Wire, instructions: str, *, apart: bool) -> None:
    """Put the instructions apart, or in front of the first message where a model knows no others."""
    if apart:
        body[_SYSTEM] = {"parts": [{"text": instructions}]}
    elif body["contents"]:
        first = body["contents"][0]
        first["parts"] = [{"text": instructions}, *first["parts"]]


def _declaration(tool: ToolSpec, *, translated: bool) -> Wire:
    told: Wire = {"name": wire_name(tool.name), "description": tool.description}
    if not translated:
        return {**told, "parametersJsonSchema": tool.parameters} if tool.parameters.get("properties") else told
    parameters = parameters_of(tool.parameters)
    return told if parameters is None else {**told, "parameters": parameters}
