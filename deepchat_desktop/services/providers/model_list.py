"""Reads ``GET /models`` of the chat-completions family: ids from all, capabilities from those that tell them.

Source: recorded lists of OpenRouter, Mistral, Groq, Copilot, Venice, llama.cpp, vLLM and of those that give ids
only. What a server does not say stays unknown.
"""

from typing import Any

from deepchat_desktop.domain.prompt import ModelCapabilities
from deepchat_desktop.domain.settings import ModelSettings
from deepchat_desktop.services.providers.model_prices import price_of
from deepchat_desktop.services.providers.wire_json import as_count, as_dict, as_list, as_text


def models_of(value: object) -> tuple[ModelSettings, ...]:
    """Return the models of a list's body, in its order; nothing for a body that is no list."""
    items = as_list(value) or as_list(as_dict(value).get("data")) or as_list(as_dict(value).get("models"))
    found: dict[str, ModelSettings] = {}
    for item in items:
        entry = as_dict(item)
        model_id = as_text(entry.get("id")) or as_text(entry.get("name"))
        if model_id and model_id not in found:
            name = as_text(entry.get("name")) or as_text(as_dict(entry.get("model_spec")).get("name"))
            found[model_id] = ModelSettings(
                id=model_id,
                name=name,
                capabilities=_capabilities(entry),
                price=price_of(entry),
                chat=_chats(entry),
            )
    return tuple(found.values())


def _capabilities(entry: dict[str, Any]) -> ModelCapabilities:
    told: dict[str, Any] = {
        "tools": _says(entry, "function_calling", "supportsFunctionCalling", "tool_calls", parameter="tools"),
        "vision": _sees(entry),
        "reasoning": _says(entry, "reasoning", "supportsReasoning", "adaptive_thinking", parameter="reasoning"),
        "context": _context(entry),
        "max_output": _max_output(entry),
    }
    return ModelCapabilities(**{name: value for name, value in told.items() if value is not None})


def _flags(entry: dict[str, Any]) -> dict[str, Any]:
    """Return the yes-or-no capabilities, wherever a vendor keeps them."""
    own = as_dict(entry.get("capabilities"))
    return {
        **own,
        **as_dict(own.get("supports")),
        **as_dict(as_dict(entry.get("model_spec")).get("capabilities")),
    }


def _says(entry: dict[str, Any], *names: str, parameter: str) -> bool | None:
    if parameters := as_list(entry.get("supported_parameters")):
        return parameter in parameters
    flags = _flags(entry)
    answers = [flags[name] for name in names if isinstance(flags.get(name), bool)]
    if answers:
        return any(answers)
    # Copilot leaves out what a model cannot do.
    return False if as_dict(as_dict(entry.get("capabilities")).get("supports")) else None


def _sees(entry: dict[str, Any]) -> bool | None:
    modalities = as_list(entry.get("input_modalities")) or as_list(
        as_dict(entry.get("architecture")).get("input_modalities")
    )
    if modalities:
        return "image" in modalities
    flags = _flags(entry)
    return next((flags[name] for name in ("vision", "supportsVision") if isinstance(flags.get(name), bool)), None)


def _chats(entry: dict[str, Any]) -> bool | None:
    """Tell whether a model answers in text, where a list says it (Groq, OpenRouter, Mistral)."""
    own, inner = entry.get("output_modalities"), as_dict(entry.get("architecture")).get("output_modalities")
    made = as_list(own) or as_list(inner)
    if made:
        return "text" in made
    told = as_dict(entry.get("capabilities")).get("completion_chat")
    return told if isinstance(told, bool) else None


def _context(entry: dict[str, Any]) -> int | None:
    limits = as_dict(as_dict(entry.get("capabilities")).get("limits"))
    top = as_dict(entry.get("top_provider"))
    meta = as_dict(entry.get("meta"))
    # A llama.cpp server may run a model with less than it was trained for: what runs counts.
    return _first(
        meta.get("n_ctx"),
        meta.get("n_ctx_train"),
        top.get("context_length"),
        entry.get("context_length"),
        entry.get("context_window"),
        entry.get("max_context_length"),
        entry.get("max_model_len"),
        limits.get("max_context_window_tokens"),
        as_dict(entry.get("model_spec")).get("availableContextTokens"),
    )


def _max_output(entry: dict[str, Any]) -> int | None:
    limits = as_dict(as_dict(entry.get("capabilities")).get("limits"))
    return _first(
        as_dict(entry.get("top_provider")).get("max_completion_tokens"),
        entry.get("max_completion_tokens"),
        limits.get("max_output_tokens"),
        as_dict(entry.get("model_spec")).get("maxCompletionTokens"),
    )


def _first(*values: object) -> int | None:
    return next((count for value in values if (count := as_count(value))), None)
