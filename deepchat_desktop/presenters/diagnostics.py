"""What can be handed on when something is wrong: the last exchange with a provider, without secrets, in memory only."""

import platform

from deepchat_desktop import __version__
from deepchat_desktop.core import Core
from deepchat_desktop.domain.errors import DeepChatError
from deepchat_desktop.domain.settings import LOCAL_PROVIDER


def diagnostics_text(core: Core, provider_id: str) -> str:
    """Return the report on a provider; "" before anything was sent to it in this run."""
    exchange = core.models.diagnostics(provider_id)
    if not exchange:
        return ""
    head = f"DeepChat Desktop {__version__}, Python {platform.python_version()}, {platform.system()}"
    return f"{head}\n{_provider(core, provider_id)}\n\n{exchange}\n"


def _provider(core: Core, provider_id: str) -> str:
    if provider_id == LOCAL_PROVIDER:
        return "local model"
    try:
        provider = core.models.provider_settings(provider_id)
    except DeepChatError:
        return "a provider that was removed since"
    return f"provider {provider.name}, API style {provider.api}"
