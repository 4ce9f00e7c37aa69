"""What the next request holds: the system prompt, the turns that fit, the answer so far, the tools.

Figures are estimates. The active turn is never cut: if it does not fit, ``ContextTooLarge`` tells the budget.
"""

from collections.abc import Sequence

from deepchat_desktop.domain.base import Value
from deepchat_desktop.domain.blocks import Blocks
from deepchat_desktop.domain.budget import Budget, Selection, plan_budget, select_turns
from deepchat_desktop.domain.errors import DeepChatError
from deepchat_desktop.domain.messages import Message, Session
from deepchat_desktop.domain.prompt import ModelRequest, SystemMessage
from deepchat_desktop.domain.tools import ToolSpec
from deepchat_desktop.domain.turns import Turn, assistant_prompts, turns_of
from deepchat_desktop.services.providers.directory import ConnectedModel


class ContextTooLarge(DeepChatError):
    """The active turn alone does not fit into the model's window."""

    code = "context_overflow"


class Prepared(Value):
    """A request with the figures that explain it."""

    request: ModelRequest
    budget: Budget
    selection: Selection


def prepare(
    session: Session,
    model: ConnectedModel,
    history: Sequence[Message],
    answer: Blocks,
    tools: Sequence[ToolSpec],
    system: str,
    *,
    strict: bool = False,
) -> Prepared:
    """Build a request. ``history`` ends with the active user message; ``answer`` is what was answered to it.

    ``strict`` is for the one retry after a context overflow: half the output and a reserve of a tenth of the
    window (256 to 8,192 tokens). Raises ``ContextTooLarge`` when the active turn does not fit.
    """
    window = session.settings.context or model.capabilities.context
    budget = _budget(session, model, tools, window, strict=strict)
    turns = list(turns_of(history))
    if turns:
        active = turns[-1]
        turns[-1] = Turn(
            user_message_id=active.user_message_id, messages=(*active.messages, *assistant_prompts(answer))
        )
    selection = select_turns(turns, system=system, budget=budget)
    if not selection.fits:
        raise overflow(budget, selection)
    messages = [message for turn in selection.turns for message in turn.messages]
    known_output = session.settings.max_output or model.max_output or (budget.output if window else None)
    request = ModelRequest(
        model=model.connection.model,
        messages=(SystemMessage(text=system), *messages) if system else tuple(messages),
        tools=tuple(tools),
        max_output=min(known_output, budget.output) if known_output else None,
        temperature=session.settings.temperature if session.settings.temperature is not None else model.temperature,
        top_p=session.settings.top_p,
        reasoning_effort=session.settings.reasoning_effort,
        capabilities=model.capabilities,
        extra=dict(model.extra),
    )
    return Prepared(request=request, budget=budget, selection=selection)


def _budget(
    session: Session, model: ConnectedModel, tools: Sequence[ToolSpec], window: int | None, *, strict: bool
) -> Budget:
    output = session.settings.max_output or model.max_output or model.capabilities.max_output
    budget = plan_budget(window=window, output=output, tools=tools)
    if not strict:
        return budget
    reserve = min(8_192, max(256, budget.window // 10))
    return budget.model_copy(update={"output": max(1, budget.output // 2), "usable": max(0, budget.usable - reserve)})


def overflow(budget: Budget, selection: Selection) -> ContextTooLarge:
    """Return the error that tells the user the budget, in tokens."""
    return ContextTooLarge(
        "This message does not fit into the model's window. "
        f"Window {budget.window:,}, system prompt {selection.system:,}, tools {budget.tools:,}, "
        f"history {selection.history:,}, this message {selection.active:,}, output {budget.output:,} tokens. "
        "Shorten the message, set a smaller output, or choose a model with a larger window.",
        params={
            "window": budget.window,
            "system": selection.system,
            "tools": budget.tools,
            "history": selection.history,
            "message": selection.active,
            "output": budget.output,
        },
    )
