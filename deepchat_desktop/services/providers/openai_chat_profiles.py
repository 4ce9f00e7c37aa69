"""What single vendors and models of the chat-completions family want differently: one small table.

Source: vendor documentation and recorded refusals. A host is known first, then the name of the provider, then
the model's own name (gateways serve the same models). Everything unknown gets the plain profile.
"""

import re
from dataclasses import dataclass, replace
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Profile:
    """How a vendor departs from OpenAI's format."""

    name: str = "generic"
    reasoning_back: bool = False
    """Assistant messages carry ``reasoning_content`` when tools are in play; "" if it was not captured."""
    images: bool = True
    fixed_sampling: bool = False
    """Temperature and its kin are refused or pinned by the server."""
    forced_tools: bool = True
    """Whether ``tool_choice`` may force a tool while the model thinks."""
    stream_options: bool = True
    alternate: bool = False
    """User and assistant must take turns strictly."""
    nine_character_ids: bool = False
    max_tokens_field: str = "max_tokens"


_DEEPSEEK = Profile(name="deepseek", reasoning_back=True, images=False, forced_tools=False)
_KIMI = Profile(name="moonshot", reasoning_back=True, fixed_sampling=True, forced_tools=False)
_MISTRAL = Profile(name="mistral", stream_options=False, nine_character_ids=True)
_PERPLEXITY = Profile(name="perplexity", alternate=True)

_BY_HOST: dict[str, Profile] = {
    "api.deepseek.com": _DEEPSEEK,
    "api.moonshot.ai": _KIMI,
    "api.moonshot.cn": _KIMI,
    "api.mistral.ai": _MISTRAL,
    "api.perplexity.ai": _PERPLEXITY,
}
_BY_FAMILY: dict[str, Profile] = {
    "deepseek": _DEEPSEEK,
    "moonshot": _KIMI,
    "kimi": _KIMI,
    "mistral": _MISTRAL,
    "perplexity": _PERPLEXITY,
}
_BY_MODEL: tuple[tuple[re.Pattern[str], Profile], ...] = (
    (re.compile(r"deepseek-(?:v4|reasoner|chat)"), _DEEPSEEK),
    (re.compile(r"kimi-k(?:2\.[5-9]|[3-9])"), _KIMI),
)
_OPENAI_REASONING = re.compile(r"(?:openai/)?(?:o\d|gpt-5)")


def profile_of(base_url: str, family: str, model: str) -> Profile:
    """Return the profile of a model at an address. ``base_url`` is a checked web address."""
    name = model.lower()
    profile = _BY_HOST.get(urlsplit(base_url.strip()).hostname or "") or _BY_FAMILY.get(family)
    if profile is None:
        profile = next((known for pattern, known in _BY_MODEL if pattern.match(name)), Profile())
    if _OPENAI_REASONING.match(name):
        return replace(profile, fixed_sampling=True, max_tokens_field="max_completion_tokens")
    return profile
