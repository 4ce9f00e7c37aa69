"""The body of a chat-completions request, and what of it is given up when a server does not know it.

Fields that OpenAI's API does not require are sent only if the request or the profile asks for them. A server
that refuses one by name is asked once more without it, and the refusal is remembered for the model.
"""

from typing import Any

from deepchat_desktop.domain.prompt import ModelRequest
from deepchat_desktop.domain.tools import ToolSpec
from deepchat_desktop.services.providers.cache_key import cache_key, takes_cache_key
from deepchat_desktop.services.providers.error_body import read_error
from deepchat_desktop.services.providers.openai_chat_messages import MessageWriter
from deepchat_desktop.services.providers.openai_chat_profiles import Profile
from deepchat_desktop.services.providers.openai_chat_thinking import thinking_fields
from deepchat_desktop.services.providers.refusals import is_about_a_field
from deepchat_desktop.services.providers.tool_names import wire_name

_OPTIONAL = (
    "stream_options",
    "max_completion_tokens",
    "max_tokens",
    "temperature",
    "top_p",
    "reasoning_effort",
    "reasoning_content",
    "reasoning_details",
    "reasoning",
    "enable_thinking",
    "thinking",
    "tool_stream",
    "tool_choice",
    "prompt_cache_key",
)
_TWINS = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}


def request_body(
    request: ModelRequest, profile: Profile, family: str, refused: frozenset[str] = frozenset(), *, url: str = ""
) -> dict[str, Any]:
    """Return the body as a JSON value. ``refused`` are fields that this model's server does not take."""
    tools = request.tools if request.capabilities.tools is not False and profile.tools else ()
    writer = MessageWriter(profile, family, vision=request.capabilities.vision is not False, tools=bool(tools))
    body: dict[str, Any] = {"model": request.model, "messages": writer.write(request.messages), "stream": True}
    if profile.stream_options:
        body["stream_options"] = {"include_usage": True}
    if request.max_output is not None:
        body[profile.max_tokens_field] = request.max_output
    if tools:
        body["tools"] = [_tool(tool) for tool in _once_each(tools)]
        if profile.tool_stream:
            body["tool_stream"] = True
    if takes_cache_key(url):
        body["prompt_cache_key"] = cache_key(request.messages)
    sampling = {"temperature": request.temperature, "top_p": request.top_p}
    sampling |= thinking_fields(profile.thinking, request.reasoning_effort, request.model.lower())
    body |= {name: value for name, value in sampling.items() if value is not None}
    body |= {name: value for name, value in request.extra.items() if name not in body}
    return _without(_as_profile_wants(body, profile), refused)


def refused_field(body: bytes, sent: dict[str, Any]) -> str | None:
    """Return the optional field of ``sent`` that a 400 or 422 says it does not take, or None."""
    facts = read_error(body)
    text = facts.message.lower()
    if not is_about_a_field(facts):
        return None
    # A sentence such as "'max_tokens' is not supported, use 'max_completion_tokens'" names the culprit first.
    named = [name for name in _OPTIONAL if (facts.param == name or name in text) and _is_sent(name, sent)]
    # "Thinking mode does not support this tool_choice": what the mode forbids goes, not the mode.
    if "tool_choice" in named:
        return "tool_choice"
    return min(named, key=lambda name: (facts.param != name, text.find(name), -len(name)), default=None)


def _is_sent(name: str, sent: dict[str, Any]) -> bool:
    return name in sent or any(name in message for message in sent["messages"])


def _without(body: dict[str, Any], refused: frozenset[str]) -> dict[str, Any]:
    for name in refused:
        value = body.pop(name, None)
        twin = _TWINS.get(name)
        if value is not None and twin is not None and twin not in refused:
            body[twin] = value
        for message in body["messages"]:
            message.pop(name, None)
    return body


def _as_profile_wants(body: dict[str, Any], profile: Profile) -> dict[str, Any]:
    if profile.fixed_sampling:
        for name in ("temperature", "top_p", "presence_penalty", "frequency_penalty"):
            body.pop(name, None)
    thinks = body.get("thinking") != {"type": "disabled"}
    if not profile.forced_tools and thinks and body.get("tool_choice") not in (None, "auto", "none"):
        del body["tool_choice"]
    return body


def _once_each(tools: tuple[ToolSpec, ...]) -> list[ToolSpec]:
    """Return the tools whose wire names are new: a name that stands twice fails the whole request."""
    return list({wire_name(tool.name): tool for tool in reversed(tools)}.values())[::-1]


def _tool(tool: ToolSpec) -> dict[str, Any]:
    parameters = tool.parameters or {"type": "object", "properties": {}}
    function = {"name": wire_name(tool.name), "description": tool.description, "parameters": parameters}
    return {"type": "function", "function": function}
