"""What the user configures for the whole app. No secrets: keys live in the system's keychain."""

from typing import Literal

from pydantic import Field

from deepchat_desktop.domain.base import Value
from deepchat_desktop.domain.prompt import ModelCapabilities

ApiStyle = Literal["openai_chat", "openai_responses", "anthropic", "gemini", "ollama", "azure", "bedrock", "local"]
ThemeChoice = Literal["system", "light", "dark"]
LOCAL_PROVIDER = "local"


class Price(Value):
    """What a million tokens cost, in US dollars; None is unknown. ``as_of`` is the day it was told, YYYY-MM-DD."""

    input: float | None = Field(default=None, ge=0)
    output: float | None = Field(default=None, ge=0)
    cached: float | None = Field(default=None, ge=0)
    """Of input that was read from the provider's cache."""
    cache_write: float | None = Field(default=None, ge=0)
    """Of input that was written into the provider's cache."""
    as_of: str = ""


class ModelSettings(Value):
    """A model as the provider's own list tells of it; None is what the list does not say."""

    id: str
    name: str = ""
    capabilities: ModelCapabilities = ModelCapabilities()
    price: Price | None = None
    chat: bool | None = None
    """Whether it answers in text; lists also name models for speech, pictures and search."""


class ModelChoice(Value):
    """What the user says of a model; it wins over every list, and a new list never changes it. None says nothing."""

    added: bool = False
    """The user named the model by hand; it stays without being in a list."""
    on: bool | None = None
    name: str | None = None
    tools: bool | None = None
    tools_as_text: bool | None = None
    """Whether a model that has no function calling is told of tools in the prompt."""
    vision: bool | None = None
    reasoning: bool | None = None
    context: int | None = Field(default=None, gt=0)
    max_output: int | None = Field(default=None, gt=0)
    price: Price | None = None


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
    listed_at: int | None = None
    """When ``models`` came from the provider, ms since 1970."""
    choices: dict[str, ModelChoice] = Field(default_factory=dict)
    """What the user says of models, by their id, kept apart from ``models``."""
    others_on: bool = True
    """Whether models are on that the user did not decide about."""
    secret_headers: tuple[str, ...] = ()
    """Names of further headers; what they say lies in the keychain."""
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


class ReadingPlace(Value):
    """Where a session was left: the block at the top of the view, and how many px of it were above."""

    session_id: str
    message_id: str
    cell: int = 0
    px: int = 0


class WindowState(Value):
    """Where the window was."""

    geometry: str = ""
    sidebar: bool = True
    minimap: bool = True
    last_session: str | None = None
    places: tuple[ReadingPlace, ...] = ()


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
