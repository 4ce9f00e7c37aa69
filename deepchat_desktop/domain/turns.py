"""From stored messages to what a model is sent: turns, whole and in order.

A turn is a user message and all that answers it. A call always travels with its result, and a result without
its call never travels: what has no result gets a made-up error result, in the request only.
"""

from collections.abc import Iterable

from deepchat_desktop.domain.attachments import labelled
from deepchat_desktop.domain.base import Value
from deepchat_desktop.domain.blocks import (
    Blocks,
    CarryBlock,
    FileBlock,
    ImageBlock,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
)
from deepchat_desktop.domain.messages import Message
from deepchat_desktop.domain.prompt import (
    AssistantMessage,
    PromptCall,
    PromptMessage,
    ToolMessage,
    UserMessage,
)

NO_RESULT = "This call was not carried out: the turn ended before it ran."
UNKNOWN_RESULT = (
    "It is not known whether this call took effect: the program ended while it ran. "
    "It was not repeated. Check the state before trying again."
)


class Turn(Value):
    """A user message with the answers to it, as they are sent."""

    user_message_id: str
    messages: tuple[PromptMessage, ...]


def turns_of(messages: Iterable[Message]) -> tuple[Turn, ...]:
    """Group a session's messages, oldest first, into turns. Answers before any user message are left out."""
    grouped: list[tuple[Message, list[Message]]] = []
    for message in messages:
        if message.role == "user":
            grouped.append((message, []))
        elif grouped:
            grouped[-1][1].append(message)
    return tuple(_turn(user, answers) for user, answers in grouped)


def _turn(user: Message, answers: list[Message]) -> Turn:
    """A turn with its latest answer: earlier variants are not sent."""
    last = answers[-1:]
    prompts = [prompt for answer in last for prompt in assistant_prompts(answer.blocks)]
    return Turn(user_message_id=user.id, messages=(user_prompt(user), *prompts))


def user_prompt(message: Message) -> UserMessage:
    """Return a user message as it is sent."""
    text = "".join(block.text for block in message.blocks if isinstance(block, TextBlock))
    files = [labelled(block) for block in message.blocks if isinstance(block, FileBlock)]
    images = tuple(block for block in message.blocks if isinstance(block, ImageBlock))
    return UserMessage(text="\n\n".join([text, *files] if text else files), images=images)


def assistant_prompts(blocks: Blocks) -> list[PromptMessage]:
    """Return an answer as rounds: each an assistant message followed by the results of its calls."""
    rounds: list[_Round] = []
    for block in blocks:
        current = rounds[-1] if rounds else None
        if current is None or _begins_round(block, current):
            current = _Round()
            rounds.append(current)
        current.take(block)
    return [prompt for part in rounds for prompt in part.prompts()]


def _begins_round(block: object, current: "_Round") -> bool:
    if not current.calls:
        return False
    if isinstance(block, ToolCallBlock) or (isinstance(block, CarryBlock) and block.round is not None):
        return block.round != current.calls[-1].round
    return isinstance(block, TextBlock | ReasoningBlock | CarryBlock)


class _Round:
    """One provider round on its way to prompt messages."""

    def __init__(self) -> None:
        self.text = ""
        self.reasoning: str | None = None
        self.calls: list[ToolCallBlock] = []
        self.carry: list[CarryBlock] = []

    def take(self, block: object) -> None:
        match block:
            case TextBlock():
                self.text += block.text
            case ReasoningBlock():
                self.reasoning = (self.reasoning or "") + block.text
            case ToolCallBlock() if (block.status != "incomplete" or block.result) and not block.by_provider:
                self.calls.append(block)
            case CarryBlock():
                self.carry.append(block)
            case _:
                pass

    def prompts(self) -> list[PromptMessage]:
        if not self.text.strip() and not self.calls and not self.carry:
            return []
        calls = tuple(
            PromptCall(
                id=call.provider_call_id or call.call_id,
                name=call.name,
                arguments_text=call.arguments_text if call.arguments is not None else "{}",
                arguments=call.arguments or {},
            )
            for call in self.calls
        )
        said = AssistantMessage(text=self.text, reasoning=self.reasoning, calls=calls, carry=tuple(self.carry))
        return [said, *(_result(call) for call in self.calls)]


def _result(call: ToolCallBlock) -> ToolMessage:
    done = call.status in ("success", "error", "denied", "skipped", "incomplete")
    text = call.result if done else UNKNOWN_RESULT if call.status == "interrupted" else NO_RESULT
    if call.status == "skipped" and not text:
        text = NO_RESULT
    return ToolMessage(
        call_id=call.provider_call_id or call.call_id,
        name=call.name,
        text=text,
        is_error=call.status != "success",
        images=call.images if done else (),
    )
