"""Opaque parts (signatures, encrypted reasoning) are of use to the model that made them and to no other.

A family can hold many makers (a gateway, a cloud), so the model counts too: what another one made stays here.
"""

from deepchat_desktop.domain.prompt import AssistantMessage, ModelRequest, PromptMessage
from deepchat_desktop.domain.stream import CarryPart, ProviderEvent


def marked(event: ProviderEvent, model: str) -> ProviderEvent:
    """Return an opaque part with the model that made it; other events as they are."""
    return event.model_copy(update={"model": model}) if isinstance(event, CarryPart) else event


def without_foreign_parts(request: ModelRequest) -> ModelRequest:
    """Return the request without the opaque parts that another model made."""
    messages = tuple(_own(message, request.model) for message in request.messages)
    return request.model_copy(update={"messages": messages})


def _own(message: PromptMessage, model: str) -> PromptMessage:
    if not isinstance(message, AssistantMessage) or all(part.model in ("", model) for part in message.carry):
        return message
    return message.model_copy(update={"carry": tuple(part for part in message.carry if part.model in ("", model))})
