"""What single vendors and models of the chat-completions family want differently: one small table.

Source: vendor documentation and recorded refusals. A host is known first, then the name of the provider, then
the model's own name (gateways serve the same models). Everything unknown gets the plain profile.
"""

import re
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from deepchat_desktop.services.providers.openai_chat_thinking import ThinkingStyle

APP_NAME = "DeepChat Desktop"


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
    system_role: str = "system"
    tools: bool = True
    tool_stream: bool = False
    """The arguments of calls stream only if ``tool_stream`` asks for it."""
    thinking: ThinkingStyle = "effort"
    headers: tuple[tuple[str, str], ...] = ()


_OPENAI = Profile(name="openai")
_DEEPSEEK = Profile(
    name="deepseek", reasoning_back=True, images=False, forced_tools=False, thinking="deepseek"
)
_KIMI = Profile(
    name="moonshot", reasoning_back=True, fixed_sampling=True, forced_tools=False, thinking="switch"
)
_DASHSCOPE = Profile(name="dashscope", forced_tools=False, thinking="enable")
_ZHIPU = Profile(name="zhipu", reasoning_back=True, forced_tools=False, tool_stream=True, thinking="switch")
_OPENROUTER = Profile(name="openrouter", thinking="openrouter", headers=(("X-Title", APP_NAME),))
_GROQ = Profile(name="groq", thinking="groq")
_XAI = Profile(name="xai", thinking="low_high")
_MISTRAL = Profile(name="mistral", stream_options=False, nine_character_ids=True, thinking="none_high")
_PERPLEXITY = Profile(name="perplexity", alternate=True, tools=False)
_TOGETHER = Profile(name="together")
_COPILOT = Profile(name="copilot")
_LM_STUDIO = Profile(name="lmstudio")
_VLLM = Profile(name="vllm")
_LLAMA_CPP = Profile(name="llamacpp")

_BY_HOST: dict[str, Profile] = {
    "api.openai.com": _OPENAI,
    "api.deepseek.com": _DEEPSEEK,
    "api.moonshot.ai": _KIMI,
    "api.moonshot.cn": _KIMI,
    "dashscope.aliyuncs.com": _DASHSCOPE,
    "dashscope-intl.aliyuncs.com": _DASHSCOPE,
    "open.bigmodel.cn": _ZHIPU,
    "api.z.ai": _ZHIPU,
    "openrouter.ai": _OPENROUTER,
    "api.groq.com": _GROQ,
    "api.x.ai": _XAI,
    "api.mistral.ai": _MISTRAL,
    "api.perplexity.ai": _PERPLEXITY,
    "api.together.xyz": _TOGETHER,
    "api.together.ai": _TOGETHER,
    "api.githubcopilot.com": _COPILOT,
}
_BY_FAMILY: dict[str, Profile] = {
    **{profile.name: profile for profile in (*_BY_HOST.values(), _LM_STUDIO, _VLLM, _LLAMA_CPP)},
    "kimi": _KIMI,
    "qwen": _DASHSCOPE,
    "zai": _ZHIPU,
}
_BY_MODEL: tuple[tuple[re.Pattern[str], Profile], ...] = (
    (re.compile(r"deepseek-(?:v4|reasoner|chat)"), _DEEPSEEK),
    (re.compile(r"kimi-k(?:2\.[5-9]|[3-9])"), _KIMI),
)
_OPENAI_REASONING = re.compile(r"(?:openai/)?(?:o\d|gpt-5)")
_AZURE_HOSTS = (".openai.azure.com", ".services.ai.azure.com")


def profile_of(base_url: str, family: str, model: str) -> Profile:
    """Return the profile of a model at an address. ``base_url`` is a checked web address."""
    name = model.lower()
    host = urlsplit(base_url.strip()).hostname or ""
    profile = _OPENAI if host.endswith(_AZURE_HOSTS) else _BY_HOST.get(host) or _BY_FAMILY.get(family)
    if profile is None:
        profile = next((known for pattern, known in _BY_MODEL if pattern.match(name)), Profile())
    if _OPENAI_REASONING.match(name):
        role = "developer" if profile is _OPENAI else "system"
        return replace(profile, fixed_sampling=True, max_tokens_field="max_completion_tokens", system_role=role)
    return profile
