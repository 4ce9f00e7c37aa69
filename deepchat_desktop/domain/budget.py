"""What fits into a model's window, in tokens. Figures are estimates until a provider reports its own.

Source of the rules: usable = floor((window - output - tools - safety) / 1.2); output is at most 32,768 and
half the window; safety is 256, or 0 for windows of 1,024 and less. Turns are dropped whole, oldest first, and
the active turn is never cut: if it cannot fit, the user is told the figures.
"""

import json
import math
import re
from collections.abc import Sequence

from deepchat_desktop.domain.base import Value
from deepchat_desktop.domain.prompt import PromptMessage
from deepchat_desktop.domain.tools import ToolSpec
from deepchat_desktop.domain.turns import Turn

MAX_OUTPUT = 32_768
DEFAULT_OUTPUT = 4_096
DEFAULT_WINDOW = 16_000
SAFETY = 256
IMAGE_TOKENS = 512
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af]+")
MESSAGE_TOKENS = 4
"""What a message costs beyond its text: role marks and separators."""


class Budget(Value):
    """How a window is shared out."""

    window: int
    output: int
    tools: int
    safety: int
    usable: int


class Selection(Value):
    """What is sent and what is left out. Figures are tokens."""

    turns: tuple[Turn, ...]
    excluded: tuple[str, ...] = ()
    """Ids of the user messages whose turns were left out as ``out_of_budget``, oldest first."""
    system: int = 0
    history: int = 0
    active: int = 0
    fits: bool = True


def estimate_text(text: str) -> int:
    """Estimate the tokens of a text: 0.78 a CJK character, 1/3.9 of any other byte of UTF-8 (rounded up)."""
    if text.isascii():
        return math.ceil(len(text) / 3.9)
    wide = sum(map(len, _WIDE.findall(text)))
    other = len(text.encode("utf-8", "surrogatepass")) - 3 * wide
    return math.ceil(wide * 0.78 + other / 3.9)


def estimate_message(message: PromptMessage) -> int:
    """Estimate the tokens of one message as it is sent."""
    tokens = MESSAGE_TOKENS + estimate_text(message.text)
    if message.role == "user" or message.role == "tool":
        return tokens + IMAGE_TOKENS * len(message.images)
    if message.role == "assistant":
        return tokens + sum(
            MESSAGE_TOKENS + estimate_text(call.name) + estimate_text(call.arguments_text) for call in message.calls
        )
    return tokens


def estimate_tools(tools: Sequence[ToolSpec]) -> int:
    """Estimate the tokens of the tool definitions."""
    return sum(
        estimate_text(json.dumps({"name": t.name, "description": t.description, "parameters": t.parameters}))
        for t in tools
    )


def plan_budget(*, window: int | None, output: int | None, tools: Sequence[ToolSpec]) -> Budget:
    """Share out a window. None takes the defaults (16,000 and 4,096)."""
    size = window or DEFAULT_WINDOW
    safety = 0 if size <= 1_024 else SAFETY
    capped = max(1, min(output or DEFAULT_OUTPUT, MAX_OUTPUT, size // 2))
    reserve = estimate_tools(tools)
    usable = max(0, math.floor((size - capped - reserve - safety) / 1.2))
    return Budget(window=size, output=capped, tools=reserve, safety=safety, usable=usable)


def select_turns(turns: Sequence[Turn], *, system: str, budget: Budget) -> Selection:
    """Choose what is sent. The last turn is the active one and always stays whole."""
    costs = [sum(estimate_message(message) for message in turn.messages) for turn in turns]
    fixed = MESSAGE_TOKENS + estimate_text(system) if system else 0
    total, first = fixed + sum(costs), 0
    while first < len(turns) - 1 and total > budget.usable:
        total -= costs[first]
        first += 1
    return Selection(
        turns=tuple(turns[first:]),
        excluded=tuple(turn.user_message_id for turn in turns[:first]),
        system=fixed,
        history=sum(costs[first:-1]),
        active=costs[-1] if costs else 0,
        fits=total <= budget.usable,
    )
