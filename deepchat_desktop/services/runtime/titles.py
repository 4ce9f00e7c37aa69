"""A session's title: the first words at once, later a short one from the model unless the user named it."""

from contextlib import aclosing

from deepchat_desktop.domain.prompt import ModelRequest, SystemMessage, UserMessage
from deepchat_desktop.domain.stream import StreamError, TextDelta
from deepchat_desktop.services.providers.directory import ConnectedModel

LONGEST = 60
_ASK = (
    "Write a title of at most six words for a conversation that begins like this, in its language. "
    "Answer with the title alone, without quotation marks."
)


def first_words(text: str) -> str:
    """Return the first words of a text, at most 60 characters, cut at a word where there is one."""
    line = " ".join(text.split())
    if len(line) <= LONGEST:
        return line
    head = line[: LONGEST - 1]
    cut = head.rfind(" ")
    return (head[:cut] if cut > LONGEST // 2 else head) + "…"


async def model_title(model: ConnectedModel, question: str, answer: str) -> str | None:
    """Ask the model for a title; None when it gives none. A failure here is no failure of the session."""
    request = ModelRequest(
        model=model.connection.model,
        messages=(
            SystemMessage(text=_ASK),
            UserMessage(text=f"User: {question[:2_000]}\n\nAssistant: {answer[:2_000]}"),
        ),
        max_output=256,
        capabilities=model.capabilities,
        extra=dict(model.extra),
    )
    text = ""
    async with aclosing(model.provider.stream(request)) as events:  # type: ignore[type-var]
        async for event in events:
            if isinstance(event, StreamError):
                return None
            if isinstance(event, TextDelta):
                text += event.text
    line = next((part.strip() for part in text.splitlines() if part.strip()), "")
    title = line.strip("\"'“”„«»# *").rstrip(".")
    return first_words(title) if title else None
