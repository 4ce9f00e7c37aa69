"""How Gemini is asked to think: from 3 on by a level, before by a number of tokens; the thoughts are asked for too.

Source: Google's "Thinking" and "Thought signatures" pages. Other models are asked only if they are known to think.
"""

import re
from typing import Any

from deepchat_desktop.domain.prompt import ModelRequest

LEVEL = "thinkingLevel"
_BY_LEVEL = re.compile(r"gemini-(?:[3-9]|\d\d)")
_BY_BUDGET = re.compile(r"gemini-2\.5(?!.*(?:image|tts|native-audio))")
_LEVELS = {"none": "minimal", "minimal": "minimal", "low": "low", "medium": "medium"}
_BUDGETS = {"none": 0, "minimal": 512, "low": 2048, "medium": 8192, "high": 24576, "xhigh": 24576, "max": 24576}
_LEAST_OF_PRO, _MOST_OF_PRO = 128, 32768
_NO_PICTURES = re.compile(r"image|tts")


def signs_calls(model: str) -> bool:
    """Return whether a model refuses a call of the history without a signature."""
    return bool(_BY_LEVEL.search(model))


def thinking_config(request: ModelRequest, refused: frozenset[str]) -> dict[str, Any]:
    """Return ``thinkingConfig``, {} where nothing is to be said."""
    model, effort = request.model.lower(), request.reasoning_effort
    by_level, by_budget = _BY_LEVEL.search(model), _BY_BUDGET.search(model)
    known = (by_level and not _NO_PICTURES.search(model)) or by_budget or request.capabilities.reasoning
    if "thinkingConfig" in refused or request.capabilities.reasoning is False or not known:
        return {}
    config: dict[str, Any] = {"includeThoughts": effort != "none"}
    if effort is None:
        return config
    if by_budget:
        return {**config, "thinkingBudget": _budget(model, effort)}
    if by_level and LEVEL not in refused:
        level = _LEVELS.get(effort, "high")
        return {**config, LEVEL: "low" if level == "minimal" and "pro" in model else level}
    return config


def _budget(model: str, effort: str) -> int:
    budget = _BUDGETS.get(effort, _BUDGETS["medium"])
    if "pro" in model:
        return _MOST_OF_PRO if effort == "max" else max(budget, _LEAST_OF_PRO)
    return budget
