"""The body of a request to Ollama's native chat.

Invariant: ``num_ctx`` is always sent. Ollama's own default is 4,096, and what does not fit is cut from the front
with status 200: the instructions and the tools vanish without a word. Every call has exactly one result after it, and
no result comes without its call; pictures of results follow in a message of the user's.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from typing import Any, assert_never

from deepchat_desktop.domain.blocks import ImageBlock
from deepchat_desktop.domain.budget import estimate_message, estimate_tools
from deepchat_desktop.domain.prompt import (
    AssistantMessage,
    ModelRequest,
    PromptCall,
    PromptMessage,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from deepchat_desktop.domain.tools import ToolSpec
from deepchat_desktop.domain.turns import NO_RESULT
from deepchat_desktop.services.providers.error_body import read_error
from deepchat_desktop.services.providers.openai_chat_messages import IMAGE_FOLLOWS, IMAGE_NOT_SENT, IMAGES_OF_TOOLS
from deepchat_desktop.services.providers.refusals import is_about_a_field
from deepchat_desktop.services.providers.tool_names import wire_name

SMALLEST_WINDOW, DEFAULT_OUTPUT = 8192, 2048
_EFFORTS = frozenset({"low", "medium", "high"})
Wire = dict[str, Any]


def request_body(request: ModelRequest, window: int | None, refused: frozenset[str] = frozenset()) -> Wire:
    """Return the body as a JSON value. ``window`` is the context length in tokens that the user set, None if none."""
    tools = _tools_sent(request, refused)
    vision = request.capabilities.vision is not False
    body: Wire = {
        "model": request.model,
        "messages": _messages(request.messages, vision=vision),
        "stream": True,
        "options": _options(request, window),
    }
    if tools:
        body["tools"] = list({wire_name(tool.name): _tool(tool) for tool in tools}.values())
    if request.reasoning_effort is not None:
        body["think"] = _think(request)
    return {name: value for name, value in body.items() if name not in refused}


def estimated_prompt(request: ModelRequest, refused: frozenset[str] = frozenset()) -> int:
    """Estimate the tokens of a request's prompt as it goes out, without its pictures."""
    bare = [m.model_copy(update={"images": ()}) if m.role in ("user", "tool") else m for m in request.messages]
    return sum(map(estimate_message, bare)) + estimate_tools(_tools_sent(request, refused))


def context_length(request: ModelRequest) -> int:
    """Return the window in tokens for a request: room for it, in few steps, since each change loads the model anew."""
    output = request.max_output or DEFAULT_OUTPUT
    needed = sum(map(estimate_message, request.messages)) + estimate_tools(request.tools) + output
    window = SMALLEST_WINDOW
    while window < needed:
        window *= 2
    return min(window, request.capabilities.context or window)


def refused_field(body: bytes, sent: Wire) -> str | None:
    """Return what of ``sent`` a 400 says the model cannot do: then it is asked without."""
    facts = read_error(body)
    if not is_about_a_field(facts):
        return None
    text = facts.message.lower()
    named = {"tools": "tools", "think": "think"}
    return next((field for word, field in named.items() if word in text and field in sent), None)


def _tools_sent(request: ModelRequest, refused: frozenset[str]) -> tuple[ToolSpec, ...]:
    return request.tools if request.capabilities.tools is not False and "tools" not in refused else ()


def _options(request: ModelRequest, window: int | None) -> Wire:
    options: Wire = {"num_ctx": window or context_length(request)}
    wanted = {"num_predict": request.max_output, "temperature": request.temperature, "top_p": request.top_p}
    options |= {name: value for name, value in wanted.items() if value is not None}
    return {**request.extra, **options}


def _think(request: ModelRequest) -> bool | str:
    """Return how the model is asked to think: gpt-oss takes an effort, all others yes or no."""
    effort = request.reasoning_effort or ""
    if request.model.startswith("gpt-oss"):
        return effort if effort in _EFFORTS else "medium"
    return effort != "none"


def _messages(messages: Sequence[PromptMessage], *, vision: bool) -> list[Wire]:
    wire: list[Wire] = []
    todo = deque(messages)
    while todo:
        message = todo.popleft()
        match message:
            case SystemMessage():
                wire.append({"role": "system", "content": message.text})
            case UserMessage():
                wire.append(_with_pictures({"role": "user", "content": message.text}, message.images, vision=vision))
            case AssistantMessage():
                results: list[ToolMessage] = []
                while todo and isinstance(head := todo[0], ToolMessage):
                    results.append(head)
                    todo.popleft()
                wire += [*_answer(message), *_results(message.calls, results, vision=vision)]
            case ToolMessage():
                pass  # a result without its call is none
            case _:
                assert_never(message)
    return wire


def _results(calls: Sequence[PromptCall], results: Sequence[ToolMessage], *, vision: bool) -> list[Wire]:
    waiting: defaultdict[str, deque[ToolMessage]] = defaultdict(deque)
    for result in results:
        waiting[result.call_id].append(result)
    wire: list[Wire] = []
    pictures: list[ImageBlock] = []
    for call in calls:
        queue = waiting[call.id]
        result = queue.popleft() if queue else ToolMessage(call_id=call.id, name=call.name, text=NO_RESULT)
        notes = [IMAGE_FOLLOWS if vision else IMAGE_NOT_SENT] * len(result.images)
        told = "\n".join(filter(None, [result.text, *notes]))
        wire.append({"role": "tool", "content": told, "tool_name": wire_name(call.name), "tool_call_id": call.id})
        pictures += result.images if vision else ()
    if pictures:
        wire.append(_with_pictures({"role": "user", "content": IMAGES_OF_TOOLS}, pictures, vision=True))
    return wire


def _answer(said: AssistantMessage) -> list[Wire]:
    if not said.text.strip() and not said.calls:
        return []
    wire: Wire = {"role": "assistant", "content": said.text}
    if said.reasoning:
        wire["thinking"] = said.reasoning
    if said.calls:
        wire["tool_calls"] = [
            {"id": call.id, "function": {"name": wire_name(call.name), "arguments": call.arguments}}
            for call in said.calls
        ]
    return [wire]


def _with_pictures(wire: Wire, images: Iterable[ImageBlock], *, vision: bool) -> Wire:
    pictures = [image.data for image in images]
    if not pictures:
        return wire
    if not vision:
        return {**wire, "content": "\n".join([wire["content"], *[IMAGE_NOT_SENT] * len(pictures)]).strip()}
    return {**wire, "images": pictures}


def _tool(tool: ToolSpec) -> Wire:
    parameters = tool.parameters or {"type": "object", "properties": {}}
    function = {"name": wire_name(tool.name), "description": tool.description, "parameters": parameters}
    return {"type": "function", "function": function}
