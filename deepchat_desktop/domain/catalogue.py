"""The models of a provider as everybody sees them: its list, what is known of families, and the user's own word.

Invariants: the user's word wins over the list and the list over what is known of a family; a new list never touches
the user's word; what nobody knows stays unknown; a price comes from a provider's own list or from the user only.
"""

from collections.abc import Mapping
from typing import Any, Literal

from deepchat_desktop.domain.base import Value
from deepchat_desktop.domain.model_families import family_of
from deepchat_desktop.domain.prompt import ModelCapabilities
from deepchat_desktop.domain.settings import ModelChoice, ModelSettings, Price, ProviderSettings
from deepchat_desktop.domain.usage import Usage

Fact = Literal["tools", "vision", "reasoning", "context", "max_output"]
FACTS: tuple[Fact, ...] = ("tools", "vision", "reasoning", "context", "max_output")
Source = Literal["user", "list", "family"]
PER_TOKENS = 1_000_000
LEAST_FOR_TEXT_TOOLS = 16_000
"""Tokens of context below which tools in the prompt leave too little room, unless the user wants them."""


class CatalogueModel(Value):
    """One model. ``sources`` says who told what; a fact without one is unknown."""

    id: str
    name: str
    capabilities: ModelCapabilities
    on: bool
    chat: bool
    added: bool = False
    """It is there because the user named it; it can be removed."""
    listed: bool = True
    price: Price | None = None
    price_by_user: bool = False
    sources: dict[Fact, Source]

    @property
    def changed(self) -> bool:
        """Whether a fact of it is the user's own."""
        return self.price_by_user or "user" in self.sources.values()


def catalogue(provider: ProviderSettings) -> tuple[CatalogueModel, ...]:
    """Return a provider's models: the list in its order, then what the user added by hand."""
    listed = {model.id for model in provider.models}
    by_hand = [key for key, choice in provider.choices.items() if choice.added and key not in listed]
    models = [*provider.models, *(ModelSettings(id=key) for key in by_hand)]
    return tuple(_model(provider, model, listed=model.id in listed) for model in models)


def model_of(provider: ProviderSettings, model_id: str) -> CatalogueModel:
    """Return one model; of one that is in no list only what is known of its family and what the user said."""
    for model in provider.models:
        if model.id == model_id:
            return _model(provider, model, listed=True)
    return _model(provider, ModelSettings(id=model_id), listed=False)


def offered(provider: ProviderSettings) -> tuple[CatalogueModel, ...]:
    """Return the models that can be chosen."""
    return tuple(model for model in catalogue(provider) if model.on) if provider.enabled else ()


def refreshed(provider: ProviderSettings, models: tuple[ModelSettings, ...], at: int, day: str) -> ProviderSettings:
    """Return the provider with a new list, told at ``at`` (ms) on ``day`` (YYYY-MM-DD); an empty one changes nothing.

    The user's choices stay, also those of models that are not in the list any more: they may come back.
    """
    if not models:
        return provider
    dated = tuple(
        model.model_copy(update={"price": model.price.model_copy(update={"as_of": day})}) if model.price else model
        for model in models
    )
    return provider.model_copy(update={"models": dated, "listed_at": at})


def choose(provider: ProviderSettings, model_id: str, changes: Mapping[str, Any]) -> ProviderSettings:
    """Return the provider with the user's word on a model changed. Raises pydantic's ``ValidationError``.

    A word that says nothing any more is dropped.
    """
    before = provider.choices.get(model_id, ModelChoice())
    choice = ModelChoice.model_validate({**before.model_dump(), **changes})
    rest = {key: each for key, each in provider.choices.items() if key != model_id}
    if choice == ModelChoice():
        return provider.model_copy(update={"choices": rest})
    if model_id in provider.choices:
        rest = {key: choice if key == model_id else each for key, each in provider.choices.items()}
    else:
        rest[model_id] = choice
    return provider.model_copy(update={"choices": rest})


def forget_choice(provider: ProviderSettings, model_id: str) -> ProviderSettings:
    """Return the provider with a model as the list tells of it; that it was added and is on or off stays."""
    kept = provider.choices.get(model_id, ModelChoice())
    rest = {key: each for key, each in provider.choices.items() if key != model_id}
    bare = provider.model_copy(update={"choices": rest})
    return choose(bare, model_id, {"added": kept.added, "on": kept.on})


def switch(provider: ProviderSettings, model_ids: tuple[str, ...], *, on: bool) -> ProviderSettings:
    """Return the provider with these models on or off."""
    for model_id in model_ids:
        provider = choose(provider, model_id, {"on": on})
    return provider


def switch_all(provider: ProviderSettings, *, on: bool) -> ProviderSettings:
    """Return the provider with all models on or off, also those that a later list brings."""
    choices = {key: choice.model_copy(update={"on": None}) for key, choice in provider.choices.items()}
    choices = {key: choice for key, choice in choices.items() if choice != ModelChoice()}
    return provider.model_copy(update={"choices": choices, "others_on": on})


def cost_of(usage: Usage, price: Price | None) -> float | None:
    """Return what an answer cost in US dollars; None unless every part of it has a known price."""
    if price is None or not (usage.input or usage.output):
        return None
    parts = (
        (usage.input - usage.cached - usage.cache_write, price.input),
        (usage.cached, price.cached),
        (usage.cache_write, price.cache_write),
        (usage.output, price.output),
    )
    if any(tokens and each is None for tokens, each in parts):
        return None
    return sum(tokens * (each or 0.0) for tokens, each in parts) / PER_TOKENS


def _tools_as_text(choice: ModelChoice, facts: Mapping[str, Any], *, chat: bool) -> bool:
    """Return whether a model gets its tools as text: the user's word, else if it is known to have no better way."""
    if facts.get("tools") is not False or choice.tools_as_text is not None:
        return facts.get("tools") is False and bool(choice.tools_as_text)
    room = facts.get("context") or LEAST_FOR_TEXT_TOOLS
    return chat and choice.tools is None and room >= LEAST_FOR_TEXT_TOOLS


def _window_of(provider: ProviderSettings) -> int | None:
    """Return the context length that the user set for all of an Ollama server's models: what runs counts."""
    text = provider.options.get("num_ctx", "") if provider.api == "ollama" else ""
    return int(text) if text.isdecimal() and int(text) > 0 else None


def _model(provider: ProviderSettings, model: ModelSettings, *, listed: bool) -> CatalogueModel:
    choice = provider.choices.get(model.id, ModelChoice())
    family = family_of(model.id)
    facts: dict[str, Any] = {}
    sources: dict[Fact, Source] = {}
    told: tuple[tuple[Source, object], ...] = (("user", choice), ("list", model.capabilities), ("family", family))
    for fact in FACTS:
        for source, teller in told:
            value = getattr(teller, fact)
            if value is not None:
                facts[fact], sources[fact] = value, source
                break
    if sources.get("context") != "user" and (window := _window_of(provider)):
        facts["context"], sources["context"] = window, "user"
    chat = family.chat if model.chat is None else model.chat
    facts["tools_as_text"] = _tools_as_text(choice, facts, chat=chat)
    default = choice.added or (provider.others_on and chat)
    return CatalogueModel(
        id=model.id,
        name=choice.name or model.name or model.id,
        capabilities=ModelCapabilities(**facts),
        on=default if choice.on is None else choice.on,
        chat=chat,
        added=choice.added and not listed,
        listed=listed,
        price=choice.price or model.price,
        price_by_user=choice.price is not None,
        sources=sources,
    )
