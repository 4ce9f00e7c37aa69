"""How hard a model shall think, in the words of each vendor of the chat-completions family.

The request says one of none, minimal, low, medium, high, xhigh, max, or nothing at all: then nothing is sent and
the vendor's default holds. Source: vendor documentation; an effort that a vendor does not have becomes its nearest.
"""

from typing import Any, Literal, assert_never

ThinkingStyle = Literal["effort", "deepseek", "switch", "enable", "openrouter", "groq", "low_high", "none_high"]

_DEEPSEEK = {"minimal": "low", "low": "low", "medium": "high", "high": "high", "xhigh": "max", "max": "max"}
_NONE_HIGH = {"none": "none"}
_LOW_HIGH = {"none": "low", "minimal": "low", "low": "low"}


def thinking_fields(style: ThinkingStyle, effort: str | None, model: str) -> dict[str, Any]:
    """Return the body fields for an effort."""
    if effort is None:
        return {}
    match style:
        case "effort":
            return {"reasoning_effort": effort}
        case "deepseek":
            return _switch(effort) | ({} if effort == "none" else {"reasoning_effort": _DEEPSEEK.get(effort, "high")})
        case "switch":
            return _switch(effort)
        case "enable":
            return {"enable_thinking": effort != "none"}
        case "openrouter":
            return {"reasoning": {"effort": "xhigh" if effort == "max" else effort}}
        case "groq":
            return {"reasoning_effort": _groq(effort, model)}
        case "low_high":
            return {"reasoning_effort": _LOW_HIGH.get(effort, "high")}
        case "none_high":
            return {"reasoning_effort": _NONE_HIGH.get(effort, "high")}
        case _:
            assert_never(style)


def _switch(effort: str) -> dict[str, Any]:
    return {"thinking": {"type": "disabled" if effort == "none" else "enabled"}}


def _groq(effort: str, model: str) -> str:
    if "gpt-oss" not in model:
        return "none" if effort == "none" else "default"
    return {"none": "low", "minimal": "low", "xhigh": "high", "max": "high"}.get(effort, effort)
