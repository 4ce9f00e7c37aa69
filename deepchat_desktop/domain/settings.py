"""What the user configures for the whole app. No secrets: keys live in the system's keychain."""

from typing import Literal

from pydantic import Field

from deepchat_desktop.domain.base import Value
from deepchat_desktop.domain.prompt import ModelCapabilities

ApiStyle = Literal["openai_chat", "openai_responses", "anthropic", "gemini", "ollama", "azure", "bedrock", "local"]
ThemeChoice = Literal["system", "light", "dark"]
LOCAL_PROVIDER = "local"


class ModelSettings(Value):
    """A model of a provider, with what is known of it."""

    id: str
    name: str = ""
    capabilities: ModelCapabilities = ModelCapabilities()


class ProviderSettings(Value):
    """A provider that the user set up. ``id`` is also the name of its key in the keychain."""

    id: str
    name: str
    api: ApiStyle
    base_url: str
    headers: dict[str, str] = Field(default_factory=dict)
    options: dict[str, str] = Field(default_factory=dict)
    """The API style's own settings, such as an API version or a context length."""
    enabled: bool = True
    models: tuple[ModelSettings, ...] = ()
    requests_per_minute: float | None = Field(default=None, gt=0)
    """The user's own limit; None is none."""
    key_backend: str | None = None
    """The class of the keychain that holds the key, so that a change of keychain can be told (sec-006)."""


class ProxySettings(Value):
    """How the network is reached. The proxy's password lies in the keychain."""

    mode: Literal["system", "none", "custom"] = "system"
    address: str = ""
    """Of a custom proxy: http, https, socks5 or socks5h, without name and password."""
    user: str = ""
    except_hosts: tuple[str, ...] = ()
    """Hosts, domains and networks that are reached directly."""


class WindowState(Value):
    """Where the window was."""

    geometry: str = ""
    sidebar: bool = True
    minimap: bool = True
    last_session: str | None = None


class AppSettings(Value):
    """The whole settings file."""

    version: int = 1
    theme: ThemeChoice = "system"
    text_size: int = 14
    default_provider: str | None = None
    default_model: str | None = None
    providers: tuple[ProviderSettings, ...] = ()
    proxy: ProxySettings = ProxySettings()
    window: WindowState = WindowState()
    workspace: str | None = None
