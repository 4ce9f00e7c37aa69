"""A key by which OpenAI finds the cached beginning of a conversation again, which makes its input cheaper.

The key says nothing: it is a hash of how the conversation begins, the same in each of its requests.
"""

import hashlib
from collections.abc import Sequence
from urllib.parse import urlsplit

from deepchat_desktop.domain.prompt import PromptMessage, SystemMessage, UserMessage


def takes_cache_key(url: str) -> bool:
    """Return whether that server knows ``prompt_cache_key``; others cache by themselves, or refuse the field."""
    host = urlsplit(url).hostname or ""
    return host == "api.openai.com" or host.endswith((".openai.azure.com", ".services.ai.azure.com"))


def cache_key(messages: Sequence[PromptMessage]) -> str:
    """Return the key of a conversation: 32 hex digits of what it begins with."""
    digest = hashlib.sha256()
    for message in messages:
        if isinstance(message, SystemMessage | UserMessage):
            digest.update(message.text.encode("utf-8", "surrogatepass"))
        if isinstance(message, UserMessage):
            break
    return digest.hexdigest()[:32]
