"""How Claude is asked to think, here and on Bedrock: newer models take an effort, older ones a number of tokens.

The list of models says which; of a model that it does not tell, the name does; the other way is taken once one was
refused.
"""

import re
from typing import Any

from deepchat_desktop.domain.prompt import ModelRequest
from deepchat_desktop.services.providers.error_body import ErrorFacts

ADAPTIVE, NUMBERED = "thinking.adaptive", "thinking.enabled"
REASONING_BACK = "reasoning blocks"
"""Given up for one round: a server could not read the reasoning that it was sent back, or missed some."""
_BUDGETS = {"minimal": 1024, "low": 2048, "medium": 8192, "high": 16384, "xhigh": 24576, "max": 32000}
_LEAST = 1024
_ADAPTIVE_MODELS = re.compile(r"claude-(?:opus-4-[7-9]|[a-z]+-(?:[5-9]|\d\d)(?:-|$))")
_UNREADABLE = re.compile(
    r"invalid `?signature`? in `?thinking`?|thinking`? .*cannot be modified|expected `?thinking`? or|"
    r"reasoning ?content.*(?:signature|invalid|must)"
)
_WAY = re.compile(r"thinking\.?(?:type)?.*(?:adaptive|enabled)|adaptive thinking")


def thinking_fields(
    request: ModelRequest, limit: int, refused: frozenset[str], types: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """Return ``thinking`` and what belongs to it. ``limit`` is the output in tokens, ``types`` what a list told."""
    effort = request.reasoning_effort
    if effort is None or effort == "none" or refused & {"thinking", REASONING_BACK}:
        return {}
    if request.capabilities.reasoning is False or refused >= {ADAPTIVE, NUMBERED}:
        return {}
    newer = "adaptive" in types if types else bool(_ADAPTIVE_MODELS.search(request.model))
    if ADAPTIVE not in refused and (newer or NUMBERED in refused):
        return {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low" if effort == "minimal" else effort}}
    budget = min(_BUDGETS.get(effort, _BUDGETS["medium"]), limit - _LEAST)
    return {"thinking": {"type": "enabled", "budget_tokens": budget}} if budget >= _LEAST else {}


def refused_thinking(facts: ErrorFacts, thinking: object) -> str | None:
    """Return what to give up when a 400 is about reasoning. ``thinking`` is the field that was sent, if it was."""
    text = facts.message.lower()
    if _UNREADABLE.search(text):
        return REASONING_BACK
    if isinstance(thinking, dict) and _WAY.search(text):
        return ADAPTIVE if thinking.get("type") == "adaptive" else NUMBERED
    return None
