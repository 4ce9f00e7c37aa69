"""Which adapter speaks which API style. A new style is one file and one line in each table."""

from collections.abc import Callable

from deepchat_desktop.domain.errors import ProviderError
from deepchat_desktop.services.providers.base import Decoder, Endpoint, Provider


def _openai_chat(endpoint: Endpoint) -> Provider:
    from deepchat_desktop.services.providers.openai_chat import OpenAIChat

    return OpenAIChat(endpoint)


def _openai_chat_decoder() -> Decoder:
    from deepchat_desktop.services.providers.openai_chat_decode import ChatDecoder

    return ChatDecoder()


def _openai_responses(endpoint: Endpoint) -> Provider:
    from deepchat_desktop.services.providers.openai_responses import OpenAIResponses

    return OpenAIResponses(endpoint)


def _openai_responses_decoder() -> Decoder:
    from deepchat_desktop.services.providers.openai_responses_decode import ResponsesDecoder

    return ResponsesDecoder()


def _azure(endpoint: Endpoint) -> Provider:
    from deepchat_desktop.services.providers.azure import azure_provider

    return azure_provider(endpoint)


def _anthropic(endpoint: Endpoint) -> Provider:
    from deepchat_desktop.services.providers.anthropic import Anthropic

    return Anthropic(endpoint)


def _anthropic_decoder() -> Decoder:
    from deepchat_desktop.services.providers.anthropic_decode import MessagesDecoder

    return MessagesDecoder()


def _ollama(endpoint: Endpoint) -> Provider:
    from deepchat_desktop.services.providers.ollama import Ollama

    return Ollama(endpoint)


def _ollama_decoder() -> Decoder:
    from deepchat_desktop.services.providers.ollama_decode import OllamaDecoder

    return OllamaDecoder()


def _gemini(endpoint: Endpoint) -> Provider:
    from deepchat_desktop.services.providers.gemini import Gemini

    return Gemini(endpoint)


def _gemini_decoder() -> Decoder:
    from deepchat_desktop.services.providers.gemini_decode import GeminiDecoder

    return GeminiDecoder()


def _bedrock(endpoint: Endpoint) -> Provider:
    from deepchat_desktop.services.providers.bedrock import Bedrock

    return Bedrock(endpoint)


def _bedrock_decoder() -> Decoder:
    from deepchat_desktop.services.providers.bedrock_decode import ConverseDecoder

    return ConverseDecoder()


# Each imports its adapter when it is first asked for: the window paints before that.
ADAPTERS: dict[str, Callable[[Endpoint], Provider]] = {
    "openai_chat": _openai_chat,
    "openai_responses": _openai_responses,
    "azure": _azure,
    "anthropic": _anthropic,
    "bedrock": _bedrock,
    "gemini": _gemini,
    "ollama": _ollama,
}
DECODERS: dict[str, Callable[[], Decoder]] = {
    "openai_chat": _openai_chat_decoder,
    "openai_responses": _openai_responses_decoder,
    "azure": _openai_chat_decoder,
    "anthropic": _anthropic_decoder,
    "bedrock": _bedrock_decoder,
    "gemini": _gemini_decoder,
    "ollama": _ollama_decoder,
}


def make_provider(api: str, endpoint: Endpoint) -> Provider:
    """Return a provider of that style. Raises ``ProviderError`` (``unsupported_feature``) if there is none."""
    if api not in ADAPTERS:
        raise _unknown(api)
    return ADAPTERS[api](endpoint)


def make_decoder(api: str) -> Decoder:
    """Return a decoder of that style. Raises ``ProviderError`` (``unsupported_feature``) if there is none."""
    if api not in DECODERS:
        raise _unknown(api)
    return DECODERS[api]()


def _unknown(api: str) -> ProviderError:
    known = ", ".join(sorted(ADAPTERS))
    return ProviderError(
        f"The API style \u201c{api}\u201d is not supported yet. Supported: {known}.",
        code="unsupported_feature",
        params={"api": api},
    )
