"""Codes into the user's words: the one place. An unknown code keeps its English sentence."""

from PySide6.QtCore import QCoreApplication

from deepchat_desktop.domain.errors import DeepChatError


def _tr(text: str) -> str:
    return QCoreApplication.translate("words", text)


def words_of(error: DeepChatError) -> str:
    """Return what to tell the user of an error, with the place it is about."""
    place = error.params.get("path") or error.params.get("folder")
    words = error_words(error.code, error.user_message)
    return f"{words}\n{place}" if place and str(place) not in words else words


def error_words(code: str, fallback: str) -> str:
    """Return what to tell the user of a code; ``fallback`` is the error's own English sentence."""
    words = {
        "busy": _tr("Still answering: your text is kept. Press Stop, or wait."),
        "pending_interaction": _tr("Answer the request above first."),
        "empty": _tr("Write something or attach a picture first."),
        "no_model": _tr("There is no model yet. Choose one on the first page, or add a provider in the settings."),
        "store_full": _tr("The disk is full, so nothing more can be saved. Free some space, then try again."),
        "store_read_only": _tr(
            "The data folder cannot be written. Change its rights, or start with --data-dir and another folder."
        ),
        "prompt_cut": _tr(
            "The Ollama server left out the start of the prompt, with the instructions. "
            "Set a larger context length for the server in the settings."
        ),
        "links_later": _tr("Links to DeepChat come in a later version: nothing was opened."),
        "key_elsewhere": _tr("The key was kept in another keychain than today's. Enter it again in the settings."),
    }
    return words.get(code, fallback)


def mode_words(mode: str) -> str:
    """Return the name of a permission mode."""
    return {
        "ask": _tr("Ask"),
        "read": _tr("Read"),
        "full": _tr("Full access"),
        "chat": _tr("Chat only"),
    }[mode]


def api_words(api: str) -> str:
    """Return the name of an API style; an unknown one keeps its own."""
    return {
        "openai_chat": _tr("Chat completions API (OpenAI and compatible)"),
        "openai_responses": _tr("Responses API (OpenAI and compatible)"),
        "anthropic": _tr("Messages API (Anthropic and compatible)"),
        "gemini": _tr("Gemini API (Google)"),
        "ollama": _tr("Ollama API"),
        "azure": _tr("Azure OpenAI"),
        "bedrock": _tr("Amazon Bedrock, Converse API"),
    }.get(api, api)
