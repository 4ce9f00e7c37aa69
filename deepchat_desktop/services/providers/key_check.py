"""Whether a provider answers: its list of models, then one tiny question, since many lists are open to anybody.

Nothing is raised for what a server says. A server without a list is asked the question all the same.
"""

import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Literal

from deepchat_desktop.domain.catalogue import CatalogueModel, catalogue
from deepchat_desktop.domain.errors import ProviderError
from deepchat_desktop.domain.prompt import ModelRequest, UserMessage
from deepchat_desktop.domain.settings import ModelSettings, ProviderSettings
from deepchat_desktop.domain.stream import StreamError
from deepchat_desktop.services.providers.base import Provider

CheckKind = Literal["ok", "auth", "quota", "busy", "server", "model", "address", "network", "no_models", "other"]
QUESTION = "Reply with OK."
MAX_OUTPUT = 16
"""Tokens; the responses of OpenAI take no fewer."""
_KINDS: dict[str, CheckKind] = {
    "auth": "auth",
    "quota": "quota",
    "rate_limit": "busy",
    "overloaded": "busy",
    "server": "server",
    "model_not_found": "model",
    "network": "network",
    "timeout": "network",
}


@dataclass(frozen=True)
class Checked:
    """How a check ended. ``models`` is the list that came, None if none did; ``words`` are the server's own.

    ``address`` means that nothing of the API is where the base URL points to. ``code`` is the error's kind, "no_model"
    where there was nothing to ask, "" where all is well.
    """

    kind: CheckKind
    models: tuple[ModelSettings, ...] | None = None
    model: str = ""
    words: str = ""
    took_ms: int = 0
    code: str = ""


async def check(
    provider: Provider,
    settings: ProviderSettings,
    wanted: str | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Checked:
    """Ask a provider for its models, and then ``wanted``, or its first model that is on, one short question."""
    began = clock()
    try:
        models = await provider.list_models()
    except ProviderError as error:
        # 404 and 405 mean that the server has no list.
        missing = error.code in ("model_not_found", "bad_request")
        model = _chosen(settings, wanted) if missing else None
        if model is None:
            return _refused(error.code, error.user_message, "", None, _ms(clock() - began))
        models = None
    else:
        settings = settings.model_copy(update={"models": models}) if models else settings
        model = _chosen(settings, wanted)
        if model is None:
            return Checked("no_models", models, took_ms=_ms(clock() - began), code="no_model")
    asked = clock()
    failure = await _ask(provider, model)
    took = _ms(clock() - asked)
    if failure is not None:
        return _refused(failure.error, failure.message, model.id, models, took)
    return Checked("ok", models, model.id, took_ms=took)


def kind_of(code: str) -> CheckKind:
    """Return what an error's code means for who set the provider up."""
    return _KINDS.get(code, "other")


def _refused(
    code: str, words: str, model: str, models: tuple[ModelSettings, ...] | None, took_ms: int
) -> Checked:
    """Return how a refused check ended. "Not found" is about the model only if there is a list, or it is named."""
    kind = kind_of(code)
    if kind == "model" and models is None and (not model or model not in words):
        return Checked("address", None, model, words, took_ms, "bad_request")
    return Checked(kind, models, model, words, took_ms, code)


def _chosen(settings: ProviderSettings, wanted: str | None) -> CatalogueModel | None:
    models = [model for model in catalogue(settings) if model.on]
    return next((model for model in models if model.id == wanted), models[0] if models else None)


async def _ask(provider: Provider, model: CatalogueModel) -> StreamError | None:
    """Return what refused the question, None if it was answered; the few words of it are read to their end."""
    request = ModelRequest(
        model=model.id,
        messages=(UserMessage(text=QUESTION),),
        max_output=MAX_OUTPUT,
        capabilities=model.capabilities,
    )
    async with aclosing(provider.stream(request)) as events:  # type: ignore[type-var]
        async for event in events:
            if isinstance(event, StreamError):
                return event
    return None


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
